"""Layered layout of a directed acyclic graph: where boxes stand and how edges run between them.

The method is that of Sugiyama, Tagawa and Toda (1981): layers by longest path, bends for edges that
skip layers, few crossings by sweeps over the layers, then straight lines by the method of Brandes
and Köpf. It is deterministic, and where the order written crosses no edges that order is kept, so
that a picture changes as little as its saga does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .layout_order import arrange
from .layout_place import place
from .layout_ports import ports

Point = tuple[float, float]


class Spacing(NamedTuple):
    """Distances in pixels: between boxes of a layer, between layers, and the width of a bend."""

    beside: int = 28
    between: int = 44
    bend: int = 12


USUAL = Spacing()


class Layout(NamedTuple):
    """Centres of the boxes, per edge its points from box to box, and the size of the whole.

    The points of an edge are pairs: it runs straight down within each pair, and from pair to pair
    through the gap between two layers, where no box stands.
    """

    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


class Graph(NamedTuple):
    """A graph in layers: boxes come first, then bends; a chain leads an edge through its bends."""

    layers: list[list[int]]
    chains: list[list[int]]
    widths: list[float]
    ranks: list[int]


def lay_out(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    spacing: Spacing = USUAL,
) -> Layout:
    """Lays out boxes of some width and height, and edges between them, from top to bottom.

    Raises ValueError when the edges have a cycle. No edge may stand twice.
    """
    if not sizes:
        return Layout((), (), 0, 0)
    graph = split(sizes, edges, rank(len(sizes), edges), spacing.bend)
    layers = arrange(graph.layers, graph.chains)
    xs = place(layers, graph.chains, graph.widths, len(sizes), spacing.beside)
    tops: list[float] = []
    heights: list[float] = []
    top = 0.0
    for layer in layers:
        height = max((sizes[item][1] for item in layer if item < len(sizes)), default=0.0)
        tops.append(top)
        heights.append(height)
        top += height + spacing.between
    centres = [
        (xs[b], tops[graph.ranks[b]] + heights[graph.ranks[b]] / 2) for b in range(len(sizes))
    ]
    ends = ports(sizes, edges, graph.chains, xs)
    routes: list[tuple[Point, ...]] = []
    for chain, (first, last) in zip(graph.chains, ends, strict=True):
        source, target = chain[0], chain[-1]
        rank_of = graph.ranks[source]
        points = [
            (first, centres[source][1] + sizes[source][1] / 2),
            (first, tops[rank_of] + heights[rank_of]),
        ]
        for bend in chain[1:-1]:
            at = graph.ranks[bend]
            points += [(xs[bend], tops[at]), (xs[bend], tops[at] + heights[at])]
        at = graph.ranks[target]
        points += [(last, tops[at]), (last, centres[target][1] - sizes[target][1] / 2)]
        routes.append(tuple(points))
    width = max(x + w / 2 for x, w in zip(xs, graph.widths, strict=True))
    return Layout(tuple(centres), tuple(routes), width, top - spacing.between)


def rank(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Gives the layer of each box: one more than the lowest of those before it."""
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        after[source].append(target)
        missing[target] += 1
    ranks = [0] * count
    ready = [box for box in range(count) if not missing[box]]
    for box in ready:
        for target in after[box]:
            ranks[target] = max(ranks[target], ranks[box] + 1)
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    if len(ready) < count:
        raise ValueError("the edges have a cycle")
    return ranks


def split(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    ranks: Sequence[int],
    bend: float,
) -> Graph:
    """Puts a bend into each layer that an edge passes."""
    widths = [float(width) for width, _ in sizes]
    levels = list(ranks)
    layers: list[list[int]] = [[] for _ in range(max(ranks) + 1)]
    for box, level in enumerate(ranks):
        layers[level].append(box)
    chains: list[list[int]] = []
    for source, target in edges:
        chain = [source]
        for level in range(ranks[source] + 1, ranks[target]):
            chain.append(len(widths))
            layers[level].append(len(widths))
            widths.append(bend)
            levels.append(level)
        chains.append([*chain, target])
    return Graph(layers, chains, widths, levels)
