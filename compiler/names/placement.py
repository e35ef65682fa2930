"""Statements in their places: where each may stand, and which are not carried out yet."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
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
from ..codes import declare
from .declared import N202, N207, N299
from .outline import NAMED, Outline

G403 = declare("G403", "warning", "never runs")

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
LATER = (Each, First, Repeat, Scope, Wait, Sleep, Guard, OnRollback)
OWN = (Deadline, Promise, Guard, Runbook, OnRollback)
BESIDE = (Step, Gate, Wait, Each, First, Repeat, Scope, If, Parallel)
INSTEAD = {
    "each": "write the steps out, or let one tool take the whole list",
    "first": "try the items with steps that have `else continue`",
    "repeat": "let a tool that is a read poll with `until`",
    "scope": "put the steps into the saga's own block",
    "wait": "let a step poll with `until ... every ... within ...`",
    "sleep": "let a step poll with `until ... every ... within ...`",
    "guard": "put a `gate` before the steps that it is for",
    "on rollback": "give an effect a `corrective`, which happens when the run is rolled back",
}


def placement(saga: Saga, outline: Outline) -> Iterator[Diagnostic]:
    """Yields every statement of a saga that stands where it cannot, or is not carried out yet."""
    for site in outline.sites:
        statement = site.statement
        area = outline.areas[site.area]
        word = WORDS[type(statement)]
        start = _word(statement, word)
        if isinstance(statement, OWN) and site.area != 0:
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
        elif isinstance(statement, Next):
            yield N207("`next` stands in a `repeat` only.", start)
        elif isinstance(statement, LATER):
            yield N299(
                f"`{word}` is understood, but not carried out yet.",
                start,
                helps=[f"For now, {INSTEAD[word]}."],
            )
    yield from _once(saga)
    yield from _returns(outline)


def _once(saga: Saga) -> Iterator[Diagnostic]:
    for kind in (Deadline, Runbook):
        found = of(saga.body.statements, kind)
        for statement in found[1:]:
            yield N202(
                f"A saga has one `{WORDS[kind]}`.",
                statement.span,
                "again",
                also=[(found[0].span, "first here")],
            )


def _returns(outline: Outline) -> Iterator[Diagnostic]:
    for site in outline.sites:
        area, place = outline.areas[site.area], site.trail[-1][1]
        if isinstance(site.statement, Return) and not outline.ends(site) and not area.parallel:
            yield from _misplaced(site.statement, area.members[place + 1 :])


def _misplaced(statement: Return, behind: tuple[Statement, ...]) -> Iterator[Diagnostic]:
    yield N207(
        "`return` ends the saga: it stands last, or last in every branch of a last `if`.",
        statement.span,
        also=[(behind[0].span, "this would never run")] if behind else (),
        helps=["Move it to the end; let an `if` choose the value, not the way out."],
    )
    if behind:
        yield G403(
            "This never runs: the saga has returned before.",
            behind[0].span,
            also=[(statement.span, "returns here")],
            helps=["Take it out, or move it before the `return`."],
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
