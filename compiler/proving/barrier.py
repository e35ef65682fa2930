"""The pivot barrier: for each step that nothing takes back, what can still fail then."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from ...runtime.plan import Step, Tool
from .failures import pivot
from .spots import Spot
from .view import View


class Breach(Struct, frozen=True):
    """A pivot, the first fallible statements that can fail when it has landed, their number."""

    spot: Spot
    step: Step
    tool: Tool
    open: tuple[Spot, ...]
    count: int


def breaches(view: View, few: int) -> Iterator[Breach]:
    """Gives each pivot p for which some fallible f is open, as `Graph.open` tells it.

    Takes for each pivot the logarithm of the number of fallibles, times the depth of bodies. Of an
    agent, which may call any of its tools, the first pivot is given.
    """
    for _, (first, *_) in groupby(_pivots(view), key=lambda each: each[0].index):
        spot, step, tool = first
        found = view.graph.open(view.fallibles, spot, few)
        if found.count:
            yield Breach(spot, step, tool, found.first, found.count)


def _pivots(view: View) -> Iterator[tuple[Spot, Step, Tool]]:
    return (each for each in view.steps if pivot(each[1], each[2]) and view.runs(each[0]))
