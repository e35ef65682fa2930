"""Statements in their places: where each may stand."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    Checkpoint,
    Deadline,
    Each,
    First,
    Gate,
    Guard,
    If,
    Let,
    Next,
    Node,
    OnFailure,
    OnRollback,
    Parallel,
    Promise,
    Repeat,
    Requires,
    Return,
    Runbook,
    Saga,
    Scope,
    Sleep,
    Statement,
    Step,
    Wait,
    of,
)
from ...dsl.span import Span
from .catalogue import spelled
from .declared import N202, N207
from .endings import endings
from .outline import NAMED, Outline

WORDS: dict[type[Node], str] = {
    Step: "step",
    Let: "let",
    Requires: "requires",
    If: "if",
    Parallel: "parallel",
    Each: "each",
    First: "first",
    Repeat: "repeat",
    Next: "next",
    Scope: "scope",
    Gate: "gate",
    Wait: "wait",
    Sleep: "sleep",
    Checkpoint: "checkpoint",
    Deadline: "deadline",
    Guard: "guard",
    OnRollback: "on rollback",
    Promise: "promise",
    Runbook: "runbook",
    Return: "return",
}
OWN = (Deadline, Promise, Guard, Runbook, OnRollback)
BESIDE = (Step, Gate, Wait, Each, First, Repeat, Scope, If, Parallel)


def placement(saga: Saga, outline: Outline) -> Iterator[Diagnostic]:
    """Yields every statement of a saga that stands where it cannot."""
    for site in outline.sites:
        statement = site.statement
        area = outline.areas[site.area]
        word = WORDS[type(statement)]
        start = _word(statement, word)
        if outline.body(site).kind == "on rollback":
            yield from _on_rollback(statement, word, start)
        elif isinstance(statement, OWN) and site.area != 0:
            yield N207(
                f"`{word}` speaks for the whole saga: it stands in the saga's own block only.",
                start,
                helps=["Move it to the beginning of the saga."],
            )
        elif area.parallel and not isinstance(statement, BESIDE):
            yield N207(
                f"`{word}` has no place of its own among statements that run beside one another.",
                start,
                "inside `parallel`",
                helps=[_beside(statement)],
            )
    yield from _once(saga)
    yield from endings(outline)


def _once(saga: Saga) -> Iterator[Diagnostic]:
    for kind in (Deadline, Runbook, OnRollback):
        found = of(saga.body.statements, kind)
        for statement in found[1:]:
            yield N202(
                f"A saga has one `{WORDS[kind]}`.",
                statement.span,
                "again",
                also=[(found[0].span, "first here")],
            )


def _on_rollback(statement: Statement, word: str, start: Span) -> Iterator[Diagnostic]:
    if not isinstance(statement, Step):
        yield N207(
            f"`{word}` cannot stand in `on rollback`, where the run is over but for a few steps.",
            start,
            helps=["Only steps stand there, with `when` where they depend on something."],
        )
        return
    policies = of(statement.clauses, OnFailure)
    if all(clause.policy != "continue" for clause in policies):
        end = statement.span.end
        at = policies[0].span if policies else Span(statement.span.source, end, end)
        yield N207(
            f"If {spelled(statement.name)} fails, the run has been rolled back already: "
            "a step in `on rollback` says `else continue`.",
            statement.name.span,
            helps=["Write `else continue` behind it."],
            fix=replacement("safe", at, f"{'' if policies else ' '}else continue"),
        )


def _beside(statement: Statement) -> str:
    if isinstance(statement, Return):
        return "Return after the `parallel`."
    if isinstance(statement, Requires):
        return "Put it before the `parallel`, or give the tool a `requires`."
    return "Put it before or after the `parallel`."


def headline(statement: Statement) -> Span:
    """Gives what people look for: a statement's name, else its first word."""
    if isinstance(statement, NAMED):
        return statement.name.span
    return _word(statement, WORDS[type(statement)])


def _word(statement: Statement, word: str) -> Span:
    start = statement.span.start
    return Span(statement.span.source, start, start + len(word.split()[0]))
