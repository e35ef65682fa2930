"""The layout keeps its promises for every graph: nothing overlaps, nothing crosses a box."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, strategies as st

from sagalang.compiler.drawing.layout import Layout, lay_out, rank
from sagalang.compiler.drawing.layout_order import arrange, crossings
from sagalang.compiler.drawing.layout_ports import spread

Graph = tuple[list[tuple[int, int]], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Boxes of any size, and edges without cycles between them."""
    sizes = draw(
        st.lists(st.tuples(st.integers(40, 300), st.integers(20, 90)), min_size=1, max_size=14)
    )
    pairs = list(combinations(range(len(sizes)), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    order = draw(st.permutations(range(len(sizes))))
    return sizes, [(order[source], order[target]) for source, target in edges]


def rectangles(sizes: list[tuple[int, int]], layout: Layout) -> list[tuple[float, ...]]:
    """Left, top, right, bottom of each box."""
    return [
        (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        for (width, height), (x, y) in zip(sizes, layout.centres, strict=True)
    ]


@given(graphs())
def test_boxes_do_not_overlap_and_lie_inside(graph: Graph) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    boxes = rectangles(sizes, layout)
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for left, top, right, bottom in boxes:
        assert min(left, top) >= -0.01
        assert right <= layout.width + 0.01
        assert bottom <= layout.height + 0.01


@given(graphs())
def test_edges_run_down_from_box_to_box(graph: Graph) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    boxes = rectangles(sizes, layout)
    for (source, target), route in zip(edges, layout.routes, strict=True):
        ys = [y for _, y in route]
        assert ys == sorted(ys)
        assert ys[0] == boxes[source][3]
        assert ys[-1] == boxes[target][1]
        assert boxes[source][0] <= route[0][0] <= boxes[source][2]
        assert boxes[target][0] <= route[-1][0] <= boxes[target][2]


@given(graphs())
def test_no_edge_crosses_a_box(graph: Graph) -> None:
    """Within a layer an edge runs straight down beside the boxes; it bends only between layers."""
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    boxes = rectangles(sizes, layout)
    for (source, target), route in zip(edges, layout.routes, strict=True):
        others = [box for index, box in enumerate(boxes) if index not in (source, target)]
        for (x, y0), (other, y1) in zip(route[::2], route[1::2], strict=True):
            assert x == other
            for left, top, right, bottom in others:
                assert not (left < x < right and top < y1 and y0 < bottom)
        for (_, y0), (_, y1) in zip(route[1:-1:2], route[2:-1:2], strict=True):
            for _, top, _, bottom in boxes:
                assert bottom <= y0 or y1 <= top


@given(graphs())
def test_the_same_graph_has_the_same_layout(graph: Graph) -> None:
    assert lay_out(*graph) == lay_out(*graph)


@given(graphs())
def test_sweeps_never_make_it_worse(graph: Graph) -> None:
    sizes, edges = graph
    ranks = rank(len(sizes), edges)
    neighbours = [(s, t) for s, t in edges if ranks[t] == ranks[s] + 1]
    layers = [[box for box in range(len(sizes)) if ranks[box] == level] for level in set(ranks)]
    below: dict[int, list[int]] = {box: [] for box in range(len(sizes))}
    for source, target in neighbours:
        below[source].append(target)
    arranged = arrange(layers, [list(edge) for edge in neighbours])
    assert [sorted(layer) for layer in arranged] == [sorted(layer) for layer in layers]
    # Both begin with the same walk; what is kept is the best that was ever found.
    assert crossings(arranged, below) <= crossings(layers, below) or not crossings(arranged, below)


def test_where_nothing_crosses_the_order_is_the_one_written() -> None:
    fork = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]
    layout = lay_out([(100, 40)] * 5, fork)
    assert layout.centres[1][0] < layout.centres[2][0] < layout.centres[3][0]
    # The middle box, the fork and the join stand in one line.
    assert layout.centres[0][0] == layout.centres[2][0] == layout.centres[4][0]


def test_crossed_edges_are_untangled() -> None:
    layout = lay_out([(100, 40)] * 6, [(0, 4), (1, 3), (0, 5), (2, 3)])
    heads = sorted(
        (layout.centres[s][0], layout.centres[t][0]) for s, t in [(0, 4), (1, 3), (0, 5)]
    )
    assert [t for _, t in heads] == sorted(t for _, t in heads)


def test_a_cycle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        lay_out([(10, 10)] * 3, [(0, 1), (1, 2), (2, 1)])


def test_nothing_has_no_size() -> None:
    assert lay_out([], []) == Layout((), (), 0, 0)


@given(
    st.lists(st.tuples(st.floats(-500, 500), st.floats(0.5, 9)), min_size=1, max_size=12),
    st.floats(0, 40),
)
def test_ports_keep_order_and_distance(wanted: list[tuple[float, float]], apart: float) -> None:
    places = sorted(place for place, _ in wanted)
    found = spread(places, [weight for _, weight in wanted], apart)
    for left, right in pairwise(found):
        assert right - left >= apart - 1e-6
    if all(b - a >= apart for a, b in pairwise(places)):
        assert found == pytest.approx(places)
