"""Positions within layers: straight lines where they can be, boxes over the middle of what follows.

The method is that of Brandes and Köpf (2001), with the compaction by a graph of blocks that dagre
uses, which does not have the error that the authors corrected in 2020: four layouts, each pushed
into one corner, and for each box the middle of the four.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Layers = list[list[int]]


def place(
    layers: Layers,
    chains: Sequence[Sequence[int]],
    widths: Sequence[float],
    boxes: int,
    gap: float,
) -> list[float]:
    """Gives the horizontal centre of each item, from 0 on; items from `boxes` on are bends."""
    above: list[list[int]] = [[] for _ in widths]
    below: list[list[int]] = [[] for _ in widths]
    for chain in chains:
        for upper, lower in pairwise(chain):
            below[upper].append(lower)
            above[lower].append(upper)
    crossed = _conflicts(layers, above, boxes)
    layouts: list[list[float]] = []
    for downwards in (True, False):
        for leftmost in (True, False):
            turned = layers if downwards else layers[::-1]
            turned = turned if leftmost else [layer[::-1] for layer in turned]
            roots = _align(turned, above if downwards else below, crossed)
            xs = _compact(turned, roots, widths, gap)
            layouts.append(xs if leftmost else [-x for x in xs])
    return _balance(layouts, widths)


def _conflicts(layers: Layers, above: list[list[int]], boxes: int) -> set[tuple[int, int]]:
    """Finds the segments that cross an inner segment of a long edge: these must not be straight."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(layers):
        at = {item: index for index, item in enumerate(upper)}
        low, begin = 0, 0
        for index, item in enumerate(lower):
            inner = next((n for n in above[item] if n >= boxes and item >= boxes), None)
            if inner is None and index < len(lower) - 1:
                continue
            high = len(upper) - 1 if inner is None else at[inner]
            for other in lower[begin : index + 1]:
                for end in above[other]:
                    if not low <= at[end] <= high and not (end >= boxes and other >= boxes):
                        found.add((end, other))
            begin, low = index + 1, high
    return found


def _align(layers: Layers, before: list[list[int]], crossed: set[tuple[int, int]]) -> list[int]:
    """Joins items to blocks that stand in one line; gives each item the first one of its block."""
    count = len(before)
    roots = list(range(count))
    at = [0] * count
    for layer in layers:
        for index, item in enumerate(layer):
            at[item] = index
    for layer in layers:
        last = -1
        for item in layer:
            ends = sorted(before[item], key=at.__getitem__)
            for middle in sorted({(len(ends) - 1) // 2, len(ends) // 2} if ends else ()):
                end = ends[middle]
                straight = (end, item) not in crossed and (item, end) not in crossed
                if roots[item] == item and last < at[end] and straight:
                    roots[item] = roots[end]
                    last = at[end]
    return roots


def _compact(layers: Layers, roots: list[int], widths: Sequence[float], gap: float) -> list[float]:
    """Gives each block the least position right of its neighbours, then closes gaps."""
    after: dict[int, dict[int, float]] = {}
    missing: dict[int, int] = {}
    for layer in layers:
        for item in layer:
            after.setdefault(roots[item], {})
            missing.setdefault(roots[item], 0)
        for left, right in pairwise(layer):
            apart = (widths[left] + widths[right]) / 2 + gap
            ends = after[roots[left]]
            if roots[right] not in ends:
                missing[roots[right]] += 1
            ends[roots[right]] = max(ends.get(roots[right], 0.0), apart)
    xs = dict.fromkeys(after, 0.0)
    order = [block for block in after if not missing[block]]
    for block in order:
        for end, apart in after[block].items():
            xs[end] = max(xs[end], xs[block] + apart)
            missing[end] -= 1
            if not missing[end]:
                order.append(end)
    for block in reversed(order):
        if after[block]:
            xs[block] = min(xs[end] - apart for end, apart in after[block].items())
    return [xs.get(root, 0.0) for root in roots]


def _balance(layouts: list[list[float]], widths: Sequence[float]) -> list[float]:
    """Takes the middle of the four layouts, laid over the narrowest one, and begins it at 0."""
    spans = [
        (
            min(x - w / 2 for x, w in zip(xs, widths, strict=True)),
            max(x + w / 2 for x, w in zip(xs, widths, strict=True)),
        )
        for xs in layouts
    ]
    low, high = min(spans, key=lambda span: span[1] - span[0])
    shifts = [
        low - span[0] if index % 2 == 0 else high - span[1] for index, span in enumerate(spans)
    ]
    middles: list[float] = []
    for xs in zip(*layouts, strict=True):
        shifted = sorted(x + shift for x, shift in zip(xs, shifts, strict=True))
        middles.append((shifted[1] + shifted[2]) / 2)
    begin = min(x - w / 2 for x, w in zip(middles, widths, strict=True))
    return [x - begin for x in middles]
