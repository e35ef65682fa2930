"""The catalogue part of a plan: tools and agents, what they change, verify and undo."""

from __future__ import annotations

from typing import Literal as OneOf

from msgspec import Struct

from .formula import NOWHERE, Formula, Place, Type

EffectClass = OneOf["reversible", "compensatable", "irreversible", "restoring"]
BetweenRuns = OneOf["", "allow", "wait", "escalate"]
"""What to do when another unfinished run has an effect on the same resource; "": the default."""


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
    """A compensation: the call, its condition, how long it is accepted, and what it replaces.

    `tool` names a tool, or a saga of the plan's `undo_sagas`.
    """

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


class Evidence(Part, frozen=True, kw_only=True):
    """A witness without a verify endpoint: a read, its weight (decimal text), its verdicts."""

    tool: str
    args: tuple[Argument, ...] = ()
    weight: str
    verdicts: tuple[Verdict, ...]


class AcceptEvidence(Part, frozen=True, kw_only=True):
    """How much evidence is taken (`least` as decimal text), for effects below an impact."""

    least: str
    below: int


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
    evidence: tuple[Evidence, ...] = ()
    accept_evidence: AcceptEvidence | None = None
    between_runs: BetweenRuns = ""
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


class AgentTool(Part, frozen=True, kw_only=True):
    """A tool that an agent may use; with a group in `needs`, each call waits for its own gate."""

    tool: str
    needs: str = ""


class Agent(Part, frozen=True, kw_only=True):
    """Something that decides by itself which of its tools to call, in any order.

    `at_most` bounds its calls over all incarnations and attempts; None: no bound.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    call: Binding
    uses: tuple[AgentTool, ...]
    at_most: int | None = None
    fails: tuple[str, ...] = ()
    transient: tuple[str, ...] = ()
    retry: Retry = Retry()
    timeout: int = 60_000
    settle: int = 60_000
    requires: tuple[Condition, ...] = ()
    ensures: tuple[Condition, ...] = ()
    service: str = ""
    runbook: str = ""
