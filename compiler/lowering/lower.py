"""Lowering: each clean saga of the main file becomes its plan, with all that it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from msgspec import Struct
from msgspec.structs import astuple

from ...dsl import nodes as n
from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import of
from ...runtime import plan
from ...runtime.formula import Place, RecordOf, Type
from ...runtime.scenario import Scenario
from ..names.catalogue import Declared
from ..typing.annotations import Annotated
from ..typing.types import NONE
from . import lowertools
from .lowerscenarios import scenarios
from .lowerstatements import Body
from .lowertools import documentation
from .lowerundosagas import undo_saga
from .toolbox import Reached, Toolbox, agents, calls


class Tables(TypedDict):
    """The tables of a plan: each sorted by name."""

    tools: tuple[plan.Tool, ...]
    undo_sagas: tuple[plan.UndoSaga, ...]
    agents: tuple[plan.Agent, ...]
    records: tuple[plan.Record, ...]
    enums: tuple[plan.Enum, ...]


class Lowered(Struct, frozen=True):
    """The plans of a main file's clean sagas, by name; `idle` holds the tools that none reaches.

    A saga that takes back only has no plan of its own: it is in those of the undos that name it.
    `idle` is a plan without statements: what can be said of a tool by itself is said of these too.
    `scenarios` are the main file's clean ones, in the order written.
    """

    plans: Mapping[str, plan.Plan]
    scenarios: tuple[Scenario, ...]
    idle: plan.Plan | None


def lower(
    annotated: Annotated, clean: Sequence[Declared], diagnostics: Iterable[Diagnostic]
) -> Lowered:
    """Lowers the sagas, tools and scenarios that resolving and typing found nothing wrong with."""
    tools = Toolbox(annotated, undo_saga)
    taking_back = annotated.resolved.undo_sagas
    plans = {
        declared.node.name.text: _saga(annotated, declared, tools)
        for declared in clean
        if isinstance(declared.node, n.Saga) and not taking_back.take_back_only(declared)
    }
    known = dict(plans)

    def plan_of(declared: Declared) -> plan.Plan:
        # A scenario may be for a saga of another file, which has no plan among these.
        if declared.plan_name not in known:
            known[declared.plan_name] = _saga(annotated, declared, tools)
        return known[declared.plan_name]

    played = scenarios(annotated, diagnostics, plan_of)
    reached = {tool.name for made in plans.values() for tool in made.tools}
    idle = [d.plan_name for d in clean if d.noun == "tool" and d.plan_name not in reached]
    return Lowered(plans, played, _idle(annotated, idle, tools) if idle else None)


def _idle(annotated: Annotated, first: Iterable[str], tools: Toolbox) -> plan.Plan:
    return plan.Plan(
        format=plan.FORMAT,
        edition=_edition(annotated),
        saga="",
        parameters=(),
        result=NONE,
        body=(),
        **_tables(annotated, tools.reached(first), ()),
    )


def _saga(annotated: Annotated, declared: Declared, tools: Toolbox) -> plan.Plan:
    body = Body(annotated, tools, declared)
    statements, on_rollback = body.statements(), body.on_rollback()
    every = (*statements, *on_rollback)
    used = tuple(tools.agent(name) for name in sorted(agents(every)))
    first = {*calls(every), *(each.tool for agent in used for each in agent.uses)}
    parameters = annotated.parameters[declared.plan_name]
    result = annotated.results[declared.plan_name]
    parts = (parameters, result, every)
    return plan.Plan(
        format=plan.FORMAT,
        edition=_edition(annotated),
        saga=declared.node.name.text,
        parameters=parameters,
        result=result,
        body=statements,
        **_tables(annotated, tools.reached(first), used, *parts),
        deadline=body.deadline(),
        runbook=body.runbook(),
        promises=body.promises(),
        guards=body.guards(),
        on_rollback=on_rollback,
        at=annotated.places.place(declared.node.name.span),
        doc=documentation(declared.node),
    )


def _edition(annotated: Annotated) -> int:
    loaded = annotated.resolved.loaded
    editions = of(loaded.modules[loaded.root].module.declarations, n.Edition)
    return editions[0].year if editions else 2026


def _tables(
    annotated: Annotated,
    reached: Reached,
    agents: tuple[plan.Agent, ...],
    *parts: object,
) -> Tables:
    """Gives tools and agents with the records and enums that they and other parts name."""
    catalogue = annotated.resolved.catalogue
    told = (reached.tools, reached.undo_sagas, agents, *parts)
    used = [catalogue.plan_names[name] for name in _types_used(annotated, *told)]
    return Tables(
        tools=reached.tools,
        undo_sagas=reached.undo_sagas,
        agents=agents,
        records=tuple(lowertools.record(annotated, d) for d in used if d.noun == "record"),
        enums=tuple(lowertools.enum(annotated, d) for d in used if d.noun == "enum"),
    )


def _types_used(annotated: Annotated, *parts: object) -> list[str]:
    """Gives the names of the records and enums in parts of a plan, fields of records included."""
    found: set[str] = set()
    waiting = list(parts)
    # Steps share what they take over from their tools: it is looked at once.
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        name = ""
        match part:
            case Place():
                continue
            case Type(name=name):
                pass
            case RecordOf(record=name):
                pass
            case _:
                pass
        # The record that a scope is outside is told by the scope itself.
        if name and name not in found and name not in annotated.scopes:
            found.add(name)
            waiting.append(annotated.parameters[name])
        if isinstance(part, Struct) and id(part) not in seen:
            seen.add(id(part))
            waiting += astuple(part)
        elif isinstance(part, tuple):
            waiting += part
    return sorted(found)
