"""What every check and proof looks at: one plan with its graph, its tables and its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..dsl.source import Source
from ..dsl.span import Span
from ..runtime.formula import Place, Type
from ..runtime.plan import Effect, Gate, Let, Plan, Record, Step, Tool, statements
from .graph import Graph, graph
from .spots import Spot


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One saga as checks see it, made by `view`.

    `types` are those of the saga's own names; `sources` are by the names that places carry.
    """

    plan: Plan
    graph: Graph
    tools: Mapping[str, Tool]
    records: Mapping[str, Record]
    types: Mapping[str, Type]
    sources: Mapping[str, Source]

    @property
    def steps(self) -> tuple[tuple[Spot, Step, Tool], ...]:
        """Every step with its spot and its tool, in the order written."""
        return tuple(
            (spot, spot.node, self.tools[spot.node.tool])
            for spot in self.graph.spots
            if isinstance(spot.node, Step)
        )


def view(plan: Plan, sources: Mapping[str, Source] | None = None) -> View:
    """Makes the view of a plan; without sources there are no fixes."""
    types = {parameter.name: parameter.type for parameter in plan.parameters}
    for node in statements(plan.body):
        match node:
            case Step(name=name, type=given):
                types[name] = given
            case Let(name=name, value=value):
                types[name] = value.type
            case Gate(name=name):
                types[name] = Type("record", name="")
            case _:
                pass
    return View(
        plan,
        graph(plan),
        {tool.name: tool for tool in plan.tools},
        {record.name: record for record in plan.records},
        types,
        sources or {},
    )


def undoable(effect: Effect) -> bool:
    """True for an effect that an undo is there for."""
    return effect.effect_class in ("reversible", "compensatable")


def span(place: Place) -> Span:
    """Gives a place as diagnostics hold it."""
    return Span(place.file, place.start, place.end)
