"""The state of a run: what folding its events gives, changed by `apply` alone."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Literal as OneOf, NamedTuple

import msgspec
from msgspec import Struct

from ..events import Descriptor
from .agency import Agency
from .commands import Command
from .empty import NOTHING, new_dict, new_list, new_set
from .frames import Frame, Loop
from .index import Index
from .overlap import Overlaps
from .sites import Site


class Timer(Struct, gc=False):
    """A timer that was set: when (n, elapsed), how long, when due in UTC ms, whether it is over."""

    n: int
    elapsed: int
    length: int
    due: int
    safety: bool
    over: bool = False


class Calling(Struct, gc=False):
    """The calls of one direction (an action, its undo, a corrective) and what came of them.

    `attempts` counts those that count against `retry`; `number` numbers all. `loose` counts the
    attempts that ended unknown and are not accounted for; `ended` is the run's elapsed time at the
    last attempt's end. `inquiries` counts verifies since then, `failures` those without verdict.
    """

    key: str = ""
    number: int = 0
    attempts: int = 0
    lost: int = 0
    exhausted: bool = False
    open: bool = False
    first_wall: int = 0
    first_elapsed: int = 0
    ended: int = 0
    loose: int = 0
    repeats: int = 0
    inquiries: int = 0
    failures: int = 0
    verdict: str = ""
    conclusive: bool = False
    retry_after: int = 0
    error: Any = None
    cause: int = 0


class StepState(Struct, gc=False):
    """One step of a run, or one call of another saga.

    `phase` is finer than the public status: ready called unknown confirming between landed failed
    skipped undone, and running for a saga that is called. `worth` is the impact of its resources
    that can be taken back and of all, in halves, `weight` what it counts in the readiness, `sure`
    that it counts in full, and that landing will not change that. `rerun`: its undo
    is under way, and then it runs anew; `covered`: the undo of a completed call of a saga takes it
    back; `saved`: a checkpoint was taken before its first call. `undoing` is the frame of the saga
    that is its undo, once that has begun, and `partly` says that people let some of it be.
    """

    path: str
    site: Site
    frame: Frame
    phase: str = "ready"
    generation: int = 1
    do: Calling = msgspec.field(default_factory=Calling)
    args: dict[str, Any] | None = None
    wire_args: dict[str, Any] | None = None
    digest: str = ""
    remembered: dict[str, Any] = NOTHING
    baselines: dict[str, Any] = NOTHING
    reads: dict[str, Calling] = NOTHING
    expected: bool = False
    drifted: bool = False
    descriptors: list[Descriptor] = []
    resources: list[dict[str, Any]] = []
    result: Any = None
    unavailable: str = ""
    error: Any = None
    intent_n: int = 0
    confirmed_n: int = 0
    confirmed_elapsed: int = 0
    confirmed_by: str = ""
    unproven: bool = False
    absent_by_time: bool = False
    may_have_landed: bool = False
    settled: bool = False
    timers: dict[str, Timer] = NOTHING
    timers_set: int = 0
    undo: Calling | None = None
    undo_ordinal: int = 0
    undo_phase: str = ""
    undoing: Frame | None = None
    partly: bool = False
    witnesses: dict[int, Witness] = NOTHING
    neighbourhood: Neighbourhood | None = None
    correctives: dict[int, Calling] = NOTHING
    corrective_status: dict[int, str] = NOTHING
    wall_time: int = 0
    actor: str = ""
    worth: tuple[int, int] = (0, 0)
    weight: tuple[int, int] = (0, 0)
    sure: bool = False
    saved: bool = False
    rerun: bool = False
    covered: bool = False


class Witness(Struct, gc=False):
    """What one `evidence` read has said about an unknown outcome.

    `heard` once it gave an answer, `conclusive` when that was after nothing could land any more;
    `gives` when its verdict gives the value that the result needs.
    """

    verdict: str = "unknown"
    value: Any = None
    gives: bool = False
    heard: bool = False
    conclusive: bool = False
    tries: int = 0


class Neighbourhood(Struct, gc=False):
    """The resources that a step is going to touch, and the other runs that touch them.

    `runs` is None before they were looked for; `circle` says that one of them waits for this run.
    """

    resources: list[str]
    surveys: int = 0
    runs: list[str] | None = None
    circle: bool = False
    accepted: bool = False


class GateState(Struct, gc=False):
    """A gate: what it showed, who decided what, and whether it is still open."""

    path: str
    number: int
    frame: Frame
    phase: str = "ready"
    shows: dict[str, Any] = {}
    digest: str = ""
    approvals: list[str] = []
    notes: list[str] = []
    rejected_by: str = ""
    settled: bool = False
    opened_n: int = 0
    until: int = 0
    timers: dict[str, Timer] = {}
    timers_set: int = 0


AskPurpose = OneOf["corrective", "guard", "call"]
"""Why a gate opens that no statement declares."""


class AskedGate(Struct, gc=False):
    """A gate that opened by itself before one call of a step, and what became of it."""

    path: str
    step: str
    purpose: AskPurpose
    generation: int
    group: str
    shows: dict[str, Any]
    digest: str
    ordinal: int = 0
    opened_n: int = 0
    phase: OneOf["open", "approved", "rejected"] = "open"
    by: str = ""


class WaitState(Struct, gc=False):
    """A wait for a signal, or a sleep: ready settled lapsed failed closed."""

    path: str
    number: int
    frame: Frame
    phase: str = "ready"
    settled: bool = False
    opened_n: int = 0
    timers: dict[str, Timer] = {}
    timers_set: int = 0


Holder = StepState | GateState | WaitState
"""What has timers."""


class Due(NamedTuple):
    """What follows by itself from an event: a statement that settles or begins, a frame's end."""

    what: OneOf["settle", "begin", "resume", "ended"]
    frame: Frame
    number: int


