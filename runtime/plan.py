"""The plan: what the compiler makes of one saga and everything that runs, shows or proves it reads.

A plan is plain data (msgspec structs with a published JSON schema). All times in it are integer
milliseconds. Each `at` is a place for people; `definition` hashes a plan without places, texts of
expressions and documentation, so that comments, layout, file names and line ends do not count.
Values that equal a field's default are left out of the JSON: the defaults below are part of the
format and never change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal as OneOf

import msgspec
from msgspec import Struct

from .formula import NOWHERE, Formula, Literal, Place, Type

FORMAT = 1
"""Version of the plan's own shape; a reader refuses a newer one."""

EffectClass = OneOf["reversible", "compensatable", "irreversible", "restoring"]
OnFailure = OneOf["rollback", "continue", "escalate"]


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every part of a plan has: where it stands and its documentation."""

    at: Place = NOWHERE
    doc: str = ""


class Parameter(Part, frozen=True, kw_only=True):
    """An input of a saga, a parameter of a tool, or a field of a record."""

    name: str
    type: Type
    default: Formula | None = None


class Record(Part, frozen=True, kw_only=True):
    """A record: its fields in order."""

    name: str
    fields: tuple[Parameter, ...]


class Enum(Part, frozen=True, kw_only=True):
    """An enum: its members in order. A value of it is the member's name."""

    name: str
    members: tuple[str, ...]


class Argument(Part, frozen=True, kw_only=True):
    """One argument of a call: the parameter's name and the value given to it."""

    name: str
    value: Formula


class Condition(Part, frozen=True, kw_only=True):
    """A `requires` or `ensures` of a tool: what must hold, and the text when it does not."""

    test: Formula
    otherwise: Formula | None = None


class Retry(Part, frozen=True, kw_only=True):
    """How often and how far apart attempts are: `attempts` counts all, None means forever."""

    attempts: int | None = 1
    low: int = 1_000
    high: int = 30_000


class Corrective(Part, frozen=True, kw_only=True):
    """What must happen when an irreversible effect is rolled back anyway: a text or a call."""

    text: Formula | None = None
    tool: str = ""
    args: tuple[Argument, ...] = ()
    needs: str = ""


class Effect(Part, frozen=True, kw_only=True):
    """One change outside: kind of resource, what identifies it, class, business impact 1 to 10."""

    kind: str
    ids: tuple[Formula, ...] = ()
    effect_class: EffectClass
    impact: int = 1
    corrective: Corrective | None = None


class Reading(Part, frozen=True, kw_only=True):
    """A resource that a tool depends on staying as it is (`reads`)."""

    kind: str
    ids: tuple[Formula, ...] = ()


class Verdict(Part, frozen=True, kw_only=True):
    """One line of a verify block: what the answer `it` must satisfy, and the value it gives."""

    kind: OneOf["applied", "absent", "conflict"]
    when: Formula
    gives: Formula | None = None


class Verify(Part, frozen=True, kw_only=True):
    """How to find out whether a call happened: a read, and what its answer says.

    Without verdicts every answer but none and false is *applied* and is the result.
    """

    tool: str
    args: tuple[Argument, ...] = ()
    consistent_after: int = 0
    verdicts: tuple[Verdict, ...] = ()


class Remember(Part, frozen=True, kw_only=True):
    """An earlier state read before the action and stored with its intent."""

    name: str
    tool: str
    args: tuple[Argument, ...]
    type: Type
    otherwise: Formula | None = None
    required: bool = False


class Undo(Part, frozen=True, kw_only=True):
    """A compensation: the call, its condition, how long it is accepted, and what it replaces."""

    tool: str
    args: tuple[Argument, ...]
    when: Formula | None = None
    within: int | None = None
    timeout: int | None = None
    settle: int | None = None
    retry: Retry | None = None
    verify: Verify | None = None


class Binding(Part, frozen=True, kw_only=True):
    """The Python callable behind a tool: `module:function`, or a name of the loading namespace.

    Arguments whose `name` is empty are positional.
    """

    target: str
    args: tuple[Argument, ...]


