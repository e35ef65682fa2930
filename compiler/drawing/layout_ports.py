"""Where edges leave and meet boxes: side by side, in order, straight where they nearly are."""

from __future__ import annotations

from collections.abc import Sequence

PORT = 18
"""How far apart edges of one box leave and meet it, where there is room."""
MARGIN = 14
"""How far from the corners of a box edges stay."""


def ports(
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
    for index, (want, weight) in enumerate(zip(wanted, weights, strict=True)):
        mean, mass, count = want - index * apart, weight, 1
        while pools and pools[-1][0] > mean:
            other, more, many = pools.pop()
            mean = (mean * mass + other * more) / (mass + more)
            mass, count = mass + more, count + many
        pools.append((mean, mass, count))
    places: list[float] = []
    for mean, _, count in pools:
        places += [mean + (len(places) + index) * apart for index in range(count)]
    return places
