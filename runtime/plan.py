"""The plan: what the compiler makes of one saga and everything that runs, shows or proves it reads.

A plan is plain data (msgspec structs with a published JSON schema). All times in it are integer
milliseconds. Each `at` is a place for people; `definition` hashes a plan without places, texts of
expressions and documentation, so that comments, layout, file names and line ends do not count.
Values that equal a field's default are left out of the JSON: the defaults below are part of the
format and never change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal as OneOf

from msgspec.structs import replace

from .catalogue import (
    AcceptEvidence as AcceptEvidence,
    Agent as Agent,
    AgentTool as AgentTool,
    Argument as Argument,
    BetweenRuns as BetweenRuns,
    Binding as Binding,
    Condition as Condition,
    Corrective as Corrective,
    Effect as Effect,
    EffectClass as EffectClass,
    Enum as Enum,
    Evidence as Evidence,
    Idempotence as Idempotence,
    Parameter as Parameter,
    Part as Part,
    Reading as Reading,
    Record as Record,
    Remember as Remember,
    Retry as Retry,
    Tool as Tool,
    Undo as Undo,
    Verdict as Verdict,
    Verify as Verify,
)
from .formula import Formula, Type
from .meaning import definition as definition

FORMAT = 1
"""Version of the plan's own shape; a reader refuses a newer one."""

OnFailure = OneOf["rollback", "continue", "escalate"]


class Statement(Part, frozen=True, kw_only=True, tag_field="kind"):
    """What every statement has.

    `path` names it: the chain of names from the saga's body, `kind#n` for one without a name, `[*]`
    behind a statement whose body runs once for each item, `else` for the other block of a scope:
    `picks[*].pick`, `shipping.else.ship`. It is unique, except that both branches of one `if` may
    hold the same path. `waits` are the paths that must have settled before it, beyond its
    predecessor in a sequence: its data and its `after` (`after` keeps the names as written). They
    stand in the same body: what the inside of a scope or loop reads from outside, the whole waits
    for.
    """

    path: str
    waits: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class Until(Part, frozen=True, kw_only=True):
    """Polling of a read until `it` satisfies the condition."""

    test: Formula
    every: int
    within: int
    otherwise: OnFailure = "rollback"


class Expecting(Part, frozen=True, kw_only=True):
    """Drift check: a read whose answer (or a field of it) must be as it was since a step."""

    tool: str
    args: tuple[Argument, ...]
    field: tuple[str, ...]
    since: str


class Step(Statement, frozen=True, kw_only=True, tag="step"):
    """A call of a tool with everything that governs it in this saga.

    `timeout settle retry verify undos` are what holds here: the tool's own, or what the step's
    block replaces. In replaced clauses (`replaces` names their kinds) names are the saga's, and the
    call's own are `args.NAME`, `result`, `key`; in the tool's they are the tool's parameters.
    """

    name: str
    tool: str
    args: tuple[Argument, ...]
    type: Type
    when: Formula | None = None
    agent: str = ""
    on_failure: OnFailure = "rollback"
    until: Until | None = None
    expecting: Expecting | None = None
    accepted: Formula | None = None
    timeout: int
    settle: int
    retry: Retry
    verify: Verify | None = None
    undos: tuple[Undo, ...] = ()
    replaces: tuple[OneOf["timeout", "retry", "verify", "undo"], ...] = ()


class Let(Statement, frozen=True, kw_only=True, tag="let"):
    """A named value."""

    name: str
    value: Formula


class Requires(Statement, frozen=True, kw_only=True, tag="requires"):
    """A condition of the saga itself; false fails the scope."""

    test: Formula
    otherwise: Formula | None = None


class If(Statement, frozen=True, kw_only=True, tag="if"):
    """One branch is taken, decided once and logged."""

    condition: Formula
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


class Parallel(Statement, frozen=True, kw_only=True, tag="parallel"):
    """Statements that run as early as their `waits` allow."""

    body: tuple[Node, ...]


