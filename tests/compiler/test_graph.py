"""What the graph says of order is what every run shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, note, settings, strategies as st

from sagalang.compiler.proving.graph import closure, graph
from sagalang.compiler.proving.spots import Spot
from sagalang.runtime.plan import Parallel, Plan

from .handmade import checkpoint, either, parallel, plan
from .runs import Now, Place, Runs
from .shapes_of_plans import braids, plans, told


class Played:
    """A plan with every state in which a statement can be called."""

    def __init__(self, given: Plan) -> None:
        self.graph = graph(given)
        self.runs = Runs(given)
        by_node = {id(node): place for place, node in self.runs.nodes.items()}
        self.spots = [s for s in self.graph.spots if not isinstance(s.node, Parallel)]
        self.places = {spot: by_node[id(spot.node)] for spot in self.spots}
        self.called: dict[Place, list[Now]] = {}
        for now in self.runs.states():
            for place in self.runs.callable(now, given.body, ()):
                self.called.setdefault(place, []).append(now)

    def pairs(self) -> Iterator[tuple[Spot, Spot]]:
        """Pairs of statements of which some run has the second."""
        for a, b in product(self.spots, self.spots):
            if a is not b and self.places[b] in self.called:
                yield a, b

    def settled(self, now: Now, spot: Spot) -> bool:
        """An `if` has settled, as far as its condition goes, when a branch was taken."""
        place = self.places[spot]
        return place in now.settled or self.runs.branch(now, place) is not None

    def passed(self, now: Now, spot: Spot) -> bool:
        return self.runs.passed(now, self.places[spot])


@settings(max_examples=60)
@given(plans() | braids())
def test_what_excludes_each_other_is_in_no_run_together(given: Plan) -> None:
    note(told(given))
    played = Played(given)
    for a, b in played.pairs():
        if played.graph.excl(a, b):
            assert all(played.passed(now, a) for now in played.called[played.places[b]])


@settings(max_examples=60)
@given(plans() | braids())
def test_what_precedes_has_settled_whenever_the_other_is_called(given: Plan) -> None:
    note(told(given))
    played = Played(given)
    for a, b in played.pairs():
        if played.graph.excl(a, b):
            continue
        always = all(
            played.settled(now, a) or played.passed(now, a)
            for now in played.called[played.places[b]]
        )
        assert played.graph.precedes(a, b) == always, (a.path, b.path)


@settings(max_examples=60)
@given(plans() | braids(), st.sets(st.integers(0, 20)), st.integers(1, 3))
def test_open_are_the_marked_that_neither_precede_nor_exclude(
    given: Plan, chosen: set[int], few: int
) -> None:
    order = graph(given)
    marks = order.mark(lambda spot: spot.index in chosen)
    for at in order.spots:
        if isinstance(at.node, Parallel):
            continue
        expected = [
            spot
            for spot in order.spots
            if spot.index in chosen
            and spot is not at
            and not order.precedes(spot, at)
            and not order.excl(spot, at)
        ]
        found = order.open(marks, at, few)
        assert (list(found.first), found.count) == (expected[:few], len(expected))


@settings(max_examples=60)
@given(plans() | braids(), st.sets(st.integers(0, 20)))
def test_certain_is_what_every_run_has_done(given: Plan, chosen: set[int]) -> None:
    note(told(given))
    played = Played(given)
    among = [spot for spot in played.spots if spot.index in chosen]
    for at in played.spots:
        states = played.called.get(played.places[at], [])
        if states and played.graph.certain(at, among):
            for now in states:
                assert any(played.settled(now, spot) for spot in among), at.path


def test_both_branches_make_it_certain_and_one_does_not() -> None:
    """What stands in each branch, under one path or two, has been done behind the `if`."""
    both = graph(plan(either(1, (checkpoint("a"),), (checkpoint("b"),)), checkpoint("c")))
    a, b, c = (both.named(path)[0] for path in "abc")
    assert both.certain(c, [a, b])
    assert not both.certain(c, [a])
    one = graph(plan(either(1, (checkpoint("a"),)), checkpoint("c")))
    assert not one.certain(one.named("c")[0], one.named("a"))
    assert one.precedes(one.named("a")[0], one.named("c")[0])


def test_long_sagas_cost_what_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of `parallel` nothing but two numbers is compared."""
    long = graph(plan(*(checkpoint(f"c{n}") for n in range(2_000))))
    monkeypatch.setattr("sagalang.compiler.proving.graph.settled_before", None)
    marks = long.mark(lambda spot: spot.index % 2 == 0)
    assert [long.open(marks, spot).count for spot in long.spots[:4]] == [999, 999, 998, 998]
    wide = graph(plan(parallel(1, *(checkpoint(f"c{n}") for n in range(3)))))
    with pytest.raises(TypeError):
        wide.precedes(wide.spots[1], wide.spots[2])


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    size = draw(st.integers(1, 7))
    node = st.integers(0, size - 1)
    weights = draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size))
    needs = draw(st.lists(st.tuples(node, node), max_size=10))
    return weights, needs, draw(st.lists(node, max_size=1))


@settings(max_examples=150)
@given(networks())
def test_a_closure_is_the_lightest_and_of_those_the_smallest(
    network: tuple[list[int], list[tuple[int, int]], list[int]],
) -> None:
    weights, needs, never = network
    sets = [
        {node for node in range(len(weights)) if mask >> node & 1}
        for mask in range(1 << len(weights))
    ]
    closed = [
        each
        for each in sets
        if not each & set(never) and all(b in each for a, b in needs if a in each)
    ]
    found = closure(weights, needs, never)
    least = min(sum(weights[node] for node in each) for each in closed)
    lightest = [each for each in closed if sum(weights[node] for node in each) == least]
    assert found in lightest
    assert all(found <= each for each in lightest)