class Idempotence(Part, frozen=True, kw_only=True):
    """Why a repeated call is harmless: naturally, or by key for `lifetime` (None: for ever)."""

    by: OneOf["key", "naturally"]
    lifetime: int | None = None


class Tool(Part, frozen=True, kw_only=True):
    """One call to the outside world: what it changes, how that is verified, how it is undone."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    call: Binding
    effects: tuple[Effect, ...] = ()
    states_effects: bool = True
    reads: tuple[Reading, ...] = ()
    idempotent: Idempotence | None = None
    fails: tuple[str, ...] = ()
    transient: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    retry: Retry = Retry()
    timeout: int = 60_000
    settle: int = 60_000
    requires: tuple[Condition, ...] = ()
    ensures: tuple[Condition, ...] = ()
    remember: tuple[Remember, ...] = ()
    verify: Verify | None = None
    verify_always: bool = False
    escalate_unknown: bool = False
    undos: tuple[Undo, ...] = ()
    commutes: bool = False
    commutes_with: tuple[str, ...] = ()
    service: str = ""
    runbook: str = ""

    @property
    def is_read(self) -> bool:
        """True for a tool that changes nothing outside."""
        return not self.effects

    @property
    def irreversible(self) -> bool:
        """True when an effect of it cannot be undone by anything."""
        return any(effect.effect_class == "irreversible" for effect in self.effects)


class Statement(Part, frozen=True, kw_only=True, tag_field="kind"):
    """What every statement has.

    `path` names it: the chain of names from the saga's body, `kind#n` for one without a name. It is
    unique, except that both branches of one `if` may hold the same path. `waits` are the paths that
    must have settled before it, beyond its predecessor in a sequence: its data and its `after`
    (`after` keeps the names as written).
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


Node = Step | Let | Requires | If | Parallel | Checkpoint | Gate | Return


class Promise(Part, frozen=True, kw_only=True):
    """What the author promises of every forward state before the first effect of `until`."""

    kind: OneOf["reversible", "readiness", "gated"]
    bound: Formula | None = None
    until: tuple[str, ...] = ()
    source: str = ""


class Plan(Part, frozen=True, kw_only=True):
    """One saga, complete: it runs, is unwound, shown and proved from this alone.

    `tools`, `records` and `enums` hold what the saga reaches, sorted by name.
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


def statements(body: tuple[Node, ...]) -> Iterator[Node]:
    """Gives every statement of a body, outer before inner, in the order written."""
    todo = list(reversed(body))
    while todo:
        node = todo.pop()
        yield node
        match node:
            case If(then=then, otherwise=otherwise):
                todo.extend(reversed((*then, *otherwise)))
            case Parallel(body=inner):
                todo.extend(reversed(inner))
            case _:
                pass


def definition(plan: Plan) -> str:
    """Gives the identity of a plan's meaning: 64 hexadecimal digits, equal for equal meaning."""
    meaning = msgspec.json.encode(_meaning(plan, {}), order="deterministic")
    return hashlib.sha256(meaning).hexdigest()


def _meaning(part: Any, known: dict[int, Any]) -> Any:
    # msgspec leaves out what *is* a default, not what equals one: 30_000 counted out at run time
    # would be another meaning than 30_000 in a source. So the defaults are left out here.
    if isinstance(part, Literal):
        return {"op": "literal", "value": part.value}
    if isinstance(part, Struct):
        # Steps share what they take over from their tools: it is told once.
        if id(part) in known:
            return known[id(part)]
        config = part.__struct_config__
        said = {} if config.tag_field is None else {config.tag_field: config.tag}
        for name, default in _fields(type(part)):
            value = getattr(part, name)
            if value != default:
                said[name] = _meaning(value, known)
        known[id(part)] = said
        return said
    if isinstance(part, tuple):
        items: tuple[Any, ...] = part  # pyright: ignore[reportUnknownVariableType]
        return [_meaning(item, known) for item in items]
    return part


@cache
def _fields(part: type[Struct]) -> tuple[tuple[str, object], ...]:
    return tuple(
        (field.name, field.default)
        for field in msgspec.structs.fields(part)
        if field.name not in ("at", "doc", "source")
    )
