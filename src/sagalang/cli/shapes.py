"""The shapes of the JSON documents that commands print; docs/schemas is made from them."""

from __future__ import annotations

from typing import Any, Literal as OneOf

from ..runtime.events import Event
from ..runtime.foresight import Foresight
from .catalogue_shapes import Catalogue as Catalogue
from .scenario_shapes import Test as Test
from .shape import Diagnostic, RunStatus, Shape, Spot

StepClass = OneOf[
    "read", "reversible", "compensatable", "irreversible", "accepted", "restoring", "agent", "saga"
]
StepStatus = OneOf[
    "pending", "in_flight", "unknown", "succeeded", "failed", "skipped", "compensating",
    "compensated", "compensation_failed",
]  # fmt: skip
EffectStatus = OneOf["in_flight", "standing", "undone", "undo_failed", "unknown", "unproven"]
EffectClass = OneOf["reversible", "compensatable", "irreversible", "accepted", "restoring"]
Seen = OneOf["applied", "absent", "conflict", "unknown", "no verify"]


class CheckedStep(Shape):
    """A step: what can become of it, and whether it can be relied on to be completed."""

    path: str
    tool: str
    class_: StepClass
    retriable: bool


class Least(Shape):
    """The least readiness as a decimal text, and the effects that stand in that state.

    Where no state has it, `approached`, they are those of which there are ever more.
    """

    least: str
    after: list[str]
    approached: bool


class Promise(Shape):
    """A promise as written; the run that breaks it, null when it holds."""

    text: str
    holds: bool
    counterexample: str | None


class CheckedSaga(Shape):
    """What is proved of one saga."""

    name: str
    definition: str
    steps: list[CheckedStep]
    readiness: Least
    promises: list[Promise]


class Check(Shape):
    """What `saga check` prints."""

    diagnostics: list[Diagnostic]
    sagas: list[CheckedSaga]


class Error(Shape):
    """The class name of an error and its message."""

    type: str
    message: str


class Step(Shape):
    """A step of a run; `unavailable` says why its result could not be kept.

    `error` is what went wrong the last time; while its undo is tried, that of the undo, and
    `undo_attempts` how often it was called.
    """

    path: str
    status: StepStatus
    attempts: int
    result: Any
    unavailable: str = ""
    undo_attempts: int = 0
    error: Error | None = None


class Effect(Shape):
    """An effect that landed or may have; times are UTC milliseconds since 1970.

    `verified` and `verified_reason` are there with `--verify-now`.
    """

    path: str
    resource: str
    class_: EffectClass
    impact: int
    status: EffectStatus
    at: int
    tool: str
    actor: str
    unproven: bool
    corrective: str = ""
    undo: str | None = None
    undo_until: int | None = None
    verified: Seen | None = None
    verified_reason: str = ""


class Waiting(Shape):
    """What a run waits for; `shows` is what people decide on."""

    kind: OneOf["gate", "signal", "timer", "run"]
    path: str
    needs: str
    shows: dict[str, Any]
    until: str | None
    approved_by: list[str] = []  # noqa: RUF012 (msgspec copies it)
    digest: str = ""


class Touched(Shape):
    """A resource that an incident is about, and what its verify said."""

    path: str
    resource: str
    verified: str


class Irreversible(Shape):
    """An effect that nothing undoes, and what became of its corrective."""

    path: str
    resource: str
    corrective: str


class Deadline(Shape):
    """Until when an undo is accepted, or a key is known."""

    path: str
    until: str
    undo: str | None = None
    key: str | None = None


class Incident(Shape):
    """What people are asked; `answers` are those that `saga resolve` takes."""

    id: str
    cause: str
    path: str
    summary: str
    resources: list[Touched]
    irreversible: list[Irreversible]
    recommended: str
    reasons: list[str]
    answers: list[str]
    deadlines: list[Deadline]
    runbook: str
    readiness: str


class OpenIncident(Incident):
    """An incident and its run, as `saga incidents` lists it."""

    run_id: str
    saga: str


class Checkpoint(Shape):
    """A state to come back to: event `n`; `before:STEP` when nobody wrote it."""

    name: str
    n: int


class Run(Shape):
    """A run as `saga run`, `resume` and `show` print it; `reason` says why it is paused."""

    run_id: str
    saga: str
    definition: str
    status: RunStatus
    result: Any
    error: Error | None
    steps: list[Step]
    effects: list[Effect]
    readiness: str
    checkpoints: list[Checkpoint]
    waiting_for: list[Waiting]
    incident: Incident | None
    reason: str = ""


class RunRow(Shape):
    """A run as `saga runs` lists it."""

    run_id: str
    saga: str
    definition: str
    status: RunStatus
    created: str
    updated: str
    source: str


class LoggedEvent(Event):
    """An event as `saga log` prints it: its time as text, its readiness as a decimal text."""

    wall_time: str = ""  # type: ignore[assignment]
    readiness: str | None = None  # type: ignore[assignment]


class Counted(Shape):
    """What one effect adds to the readiness: `u` of its impact, and why."""

    path: str
    resource: str
    class_: EffectClass
    impact: int
    u: str
    why: str


class Change(Shape):
    """A change of the readiness and the event that caused it."""

    n: int
    kind: str
    path: str
    readiness: str


class Score(Shape):
    """What `saga score` prints."""

    run_id: str
    readiness: str
    reasons: list[Counted]
    history: list[Change]


class Finding(Shape):
    """One thing that `saga doctor` looked at; `fix` is empty when nothing is to be done."""

    about: str
    verdict: OneOf["fine", "look", "wrong"]
    found: str
    fix: str


class Doctor(Shape):
    """What `saga doctor` prints."""

    findings: list[Finding]


class Reworded(Shape):
    """One thing that is said otherwise: what it is, and how it is said in both."""

    name: str
    old: str
    new: str


class Difference(Shape):
    """One difference: what it is about, its name or path, how it differs, where in both."""

    what: str
    name: str
    change: OneOf["added", "removed", "moved", "changed"]
    says: str
    changes: list[Reworded]
    old: Spot | None
    new: Spot | None


class Standpoint(Shape):
    """A place where a live run can stand, what may become of it there, and why."""

    at: str
    verdict: OneOf["goes_on", "only_rolls_back", "incompatible"]
    because: list[str]


class ComparedSaga(Shape):
    """Two definitions of a saga; without differences both have one identity."""

    name: str
    old: str
    new: str
    differences: list[Difference]
    places: list[Standpoint]


class Diff(Shape):
    """What `saga diff` prints: sagas in both, those that are gone, those that were added."""

    sagas: list[ComparedSaga]
    gone: list[str]
    added: list[str]


DOCUMENTS: dict[str, Any] = {
    "check": Check,
    "test": Test,
    "foresight": Foresight,
    "run": Run,
    "runs": list[RunRow],
    "log": list[LoggedEvent],
    "effects": list[Effect],
    "incidents": list[OpenIncident],
    "score": Score,
    "doctor": Doctor,
    "diff": Diff,
    "catalogue": Catalogue,
}
"""The documents by the name of their schema: of `saga plan` it is `foresight`."""


def schema(name: str) -> bytes:
    """Gives the JSON schema of a document, laid out."""
    import msgspec

    made = msgspec.json.schema(DOCUMENTS[name])
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **made}
    return msgspec.json.format(msgspec.json.encode(made, order="deterministic"), indent=2) + b"\n"
