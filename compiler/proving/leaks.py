"""Scopes whose else may run while an effect of their body stands: those that break R502."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ...runtime.plan import Scope
from .graph import Graph, Marks
from .spots import Frame, Spot


def leaky(graph: Graph, fallibles: Marks, pivots: Iterable[Spot]) -> frozenset[int]:
    """Gives the indices of the scopes in whose body something can fail behind a pivot.

    Inner scopes come first: whether body and else of one exclude each other is known when what is
    around it is asked. Takes for each pivot a few logarithms for each catch around it.
    """
    inside: dict[Frame, list[Spot]] = {}
    for spot in pivots:
        for frame in spot.frame.around():
            if frame.goes_on and frame.owner is not None:
                inside.setdefault(frame, []).append(spot)
    broken: set[Frame] = set()
    found: set[int] = set()
    asking = replace(graph, leaky=found)
    for frame, spots in sorted(inside.items(), key=lambda each: -each[0].start):
        if frame in broken or any(asking.open(fallibles, s, within=frame).count for s in spots):
            broken.update(frame.around())
            if frame.owner is not None and isinstance(frame.owner.node, Scope):
                found.add(frame.owner.index)
    return frozenset(found)
