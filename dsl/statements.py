"""The nodes of a saga's statements and of their clauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .clauses import Requires, Retry, Runbook, Timeout, Undo, Verify
from .expressions import Call, Duration, Expr, IntLiteral, PlainText, TextLiteral, Type
from .node import Doc, Name, Node


@dataclass(frozen=True, slots=True)
class Block(Node):
    """`{ statements }`, the span with its braces."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class StatementNode(Node):
    """A statement with its documentation."""

    doc: Doc | None


@dataclass(frozen=True, slots=True)
class When(Node):
    """`when E`: else skipped."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class After(Node):
    """`after a, b`: these statements of the same block have settled."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class ActsAs(Node):
    """`as "agent"`: who acts."""

    agent: PlainText


FailurePolicy = Literal["continue", "escalate", "rollback"]


@dataclass(frozen=True, slots=True)
class OnFailure(Node):
    """`else continue|escalate|rollback` of a step."""

    policy: FailurePolicy


@dataclass(frozen=True, slots=True)
class Until(Node):
    """`until E every D within D`."""

    condition: Expr
    every: Duration
    within: Duration


@dataclass(frozen=True, slots=True)
class Expecting(Node):
    """`expecting read(args).field unchanged since STEP`."""

    call: Call
    fields: tuple[Name, ...]
    since: Name


@dataclass(frozen=True, slots=True)
class AcceptIrreversible(Node):
    """`accept irreversible because "..."`."""

    reason: TextLiteral


@dataclass(frozen=True, slots=True)
class Overrides(Node):
    """`{ timeout retry verify undo }`: these kinds replace the tool's for this step."""

    clauses: tuple[Timeout | Retry | Verify | Undo, ...]


StepClause = When | After | ActsAs | OnFailure | Until | Expecting | AcceptIrreversible | Overrides


@dataclass(frozen=True, slots=True)
class Step(StatementNode):
    """`step NAME = call(args) clauses`."""

    name: Name
    call: Call
    clauses: tuple[StepClause, ...]


@dataclass(frozen=True, slots=True)
class Let(StatementNode):
    """`let NAME = E`."""

    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class If(StatementNode):
    """`if E { } else { }`."""

    condition: Expr
    then: Block
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class Parallel(StatementNode):
    """`parallel { }`."""

    body: Block


@dataclass(frozen=True, slots=True)
class ItemKey(Node):
    """`by E`: what identifies an item."""

    key: Expr


@dataclass(frozen=True, slots=True)
class AtOnce(Node):
    """`at most N at once`."""

    limit: IntLiteral


@dataclass(frozen=True, slots=True)
class UndoAtOnce(Node):
    """`undo N at once`."""

    limit: IntLiteral


@dataclass(frozen=True, slots=True)
class Tolerate(Node):
    """`tolerate N`: so many items may fail."""

    limit: IntLiteral


EachClause = ItemKey | AtOnce | UndoAtOnce | Tolerate | After


@dataclass(frozen=True, slots=True)
class Each(StatementNode):
    """`each NAME = x in LIST clauses { }`."""

    name: Name
    variable: Name
    items: Expr
    clauses: tuple[EachClause, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class First(StatementNode):
    """`first NAME = x in LIST clauses { }`."""

    name: Name
    variable: Name
    items: Expr
    clauses: tuple[ItemKey | After, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Repeat(StatementNode):
    """`repeat NAME = VAR from E at most N times clauses { ... next E }`."""

    name: Name
    variable: Name
    start: Expr
    limit: IntLiteral
    clauses: tuple[After, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Next(StatementNode):
    """`next E`: what a `repeat` goes on with."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Scope(StatementNode):
    """`scope NAME clauses { } else { }`."""

    name: Name
    clauses: tuple[After, ...]
    body: Block
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class Lapse(Node):
    """`within D else rollback|continue|escalate`; without `else` it is None."""

    within: Duration
    policy: FailurePolicy | None


@dataclass(frozen=True, slots=True)
class IncludingInitiator(Node):
    """`including initiator`."""


GateClause = IncludingInitiator | When | Lapse | After


@dataclass(frozen=True, slots=True)
class Gate(StatementNode):
    """`gate NAME needs N of "group" shows V, ... clauses`; without `N of` one is enough."""

    name: Name
    count: IntLiteral | None
    group: PlainText
    shows: tuple[Expr, ...]
    clauses: tuple[GateClause, ...]


@dataclass(frozen=True, slots=True)
class Wait(StatementNode):
    """`wait NAME: T within D else ...`."""

    name: Name
    type: Type
    clauses: tuple[Lapse | After, ...]


@dataclass(frozen=True, slots=True)
class Sleep(StatementNode):
    """`sleep D`."""

    duration: Duration


@dataclass(frozen=True, slots=True)
class Checkpoint(StatementNode):
    """`checkpoint NAME`."""

    name: Name


@dataclass(frozen=True, slots=True)
class Deadline(StatementNode):
    """`deadline D`."""

    duration: Duration


@dataclass(frozen=True, slots=True)
class Guard(StatementNode):
    """`guard readiness >= E needs "group"`."""

    least: Expr
    group: PlainText


@dataclass(frozen=True, slots=True)
class OnRollback(StatementNode):
    """`on rollback { }`."""

    body: Block


@dataclass(frozen=True, slots=True)
class PromiseReversible(Node):
    """`reversible` in a promise."""


@dataclass(frozen=True, slots=True)
class PromiseReadiness(Node):
    """`readiness >= E` in a promise."""

    least: Expr


@dataclass(frozen=True, slots=True)
class PromiseGated(Node):
    """`gated impact >= N` in a promise."""

    impact: IntLiteral


Promised = PromiseReversible | PromiseReadiness | PromiseGated


@dataclass(frozen=True, slots=True)
class Promise(StatementNode):
    """`promise ... until X, Y`; without `until` the names are empty."""

    promised: Promised
    until: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Return(StatementNode):
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
