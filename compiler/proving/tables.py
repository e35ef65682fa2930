"""The tables of a plan: its tools, agents and records by name, the types of names in each body."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping

from msgspec import Struct

from ...runtime.formula import Formula, Type
from ...runtime.plan import (
    Agent,
    AgentCall,
    Each,
    Effect,
    First,
    Gate,
    Let,
    Node,
    Parameter,
    Plan,
    Record,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Tool,
    Wait,
    as_tool,
)
from .layout import Layout
from .partial import Types, reasons
from .spots import Frame, Spot

DECISION = Record(
    name="a gate's decision",
    fields=(
        Parameter(name="approved", type=Type("bool")),
        Parameter(name="by", type=Type("list", Type("str"))),
        Parameter(name="note", type=Type("str")),
    ),
)
"""The value of a gate; no record of a program has such a name."""


class Tables(Struct, frozen=True, eq=False, dict=True):
    """What names of one plan mean; `names` are the types of all names that a body sees.

    Among the `tools` are the sagas that undos name, as the tools that they are for these.
    """

    tools: Mapping[str, Tool]
    agents: Mapping[str, Agent]
    records: Mapping[str, Record]
    layout: Layout
    names: Mapping[Frame, Types]

    def types(self, spot: Spot) -> Types:
        """Gives the types of the names that a statement's own clauses see."""
        return self.names[spot.frame]

    def inner(self, spot: Spot) -> Types:
        """Gives the types of the names that the body of a loop, scope or call sees."""
        return self.names[self.layout.frames[spot.index, 0]]

    def partial(self, formula: Formula, types: Types) -> str | None:
        """Gives why an expression may have no value, None for a total one."""
        return next(reasons(formula.tree, types, self.records), None)


def tables(plan: Plan, layout: Layout) -> Tables:
    """Makes the tables of a plan, in time linear in it (times the depth of bodies)."""
    names: dict[Frame, ChainMap[str, Type]] = {}
    for (index, side), frame in layout.frames.items():
        own = {
            name: given
            for name, spots in layout.named.get(frame, {}).items()
            for given in (value_type(spot.node) for spot in spots)
            if given is not None
        }
        outer = names[frame.outer].maps if frame.outer is not None else []
        match frame.owner.node if frame.owner is not None else plan:
            case SagaCall() | Plan() if side == 1:
                outer = names[layout.frames[index, 0]].maps
            case SagaCall(parameters=parameters) | Plan(parameters=parameters):
                outer = [{parameter.name: parameter.type for parameter in parameters}]
            case Each() | First() | Repeat() as loop:
                own[loop.variable] = loop.item
            case _:
                pass
        names[frame] = ChainMap(own, *outer)
    scopes = (spot.node for spot in layout.moments if isinstance(spot.node, Scope))
    fields = [Record(name=scope.type.name, fields=scope.fields) for scope in scopes]
    tools = {tool.name: tool for tool in plan.tools}
    return Tables(
        {**tools, **{saga.name: as_tool(saga, tools) for saga in plan.undo_sagas}},
        {agent.name: agent for agent in plan.agents},
        {record.name: record for record in (*fields, *plan.records, DECISION)},
        layout,
        names,
    )


def value_type(node: Node) -> Type | None:
    """Gives the type of what a statement's name means, None for one that has no value."""
    match node:
        case Step(type=given) | SagaCall(type=given) | AgentCall(type=given) | Wait(type=given):
            return given
        case Each(type=given) | First(type=given) | Repeat(type=given) | Scope(type=given):
            return given
        case Let(value=value):
            return value.type
        case Gate():
            return Type("record", name=DECISION.name)
        case _:
            return None


def undoable(effect: Effect) -> bool:
    """True for an effect that an undo is there for."""
    return effect.effect_class in ("reversible", "compensatable")
