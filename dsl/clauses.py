"""The nodes of the clauses of tools and agents, each with its own span."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """A clause with its documentation."""

    doc: Doc | None


@dataclass(frozen=True, slots=True)
class Binding(Clause):
    """`call python "module:function" (arguments)`; what is left out is None."""

    language: Name
    target: PlainText | None
    arguments: tuple[Argument, ...] | None


@dataclass(frozen=True, slots=True)
class NoEffect(Clause):
    """`effect none`: a read."""


EffectClass = Literal["reversible", "compensatable", "irreversible", "restoring"]


@dataclass(frozen=True, slots=True)
class Corrective(Node):
    """`corrective "..."` or `corrective tool(args) needs "group"`."""

    action: TextLiteral | Call
    group: PlainText | None


@dataclass(frozen=True, slots=True)
class Effect(Clause):
    """`effect KIND(id) CLASS impact N corrective ...`; without id it is the whole kind."""

    kind: Name
    id: Expr | None
    effect_class: EffectClass
    class_at: Span
    impact: IntLiteral | None
    corrective: Corrective | None


@dataclass(frozen=True, slots=True)
class IdempotentByKey(Clause):
    """`idempotent by key for D`; without D for ever."""

    lifetime: Duration | None


@dataclass(frozen=True, slots=True)
class IdempotentNaturally(Clause):
    """`idempotent naturally`."""


@dataclass(frozen=True, slots=True)
class FailsWith(Clause):
    """`fails with E, ...`: the service refused."""

    errors: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class TransientWith(Clause):
    """`transient with E, ...`: this attempt did not land."""

    errors: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class DoneWith(Clause):
    """`done with E, ...`: it is already so."""

    errors: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Backoff(Node):
    """`every A..B`: the shortest and the longest pause between attempts."""

    shortest: Duration
    longest: Duration


@dataclass(frozen=True, slots=True)
class Retry(Clause):
    """`retry N times`, `retry forever` or `retry never`, each with `every A..B` or without."""

    attempts: IntLiteral | Literal["forever", "never"]
    every: Backoff | None


@dataclass(frozen=True, slots=True)
class Timeout(Clause):
    """`timeout D settle S`."""

    after: Duration
    settle: Duration | None


@dataclass(frozen=True, slots=True)
class Requires(Clause):
    """`requires E else "..."`, a clause of a tool and a statement of a saga."""

    condition: Expr
    message: TextLiteral | None


@dataclass(frozen=True, slots=True)
class Ensures(Clause):
    """`ensures E else "..."`."""

    condition: Expr
    message: TextLiteral | None


@dataclass(frozen=True, slots=True)
class Remember(Clause):
    """`remember NAME = read(args) else "..."`."""

    name: Name
    call: Call
    message: TextLiteral | None


@dataclass(frozen=True, slots=True)
class Applied(Clause):
    """`applied when E gives V`."""

    condition: Expr
    gives: Expr | None


@dataclass(frozen=True, slots=True)
class Absent(Clause):
    """`absent when E`."""

    condition: Expr


@dataclass(frozen=True, slots=True)
class Conflict(Clause):
    """`conflict when E`."""

    condition: Expr


Verdict = Applied | Absent | Conflict


@dataclass(frozen=True, slots=True)
class Verify(Clause):
    """`verify read(args) consistent after D { verdicts }`; no block is None."""

    call: Call
    consistent_after: Duration | None
    verdicts: tuple[Verdict, ...] | None


@dataclass(frozen=True, slots=True)
class VerifyAlways(Clause):
    """`verify always`."""


@dataclass(frozen=True, slots=True)
class Evidence(Clause):
    """`evidence read(args) weight W { verdicts }`."""

    call: Call
    weight: IntLiteral | DecimalLiteral
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class AcceptEvidence(Clause):
    """`accept evidence >= P below impact N`."""

    least: IntLiteral | DecimalLiteral
    below_impact: IntLiteral


@dataclass(frozen=True, slots=True)
class Undo(Clause):
    """`undo tool(args) when E within D { timeout retry verify }`."""

    call: Call
    condition: Expr | None
    within: Duration | None
    clauses: tuple[Timeout | Retry | Verify, ...]


@dataclass(frozen=True, slots=True)
class Commutes(Clause):
    """`commutes`, with itself, or `commutes with TOOL`."""

    other: Name | None


@dataclass(frozen=True, slots=True)
class Reads(Clause):
    """`reads KIND(id)`; without id it is the whole kind."""

    kind: Name
    id: Expr | None


@dataclass(frozen=True, slots=True)
class OnUnknownEscalate(Clause):
    """`on unknown escalate`."""


BetweenPolicy = Literal["allow", "wait", "escalate"]


@dataclass(frozen=True, slots=True)
class BetweenRuns(Clause):
    """`between runs allow|wait|escalate`."""

    policy: BetweenPolicy


@dataclass(frozen=True, slots=True)
class Service(Clause):
    """`service "..."`."""

    name: PlainText


@dataclass(frozen=True, slots=True)
class Runbook(Clause):
    """`runbook "..."`."""

    text: PlainText


@dataclass(frozen=True, slots=True)
class AgentTool(Node):
    """One tool that an agent may use, with the group of the gate before each call of it."""

    name: Name
    group: PlainText | None


@dataclass(frozen=True, slots=True)
class MayUse(Clause):
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
