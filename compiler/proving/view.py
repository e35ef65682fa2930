"""What every check and proof looks at: one plan with its tables, its graph and its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ...dsl.parser import Parsed
from ...dsl.span import Span
from ...runtime.formula import Place
from ...runtime.plan import Plan, Requires, Step, Tool
from .failures import certain, fallible, pivot
from .graph import Graph, Marks, graph
from .spots import Spot
from .tables import Tables, tables, undoable


@dataclass(frozen=True, eq=False)
class View(Tables):
    """One saga as checks see it, made by `view`; `texts` are by the files that places name."""

    plan: Plan
    graph: Graph
    texts: Mapping[str, Parsed]

    @cached_property
    def steps(self) -> tuple[tuple[Spot, Step, Tool], ...]:
        """Every step with its spot and its tool, in the order written."""
        return tuple(
            (spot, spot.node, self.tools[spot.node.tool])
            for spot in self.graph.spots
            if isinstance(spot.node, Step)
        )

    @cached_property
    def requires(self) -> tuple[tuple[Spot, Requires], ...]:
        """Every condition of the saga itself with its spot."""
        spots = self.graph.spots
        return tuple((spot, spot.node) for spot in spots if isinstance(spot.node, Requires))

    @cached_property
    def restorable(self) -> tuple[Spot, ...]:
        """The steps of every run that have landed when they have settled, and have undos."""
        return tuple(
            spot
            for spot, step, tool in self.steps
            if step.undos
            and certain(step)
            and not spot.branches
            and any(map(undoable, tool.effects))
        )

    @cached_property
    def failures(self) -> Mapping[int, str]:
        """How each fallible statement fails, by the index of its spot."""
        found = ((spot.index, fallible(self, spot.node)) for spot in self.graph.spots)
        return {index: said for index, said in found if said is not None}

    @cached_property
    def fallibles(self) -> Marks:
        """The fallible statements."""
        return self.graph.mark(lambda spot: spot.index in self.failures)

    @cached_property
    def bounded(self) -> Marks:
        """The calls at which a lapsed deadline fails the saga: no pivot is sure to be before."""
        if self.plan.deadline is None:
            return self.graph.mark(lambda spot: False)
        pivots = [spot for spot, step, tool in self.steps if pivot(step, tool) and certain(step)]
        return self.graph.mark(
            lambda spot: isinstance(spot.node, Step) and not self.graph.certain(spot, pivots)
        )

    def span(self, place: Place) -> Span:
        """Gives a place as diagnostics hold it."""
        text = self.texts.get(place.file)
        return Span(place.file if text is None else text.source.name, place.start, place.end)

    def text(self, place: Place) -> str:
        """Gives the text at a place, "" when it is not known."""
        text = self.texts.get(place.file)
        return "" if text is None else text.source.text[place.start : place.end]


def view(plan: Plan, texts: Mapping[str, Parsed] | None = None) -> View:
    """Makes the view of a plan; without its texts there are no fixes."""
    known = tables(plan)
    return View(known.tools, known.records, known.types, plan, graph(plan), texts or {})
