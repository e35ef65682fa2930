"""The nodes of a saga's statements and of their clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from .clauses import Requires, Retry, Runbook, Timeout, Undo, Verify
from .expressions import Call, Duration, Expr, IntLiteral, PlainText, TextLiteral, Type
from .node import Doc, Name, Node


class Block(Node, frozen=True):
    """`{ statements }`, the span with its braces."""

    statements: tuple[Statement, ...]


class StatementNode(Node, frozen=True):
    """A statement with its documentation."""

    doc: Doc | None


class When(Node, frozen=True):
    """`when E`: else skipped."""

    condition: Expr


class After(Node, frozen=True):
    """`after a, b`: these statements of the same block have settled."""

    names: tuple[Name, ...]


class ActsAs(Node, frozen=True):
    """`as "agent"`: who acts."""

    agent: PlainText


FailurePolicy = Literal["continue", "escalate", "rollback"]


class OnFailure(Node, frozen=True):
    """`else continue|escalate|rollback` of a step."""

    policy: FailurePolicy


class Until(Node, frozen=True):
    """`until E every D within D`."""

    condition: Expr
    every: Duration
    within: Duration


class Expecting(Node, frozen=True):
    """`expecting read(args).field unchanged since STEP`."""

    call: Call
    fields: tuple[Name, ...]
    since: Name


class AcceptIrreversible(Node, frozen=True):
    """`accept irreversible because "..."`."""

    reason: TextLiteral


class Overrides(Node, frozen=True):
    """`{ timeout retry verify undo }`: these kinds replace the tool's for this step."""

    clauses: tuple[Timeout | Retry | Verify | Undo, ...]


StepClause = When | After | ActsAs | OnFailure | Until | Expecting | AcceptIrreversible | Overrides


class Step(StatementNode, frozen=True):
    """`step NAME = call(args) clauses`."""

    name: Name
    call: Call
    clauses: tuple[StepClause, ...]


class Let(StatementNode, frozen=True):
    """`let NAME = E`."""

    name: Name
    value: Expr


class If(StatementNode, frozen=True):
    """`if E { } else { }`."""

    condition: Expr
    then: Block
    otherwise: Block | None


class Parallel(StatementNode, frozen=True):
    """`parallel { }`."""

    body: Block


class ItemKey(Node, frozen=True):
    """`by E`: what identifies an item."""

    key: Expr


class AtOnce(Node, frozen=True):
    """`at most N at once`."""

    limit: IntLiteral


class UndoAtOnce(Node, frozen=True):
    """`undo N at once`."""

    limit: IntLiteral


class Tolerate(Node, frozen=True):
    """`tolerate N`: so many items may fail."""

    limit: IntLiteral


EachClause = ItemKey | AtOnce | UndoAtOnce | Tolerate | After


class Each(StatementNode, frozen=True):
    """`each NAME = x in LIST clauses { }`."""

    name: Name
    variable: Name
    items: Expr
    clauses: tuple[EachClause, ...]
    body: Block


class First(StatementNode, frozen=True):
    """`first NAME = x in LIST clauses { }`."""

    name: Name
    variable: Name
    items: Expr
    clauses: tuple[ItemKey | After, ...]
    body: Block


class Repeat(StatementNode, frozen=True):
    """`repeat NAME = VAR from E at most N times clauses { ... next E }`."""

    name: Name
    variable: Name
    start: Expr
    limit: IntLiteral
    clauses: tuple[After, ...]
    body: Block


class Next(StatementNode, frozen=True):
    """`next E`: what a `repeat` goes on with."""

    value: Expr


class Scope(StatementNode, frozen=True):
    """`scope NAME clauses { } else { }`."""

    name: Name
    clauses: tuple[After, ...]
    body: Block
    otherwise: Block | None


class Lapse(Node, frozen=True):
    """`within D else rollback|continue|escalate`; without `else` it is None."""

    within: Duration
    policy: FailurePolicy | None


class IncludingInitiator(Node, frozen=True):
    """`including initiator`."""


GateClause = IncludingInitiator | When | Lapse | After


class Gate(StatementNode, frozen=True):
    """`gate NAME needs N of "group" shows V, ... clauses`; without `N of` one is enough."""

    name: Name
    count: IntLiteral | None
    group: PlainText
    shows: tuple[Expr, ...]
    clauses: tuple[GateClause, ...]


class Wait(StatementNode, frozen=True):
    """`wait NAME: T within D else ...`."""

    name: Name
    type: Type
    clauses: tuple[Lapse | After, ...]


class Sleep(StatementNode, frozen=True):
    """`sleep D`."""

    duration: Duration


class Checkpoint(StatementNode, frozen=True):
    """`checkpoint NAME`."""

    name: Name


class Deadline(StatementNode, frozen=True):
    """`deadline D`."""

    duration: Duration


class Guard(StatementNode, frozen=True):
    """`guard readiness >= E needs "group"`."""

    least: Expr
    group: PlainText


class OnRollback(StatementNode, frozen=True):
    """`on rollback { }`."""

    body: Block


class PromiseReversible(Node, frozen=True):
    """`reversible` in a promise."""


class PromiseReadiness(Node, frozen=True):
    """`readiness >= E` in a promise."""

    least: Expr


class PromiseGated(Node, frozen=True):
    """`gated impact >= N` in a promise."""

    impact: IntLiteral


Promised = PromiseReversible | PromiseReadiness | PromiseGated


class Promise(StatementNode, frozen=True):
    """`promise ... until X, Y`; without `until` the names are empty."""

    promised: Promised
    until: tuple[Name, ...]


class Return(StatementNode, frozen=True):
    """`return E`."""

    value: Expr


Statement = (
    Step
    | Let
    | Requires
    | If
    | Parallel
    | Each
    | First
    | Repeat
    | Next
    | Scope
    | Gate
    | Wait
    | Sleep
    | Checkpoint
    | Deadline
    | Guard
    | OnRollback
    | Promise
    | Runbook
    | Return
)


def within(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yields the statements of a block, through what has no names of its own."""
    for statement in statements:
        yield statement
        match statement:
            case If(then=then, otherwise=otherwise):
                yield from within(then.statements)
                if otherwise is not None:
                    yield from within(otherwise.statements)
            case Parallel(body=body):
                yield from within(body.statements)
            case _:
                pass
