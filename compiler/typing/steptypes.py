"""Steps typed: the call, its conditions, and the clauses that replace those of the tool."""

from __future__ import annotations

from ...dsl.nodes import (
    AcceptIrreversible,
    Expecting,
    Name,
    Overrides,
    Step,
    Undo,
    Until,
    Verify,
    When,
    of,
)
from ...runtime.formula import Type
from ..names.catalogue import spelled
from .environment import Environment
from .narrowing import proved
from .nofield import unknown_field
from .tooltypes import Clauses
from .types import JSON, STR, UNKNOWN, present, shown


def step(clauses: Clauses, node: Step, env: Environment) -> None:
    """Types a step."""
    for when in of(node.clauses, When):
        clauses.condition(when.condition, env, "when")
        env = env.knowing(proved(when.condition))
    answer = clauses.call_of(clauses.callee(node.call), node.call, env)
    for clause in node.clauses:
        match clause:
            case Until(condition=condition):
                clauses.condition(condition, env.plus(it=present(answer)), "until")
            case Expecting(call=read, fields=fields):
                _fields(clauses, clauses.call(read, env), fields)
            case AcceptIrreversible(reason=reason):
                clauses.text(reason, env)
            case Overrides():
                _overrides(clauses, node, clause, env, answer)
            case _:
                pass


def _overrides(
    clauses: Clauses, node: Step, overrides: Overrides, env: Environment, answer: Type
) -> None:
    declared = clauses.callee(node.call)
    arguments = clauses.interfaces.fields(declared) if declared else dict[str, Type]()
    given = Environment(env.lookup, {**env.local, "key": STR, "args": JSON}, env.there, arguments)
    for clause in overrides.clauses:
        match clause:
            # At a call of an agent or a saga a verify was told by `resolve`.
            case Verify() if clauses.tool(node.call) is not None:
                clauses.verify(clause, given, answer, spelled(node.name))
            case Undo():
                clauses.undo(clause, given.plus(result=answer))
            case _:
                pass


def _fields(clauses: Clauses, given: Type, fields: tuple[Name, ...]) -> None:
    for field in fields:
        declared = clauses.interfaces.catalogue.of_type(present(given))
        if present(given) in (JSON, UNKNOWN):
            return
        known = clauses.interfaces.fields(declared) if declared else dict[str, Type]()
        if field.text not in known:
            missing = unknown_field(field, known, shown(present(given)), declared)
            clauses.inference.report(missing)
            return
        given = known[field.text]
