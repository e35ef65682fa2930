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

Point = tuple[float, float]

PORT = 18
"""How far apart edges of one box leave and meet it, where there is room."""
MARGIN = 14
"""How far from the corners of a box edges stay."""


class Spacing(NamedTuple):
    """Distances in pixels: between boxes of a layer, between layers, and the width of a bend."""

    beside: int = 28
    between: int = 44
    bend: int = 12


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
    """A graph in layers: boxes come first, then bends; each chain leads an edge through its bends."""

    layers: list[list[int]]
    chains: list[list[int]]
    widths: list[float]
    ranks: list[int]


def lay_out(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    spacing: Spacing = Spacing(),
) -> Layout:
    """Lays out boxes of some width and height, and edges between them, from top to bottom.

    Raises ValueError when the edges have a cycle. No edge may stand twice.
    """
    if not sizes:
        return Layout((), (), 0, 0)
    graph = split(sizes, edges, rank(len(sizes), edges), spacing.bend)
    layers = arrange(graph.layers, graph.chains)
    xs = place(layers, graph.chains, graph.widths, len(sizes), spacing.beside)
    tops, heights, top = [], [], 0.0
    for layer in layers:
        height = max((sizes[item][1] for item in layer if item < len(sizes)), default=0)
        tops.append(top)
        heights.append(height)
        top += height + spacing.between
    centres = [(xs[b], tops[graph.ranks[b]] + heights[graph.ranks[b]] / 2) for b in range(len(sizes))]
    ports = _ports(sizes, edges, graph.chains, xs)
    routes = []
    for chain, (first, last) in zip(graph.chains, ports, strict=True):
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
    chains = []
    for source, target in edges:
        chain = [source]
        for level in range(ranks[source] + 1, ranks[target]):
            chain.append(len(widths))
            layers[level].append(len(widths))
            widths.append(bend)
            levels.append(level)
        chains.append([*chain, target])
    return Graph(layers, chains, widths, levels)


def _ports(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    chains: Sequence[Sequence[int]],
    xs: Sequence[float],
) -> list[tuple[float, float]]:
    """Gives where each edge leaves its first box and meets its last: side by side, never crossing.

    An edge that can run straight down does; the others stay near the middle.
    """
    ends: list[list[float]] = []
    straight: list[tuple[bool, bool]] = []
    for (source, target), chain in zip(edges, chains, strict=True):
        first, last = (_facing(xs, sizes, source, chain[1]), _facing(xs, sizes, target, chain[-2]))
        ends.append([xs[source] if first is None else first, xs[target] if last is None else last])
        straight.append((first is not None, last is not None))
    for side in (0, 1):
        groups: dict[int, list[tuple[float, int]]] = {}
        for edge, chain in enumerate(chains):
            beyond = xs[chain[1] if side == 0 else chain[-2]]
            groups.setdefault(edges[edge][side], []).append((beyond, edge))
        for box, group in groups.items():
            ranked = [edge for _, edge in sorted(group)]
            apart = min(PORT, (sizes[box][0] - 2 * MARGIN) / max(1, len(group) - 1))
            wanted = [ends[edge][side] for edge in ranked]
            weights = [1e6 if straight[edge][side] else 1.0 for edge in ranked]
            for edge, x in zip(ranked, spread(wanted, weights, max(apart, 0.0)), strict=True):
                ends[edge][side] = x
    return [(first, last) for first, last in ends]


def _facing(
    xs: Sequence[float], sizes: Sequence[tuple[float, float]], box: int, other: int
) -> float | None:
    """Gives the column in which an edge runs straight between a box and its next box or bend.

    None where their middles are too far apart: a bow to the middle reads better than a line to a
    corner. Both ends of an edge get the same answer.
    """
    first, last = sorted((box, other))
    room = min(sizes[item][0] for item in (first, last) if item < len(sizes)) / 2 - MARGIN
    near = abs(xs[first] - xs[last]) <= min(PORT, room)
    return (xs[last] if last >= len(sizes) else xs[first]) if near else None


def spread(wanted: Sequence[float], weights: Sequence[float], apart: float) -> list[float]:
    """Gives the places nearest to those wanted that keep their order and a distance.

    Least squares by pooling neighbours that are too near to each other (Ayer and others, 1955).
    """
    pools: list[tuple[float, float, int]] = []
    for index, (place, weight) in enumerate(zip(wanted, weights, strict=True)):
        mean, mass, count = place - index * apart, weight, 1
        while pools and pools[-1][0] > mean:
            other, more, many = pools.pop()
            mean = (mean * mass + other * more) / (mass + more)
            mass, count = mass + more, count + many
        pools.append((mean, mass, count))
    places: list[float] = []
    for mean, _, count in pools:
        places += [mean + (len(places) + index) * apart for index in range(count)]
    return places
