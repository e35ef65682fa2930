"""The pivot barrier: for each step that nothing takes back, what can still fail then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...runtime.plan import Step, Tool
from .failures import pivot
from .spots import Spot
from .view import View


@dataclass(frozen=True, slots=True)
class Breach:
    """A pivot, the first fallible statements that need not have settled before, their number."""

    spot: Spot
    step: Step
    tool: Tool
    open: tuple[Spot, ...]
    count: int


def breaches(view: View, few: int) -> Iterator[Breach]:
    """Gives each pivot p for which some fallible f has neither f ≺ p nor excl(f, p), and f ≠ p.

    For every statement so far the scope that catches f is the saga, which encloses p.
    """
    for spot, step, tool in view.steps:
        if pivot(step, tool):
            found = view.graph.open(view.fallibles, spot, few)
            if found.count:
                yield Breach(spot, step, tool, found.first, found.count)
