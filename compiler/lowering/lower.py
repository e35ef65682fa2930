"""Lowering: each clean saga of the main file becomes its plan, with all that it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from msgspec import Struct

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
from .lowertools import Lowering, Toolbox, documentation


class Tables(TypedDict):
    """The tables of a plan: each sorted by name."""

    tools: tuple[plan.Tool, ...]
    records: tuple[plan.Record, ...]
    enums: tuple[plan.Enum, ...]


@dataclass(frozen=True, slots=True)
class Lowered:
    """The plans of a main file's clean sagas, by name; `idle` holds the tools that none reaches.

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
    tools = Toolbox(annotated)
    plans = {
        declared.node.name.text: _saga(annotated, declared, tools)
        for declared in clean
        if isinstance(declared.node, n.Saga)
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
    reached = _reached(first, tools)
    return plan.Plan(
        format=plan.FORMAT,
        edition=_edition(annotated),
        saga="",
        parameters=(),
        result=NONE,
        body=(),
        **_tables(annotated, reached),
    )


def _saga(annotated: Annotated, declared: Declared, tools: Toolbox) -> plan.Plan:
    node = declared.node
    assert isinstance(node, n.Saga)
    lowering = Lowering(annotated, declared.module)
    body = Body(lowering, tools, node)
    statements = body.block(node.body.statements)
    deadline = next(iter(of(node.body.statements, n.Deadline)), None)
    runbook = next(iter(of(node.body.statements, n.Runbook)), None)
    parameters = annotated.parameters[declared.plan_name]
    reached = _reached(body.called(), tools)
    result = annotated.results[declared.plan_name]
    return plan.Plan(
        format=plan.FORMAT,
        edition=_edition(annotated),
        saga=node.name.text,
        parameters=parameters,
        result=result,
        body=statements,
        **_tables(annotated, reached, parameters, result, statements),
        deadline=None if deadline is None else deadline.duration.milliseconds,
        runbook="" if runbook is None else runbook.text.value,
        promises=tuple(body.promise(each) for each in of(node.body.statements, n.Promise)),
        at=lowering.at(node.name),
        doc=documentation(node),
    )


def _edition(annotated: Annotated) -> int:
    loaded = annotated.resolved.loaded
    editions = of(loaded.modules[loaded.root].module.declarations, n.Edition)
    return editions[0].year if editions else 2026


def _reached(first: Iterable[str], tools: Toolbox) -> dict[str, plan.Tool]:
    """Gives the tools that a saga calls, and those that these call in their clauses."""
    found: dict[str, plan.Tool] = {}
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = tools.tool(name)
            waiting += called_by(found[name])
    return found


def _tables(annotated: Annotated, reached: Mapping[str, plan.Tool], *parts: object) -> Tables:
    """Gives tools with the records and enums that they and other parts of a plan name."""
    catalogue = annotated.resolved.catalogue
    tools = tuple(reached[name] for name in sorted(reached))
    used = [catalogue.plan_names[name] for name in _types_used(annotated, tools, *parts)]
    return Tables(
        tools=tools,
        records=tuple(lowertools.record(annotated, d) for d in used if d.noun == "record"),
        enums=tuple(lowertools.enum(annotated, d) for d in used if d.noun == "enum"),
    )


def called_by(tool: plan.Tool) -> set[str]:
    """Gives the tools that the clauses of a tool call."""
    found = {remember.tool for remember in tool.remember}
    found |= {undo.tool for undo in tool.undos}
    found |= {undo.verify.tool for undo in tool.undos if undo.verify is not None}
    if tool.verify is not None:
        found.add(tool.verify.tool)
    for effect in tool.effects:
        if effect.corrective is not None and effect.corrective.tool:
            found.add(effect.corrective.tool)
    return found


def _types_used(annotated: Annotated, *parts: object) -> list[str]:
    """Gives the names of the records and enums in parts of a plan, fields of records included."""
    found: set[str] = set()
    waiting = list(parts)
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
        if name and name not in found:
            found.add(name)
            waiting.append(annotated.parameters[name])
        if isinstance(part, Struct):
            waiting += [getattr(part, field) for field in part.__struct_fields__]
        elif isinstance(part, tuple):
            waiting += part
    return sorted(found)
