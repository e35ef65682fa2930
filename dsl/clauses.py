"""The nodes of the clauses of tools and agents, each with its own span."""

from __future__ import annotations

from typing import Literal

from .expressions import (
    Argument,
    Call,
    DecimalLiteral,
    Duration,
    Expr,
    IntLiteral,
    PlainText,
    TextLiteral,
)
from .node import Doc, Name, Node
from .span import Span


class Clause(Node, frozen=True):
    """A clause with its documentation."""

    doc: Doc | None


class Binding(Clause, frozen=True):
    """`call python "module:function" (arguments)`; what is left out is None."""

    language: Name
    target: PlainText | None
    arguments: tuple[Argument, ...] | None


class NoEffect(Clause, frozen=True):
    """`effect none`: a read."""


EffectClass = Literal["reversible", "compensatable", "irreversible", "restoring"]


class Corrective(Node, frozen=True):
    """`corrective "..."` or `corrective tool(args) needs "group"`."""

    action: TextLiteral | Call
    group: PlainText | None


class Effect(Clause, frozen=True):
    """`effect KIND(id) CLASS impact N corrective ...`; without id it is the whole kind."""

    kind: Name
    id: Expr | None
    effect_class: EffectClass
    class_at: Span
    impact: IntLiteral | None
    corrective: Corrective | None


class IdempotentByKey(Clause, frozen=True):
    """`idempotent by key for D`; without D for ever."""

    lifetime: Duration | None


class IdempotentNaturally(Clause, frozen=True):
    """`idempotent naturally`."""


class FailsWith(Clause, frozen=True):
    """`fails with E, ...`: the service refused."""

    errors: tuple[Name, ...]


class TransientWith(Clause, frozen=True):
    """`transient with E, ...`: this attempt did not land."""

    errors: tuple[Name, ...]


class DoneWith(Clause, frozen=True):
    """`done with E, ...`: it is already so."""

    errors: tuple[Name, ...]


class Backoff(Node, frozen=True):
    """`every A..B`: the shortest and the longest pause between attempts."""

    shortest: Duration
    longest: Duration


class Retry(Clause, frozen=True):
    """`retry N times`, `retry forever` or `retry never`, each with `every A..B` or without."""

    attempts: IntLiteral | Literal["forever", "never"]
    every: Backoff | None


class Timeout(Clause, frozen=True):
    """`timeout D settle S`."""

    after: Duration
    settle: Duration | None


class Requires(Clause, frozen=True):
    """`requires E else "..."`, a clause of a tool and a statement of a saga."""

    condition: Expr
    message: TextLiteral | None


class Ensures(Clause, frozen=True):
    """`ensures E else "..."`."""

    condition: Expr
    message: TextLiteral | None


class Remember(Clause, frozen=True):
    """`remember NAME = read(args) else "..."`."""

    name: Name
    call: Call
    message: TextLiteral | None


class Applied(Clause, frozen=True):
    """`applied when E gives V`."""

    condition: Expr
    gives: Expr | None


class Absent(Clause, frozen=True):
    """`absent when E`."""

    condition: Expr


class Conflict(Clause, frozen=True):
    """`conflict when E`."""

    condition: Expr


Verdict = Applied | Absent | Conflict


class Verify(Clause, frozen=True):
    """`verify read(args) consistent after D { verdicts }`; no block is None."""

    call: Call
    consistent_after: Duration | None
    verdicts: tuple[Verdict, ...] | None


class VerifyAlways(Clause, frozen=True):
    """`verify always`."""


class Evidence(Clause, frozen=True):
    """`evidence read(args) weight W { verdicts }`."""

    call: Call
    weight: IntLiteral | DecimalLiteral
    verdicts: tuple[Verdict, ...]


class AcceptEvidence(Clause, frozen=True):
    """`accept evidence >= P below impact N`."""

    least: IntLiteral | DecimalLiteral
    below_impact: IntLiteral


class Undo(Clause, frozen=True):
    """`undo tool(args) when E within D { timeout retry verify }`."""

    call: Call
    condition: Expr | None
    within: Duration | None
    clauses: tuple[Timeout | Retry | Verify, ...]


class Commutes(Clause, frozen=True):
    """`commutes`, with itself, or `commutes with TOOL`."""

    other: Name | None


class Reads(Clause, frozen=True):
    """`reads KIND(id)`; without id it is the whole kind."""

    kind: Name
    id: Expr | None


class OnUnknownEscalate(Clause, frozen=True):
    """`on unknown escalate`."""


BetweenPolicy = Literal["allow", "wait", "escalate"]


class BetweenRuns(Clause, frozen=True):
    """`between runs allow|wait|escalate`."""

    policy: BetweenPolicy


class Service(Clause, frozen=True):
    """`service "..."`."""

    name: PlainText


class Runbook(Clause, frozen=True):
    """`runbook "..."`."""

    text: PlainText


class AgentTool(Node, frozen=True):
    """One tool that an agent may use, with the group of the gate before each call of it."""

    name: Name
    group: PlainText | None


class MayUse(Clause, frozen=True):
    """`may use a, b needs "group" at most N calls`."""

    tools: tuple[AgentTool, ...]
    limit: IntLiteral | None


ToolClause = (
    Binding
    | NoEffect
    | Effect
    | IdempotentByKey
    | IdempotentNaturally
    | FailsWith
    | TransientWith
    | DoneWith
    | Retry
    | Timeout
    | Requires
    | Ensures
    | Remember
    | Verify
    | VerifyAlways
    | Evidence
    | AcceptEvidence
    | Undo
    | Commutes
    | Reads
    | OnUnknownEscalate
    | BetweenRuns
    | Service
    | Runbook
)
AgentClause = (
    Binding
    | MayUse
    | FailsWith
    | TransientWith
    | Retry
    | Timeout
    | Requires
    | Ensures
    | Service
    | Runbook
)