class Checkpoint(Statement, frozen=True, kw_only=True, tag="checkpoint"):
    """A named state to come back to."""

    name: str


class Gate(Statement, frozen=True, kw_only=True, tag="gate"):
    """People decide: `needs` of `group` approve exactly what is shown, in that order."""

    name: str
    needs: int
    group: str
    shows: tuple[Argument, ...]
    including_initiator: bool = False
    when: Formula | None = None
    within: int | None = None
    otherwise: OnFailure = "rollback"


class Return(Statement, frozen=True, kw_only=True, tag="return"):
    """The value of the saga."""

    value: Formula


class Each(Statement, frozen=True, kw_only=True, tag="each"):
    """Its body for each item of a list that is fixed when it starts; value: the list of returns.

    `by` gives an item its key (None: its index). At most `at_once` items run at one time, and as
    many are undone at one time as `undo_at_once` says. Up to `tolerate` items may fail: each is
    rolled back alone and gives none. `item` is the variable's type, `type` that of the value.
    """

    name: str
    variable: str
    items: Formula
    by: Formula | None = None
    at_once: int = 1
    undo_at_once: int = 1
    tolerate: int = 0
    item: Type
    type: Type
    body: tuple[Node, ...]


class First(Statement, frozen=True, kw_only=True, tag="first"):
    """The first item whose body succeeds; a failed one is rolled back before the next is tried."""

    name: str
    variable: str
    items: Formula
    by: Formula | None = None
    item: Type
    type: Type
    body: tuple[Node, ...]


class Repeat(Statement, frozen=True, kw_only=True, tag="repeat"):
    """Its body again with what its `Next` gives, until that is none; value: the list of returns.

    `limit` rounds at most: another one that is wanted then fails the scope.
    """

    name: str
    variable: str
    start: Formula
    limit: int
    item: Type
    type: Type
    body: tuple[Node, ...]


class Next(Statement, frozen=True, kw_only=True, tag="next"):
    """What a `repeat` goes on with: the last statement of its body."""

    value: Formula


class Scope(Statement, frozen=True, kw_only=True, tag="scope"):
    """An atomicity boundary: it is rolled back alone, then its `otherwise` runs.

    Without `otherwise` (None) the failure goes outwards; an empty one goes on without. The value is
    a record of the type `type` with the fields `fields`: the named values of its body, none where
    the block that ran does not give them.
    """

    name: str
    type: Type
    fields: tuple[Parameter, ...]
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] | None = None


class Wait(Statement, frozen=True, kw_only=True, tag="wait"):
    """Waits for a signal of a type from outside."""

    name: str
    type: Type
    within: int | None = None
    otherwise: OnFailure = "rollback"


class Sleep(Statement, frozen=True, kw_only=True, tag="sleep"):
    """Waits for a time."""

    length: int


class Guard(Part, frozen=True, kw_only=True):
    """`guard readiness >= E needs "group"`: below it, a gate opens by itself before a call."""

    least: Formula
    group: str


class SagaCall(Statement, frozen=True, kw_only=True, tag="saga"):
    """A step that calls another saga, its statements inside.

    It is atomic: its own failure rolls it back first, then counts as a refusal. `undos` replace the
    undos of its effects once it has completed (names are the caller's, `args.NAME`, `result` and
    `key`). Names in the body are the inner saga's `parameters` and its own statements, nothing of
    the caller.
    """

    name: str
    saga: str
    args: tuple[Argument, ...]
    parameters: tuple[Parameter, ...]
    result: Type
    type: Type
    when: Formula | None = None
    agent: str = ""
    on_failure: OnFailure = "rollback"
    undos: tuple[Undo, ...] = ()
    body: tuple[Node, ...]
    on_rollback: tuple[Node, ...] = ()
    deadline: int | None = None
    guards: tuple[Guard, ...] = ()
    runbook: str = ""


