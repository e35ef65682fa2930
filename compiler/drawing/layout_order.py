"""The order of the boxes within their layers: as written, with few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise

SWEEPS = 12
"""Sweeps down and up; more than a dozen never helped in trials."""


def arrange(layers: Sequence[Sequence[int]], chains: Sequence[Sequence[int]]) -> list[list[int]]:
    """Gives the layers in an order that crosses few edges.

    `chains` are the edges: each goes down one layer at a time. An order without crossings that a
    walk from the top finds is taken as it is; else median and transpose sweeps look for a better
    one (Gansner and others, 1993).
    """
    below: dict[int, list[int]] = {item: [] for layer in layers for item in layer}
    above: dict[int, list[int]] = {item: [] for layer in layers for item in layer}
    for chain in chains:
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
    best = _walk(layers, below)
    fewest = crossings(best, below)
    current = best
    for sweep in range(SWEEPS):
        if not fewest:
            break
        current = _sweep(current, above if sweep % 2 == 0 else below, downwards=sweep % 2 == 0)
        _transpose(current, above, below)
        found = crossings(current, below)
        if found < fewest:
            best, fewest = [list(layer) for layer in current], found
    return best


def crossings(layers: Sequence[Sequence[int]], below: dict[int, list[int]]) -> int:
    """Counts the pairs of edges that cross."""
    total = 0
    for upper, lower in pairwise(layers):
        at = {item: index for index, item in enumerate(lower)}
        seen: list[int] = []
        for item in upper:
            ends = sorted(at[end] for end in below[item])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _walk(layers: Sequence[Sequence[int]], below: dict[int, list[int]]) -> list[list[int]]:
    """Orders each layer as a walk in depth meets its boxes, from the first box on."""
    at = {item: rank for rank, layer in enumerate(layers) for item in layer}
    order: list[list[int]] = [[] for _ in layers]
    seen: set[int] = set()
    for layer in layers:
        for start in layer:
            todo = [start]
            while todo:
                item = todo.pop()
                if item not in seen:
                    seen.add(item)
                    order[at[item]].append(item)
                    todo.extend(reversed(below[item]))
    return order


def _sweep(
    layers: list[list[int]], beside: dict[int, list[int]], *, downwards: bool
) -> list[list[int]]:
    """Sorts each layer by the medians of its neighbours in the layer before it."""
    done = [list(layer) for layer in layers]
    ranks = range(1, len(done)) if downwards else range(len(done) - 2, -1, -1)
    for rank in ranks:
        fixed = done[rank - 1 if downwards else rank + 1]
        at = {item: index for index, item in enumerate(fixed)}
        medians = {item: _median(sorted(at[n] for n in beside[item])) for item in done[rank]}
        # Items without neighbours keep their places; the others are sorted around them.
        movable = iter(sorted((i for i in done[rank] if medians[i] >= 0), key=medians.__getitem__))
        done[rank] = [item if medians[item] < 0 else next(movable) for item in done[rank]]
    return done


def _median(places: list[int]) -> float:
    if not places:
        return -1.0
    middle = len(places) // 2
    if len(places) % 2:
        return float(places[middle])
    if len(places) == 2:
        return (places[0] + places[1]) / 2
    left = places[middle - 1] - places[0]
    right = places[-1] - places[middle]
    if left + right == 0:
        return (places[middle - 1] + places[middle]) / 2
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _transpose(
    layers: list[list[int]], above: dict[int, list[int]], below: dict[int, list[int]]
) -> None:
    """Swaps neighbours wherever that saves crossings, until it saves none."""
    at = {item: index for layer in layers for index, item in enumerate(layer)}
    better = True
    while better:
        better = False
        for layer in layers:
            for index in range(len(layer) - 1):
                left, right = layer[index], layer[index + 1]
                saved = 0
                for beside in (above, below):
                    ls = [at[n] for n in beside[left]]
                    rs = [at[n] for n in beside[right]]
                    saved += sum((a > b) - (a < b) for a in ls for b in rs)
                if saved > 0:
                    layer[index], layer[index + 1] = right, left
                    at[left], at[right] = index + 1, index
                    better = True