class Incident(Struct):
    """An open question to people: what happened, where, and the answers that it takes."""

    id: str
    n: int
    cause: str
    path: str
    summary: str
    answers: tuple[str, ...]
    recommended: str
    reasons: tuple[str, ...]
    blocking: bool = True
    to_inspect: list[str] = []
    inspected: dict[str, str] = {}
    open: bool = True


def _root() -> Frame:
    root = Frame("", "saga", 0)
    root.names = root.values
    return root


@dataclass(slots=True)
class State:
    """Everything that the kernel knows of a run after its event `n`.

    Steps, gates, waits, loops, choices and frames are kept by their dynamic paths, over all frames;
    `turns` are the statements whose turn it is. `agenda` holds the commands wanted and not yet
    issued; `checkpoint_n` and `landed_n` are the events of the last checkpoint and of the last
    effect that landed. `dirty` are the places to look at before the agenda is complete again, `due`
    and `turning` what is left to do of the present event, `keeping` the steps that wish for a
    checkpoint (memory of the fold, never part of the meaning). `lossy` once a value was not
    available.
    """

    index: Index
    run_id: str = ""
    definition: str = ""
    n: int = 0
    wall_time: int = 0
    elapsed: int = 0
    initiator: str = ""
    root: Frame = field(default_factory=_root)
    frames: dict[str, Frame] = field(default_factory=new_dict)
    boundaries: dict[str, Frame] = field(default_factory=new_dict)
    loops: dict[str, Loop] = field(default_factory=new_dict)
    steps: dict[str, StepState] = field(default_factory=new_dict)
    gates: dict[str, GateState] = field(default_factory=new_dict)
    asked: dict[str, AskedGate] = field(default_factory=new_dict)
    agents: dict[str, Agency] = field(default_factory=new_dict)
    pauses: dict[str, WaitState] = field(default_factory=new_dict)
    signals: dict[str, Any] = field(default_factory=new_dict)
    choices: dict[str, str] = field(default_factory=new_dict)
    turns: dict[str, tuple[Frame, int]] = field(default_factory=new_dict)
    active: set[str] = field(default_factory=new_set)
    owed: dict[str, None] = field(default_factory=new_dict)
    timed: dict[str, None] = field(default_factory=new_dict)
    checkpoints: dict[str, int] = field(default_factory=new_dict)
    checkpoint_n: int = 0
    keeping: dict[str, None] = field(default_factory=new_dict)
    landed_n: int = 0
    deadline: Timer | None = None
    target: int = 0
    until_checkpoint: str = ""
    alone: dict[str, None] = field(default_factory=new_dict)
    going_back: dict[str, int] = field(default_factory=new_dict)
    incidents: dict[str, Incident] = field(default_factory=new_dict)
    frozen: bool = False
    finished: str = ""
    result: Any = None
    pivots_landed: set[str] = field(default_factory=new_set)
    ready_num: int = 0
    ready_den: int = 0
    readiness: tuple[int, int] = (1, 1)
    expiries: list[tuple[int, str]] = field(default_factory=new_list)
    agenda: dict[str, Command] = field(default_factory=new_dict)
    wants: dict[str, list[str]] = field(default_factory=new_dict)
    issued: dict[str, Command] = field(default_factory=new_dict)
    dirty: dict[str, None] = field(default_factory=new_dict)
    due: deque[Due] = field(default_factory=deque[Due])
    turning: list[Frame] = field(default_factory=new_list)
    contradictions: list[str] = field(default_factory=new_list)
    overlaps: Overlaps = field(default_factory=Overlaps)
    lossy: bool = False

    @property
    def values(self) -> dict[str, Any]:
        """The values of the saga's own names."""
        return self.root.values

    @property
    def closed(self) -> str:
        """Why the whole saga goes back, or an empty text."""
        return self.root.closed

    @property
    def error(self) -> Any:
        """What the saga as a whole failed with."""
        return self.root.error

    def holder(self, path: str) -> Holder | None:
        """Gives what has timers at a path: a step, a gate, a wait."""
        return self.steps.get(path) or self.gates.get(path) or self.pauses.get(path)


def corrective_of(s: StepState, ordinal: int) -> Calling:
    """Gives the record of the calls of a corrective, from the first one on."""
    if ordinal not in s.correctives:
        s.correctives = {**s.correctives, ordinal: Calling()}
    return s.correctives[ordinal]


UNDO = -1
"""In `going_back` stands for the undo of a step; any other number for a corrective of it."""


def renewed(s: StepState) -> StepState:
    """Gives a step ready to run anew: in the next generation when it was ever called."""
    called = s.do.number > 0 and s.intent_n > 0
    fresh = StepState(s.path, s.site, s.frame, generation=s.generation + (1 if called else 0))
    fresh.timers_set = s.timers_set
    return fresh