class AgentCall(Statement, frozen=True, kw_only=True, tag="agent"):
    """A step that calls an agent; each call that the agent makes is a child step `NAME[n]`.

    `agent` names it in `Plan.agents`, `acts_as` is the step's `as`. `timeout settle retry` are what
    holds here.
    """

    name: str
    agent: str
    args: tuple[Argument, ...]
    type: Type
    when: Formula | None = None
    acts_as: str = ""
    on_failure: OnFailure = "rollback"
    timeout: int
    settle: int
    retry: Retry
    replaces: tuple[OneOf["timeout", "retry", "verify", "undo"], ...] = ()


Node = (
    Step | Let | Requires | If | Parallel | Checkpoint | Gate | Return | Each | First | Repeat
    | Next | Scope | Wait | Sleep | SagaCall | AgentCall
)  # fmt: skip


class UndoSaga(Part, frozen=True, kw_only=True):
    """A saga that undos name: its steps are the calls that take back what a step has done.

    It stands in a plan once, whoever names it (`Undo.tool` is its `name`); its paths begin with
    `undo NAME.`. In a run they begin with the path of the step that is taken back, and `.undo.`.
    Its steps have no undos, and it has no value: it is not called, it is gone through.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Node, ...]


class Promise(Part, frozen=True, kw_only=True):
    """What the author promises of every forward state before the first effect of `until`."""

    kind: OneOf["reversible", "readiness", "gated"]
    bound: Formula | None = None
    until: tuple[str, ...] = ()
    source: str = ""


class Plan(Part, frozen=True, kw_only=True):
    """One saga, complete: it runs, is unwound, shown and proved from this alone.

    `tools`, `records`, `enums`, `agents` and `undo_sagas` hold what the saga reaches, sorted by
    name. The steps of `on_rollback` run after the undos; `statements` does not give them.
    """

    format: int
    edition: int
    saga: str
    parameters: tuple[Parameter, ...]
    result: Type
    body: tuple[Node, ...]
    tools: tuple[Tool, ...] = ()
    records: tuple[Record, ...] = ()
    enums: tuple[Enum, ...] = ()
    deadline: int | None = None
    runbook: str = ""
    promises: tuple[Promise, ...] = ()
    agents: tuple[Agent, ...] = ()
    guards: tuple[Guard, ...] = ()
    on_rollback: tuple[Node, ...] = ()
    undo_sagas: tuple[UndoSaga, ...] = ()


def blocks(node: Node) -> tuple[tuple[Node, ...], ...]:
    """Gives the bodies that a statement holds, in the order written; `on rollback` is the last."""
    match node:
        case If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Scope(body=body, otherwise=other):
            return (body,) if other is None else (body, other)
        case SagaCall(body=body, on_rollback=after):
            return (body, after)
        case Parallel(body=body) | Each(body=body) | First(body=body) | Repeat(body=body):
            return (body,)
        case _:
            return ()


def statements(body: tuple[Node, ...]) -> Iterator[Node]:
    """Gives every statement of a body, outer before inner, in the order written."""
    todo = list(reversed(body))
    while todo:
        node = todo.pop()
        yield node
        for body in reversed(blocks(node)):
            todo.extend(reversed(body))


def as_tool(saga: UndoSaga, tools: Mapping[str, Tool]) -> Tool:
    """Gives a saga that undos name as the tool that it is for them: what its steps change.

    Whether it may be called again, and how often, is for its steps to say.
    """
    effects: dict[str, Effect] = {}
    for node in statements(saga.body):
        if isinstance(node, Step):
            for effect in tools[node.tool].effects:
                effects.setdefault(effect.kind, replace(effect, ids=(), corrective=None))
    return Tool(
        name=saga.name,
        parameters=saga.parameters,
        result=Type("none"),
        call=Binding(target="", args=()),
        effects=tuple(effects.values()),
        idempotent=Idempotence(by="naturally"),
        timeout=0,
        settle=0,
        at=saga.at,
        doc=saga.doc,
    )
