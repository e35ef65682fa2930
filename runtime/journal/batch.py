"""What is given to a commit, and what comes back from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from .encoding import Entry

OPEN = ("running", "waiting", "paused", "compensating", "escalated")
"""Statuses of runs that are not final."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A timer that a run waits for; `due` is UTC in milliseconds since 1970."""

    timer: str
    due: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A timer in the log, and the run that waits for it."""

    run_id: str
    timer: str
    due: int


@dataclass(frozen=True, slots=True)
class Touching:
    """An entry that may say what a run touches; a body with large values stands as it is."""

    seq: int
    run_id: str
    kind: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is stored once about a new run: its saga, plan (JSON), digest of inputs, and file."""

    saga: str
    definition: str
    plan: bytes
    inputs: str
    source: str = ""


class Write(Struct, frozen=True, gc=False):
    """All that one run adds to the log in one commit: it is stored whole or not at all.

    `entries` have consecutive `n`. `requests` are answered by them and removed. `waits` replace the
    run's, None leaves them. With `begins` the run is inserted if its id is not there yet.
    """

    run_id: str
    epoch: int
    entries: Sequence[Entry] = ()
    status: str | None = None
    requests: Sequence[int] = ()
    waits: Sequence[Wait] | None = None
    begins: Beginning | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run's row: what the log knows of it without folding its events. Times are UTC in ms."""

    run_id: str
    saga: str
    definition: str
    inputs: str
    source: str
    status: str
    owner: str
    epoch: int
    n: int
    last_seq: int
    hash: bytes
    created: int
    updated: int


RUN_COLUMNS = (
    "run_id, saga, definition, inputs, source, status, owner, epoch, n, last_seq, hash, "
    "created, updated"
)
"""Columns of `runs` in the order of the fields of `Run`."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Why a write was dropped: what it expected of its run, and what the log says."""

    run_id: str
    expected: str
    found: str


class Committed(Struct, frozen=True, gc=False):
    """What a commit did: last `seq` by run, and the runs of which nothing was written."""

    seqs: Mapping[str, int]
    fenced: Mapping[str, Fence] = {}
    existing: Mapping[str, Run] = {}


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a commit whose result was unknown."""

    stored: Sequence[Write] = ()
    absent: Sequence[Write] = ()
    fenced: Mapping[str, Fence] = field(default_factory=dict[str, Fence])


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody who does not own a run asks of its owner; `body` is JSON."""

    id: int
    run_id: str
    kind: str
    body: Mapping[str, object]
    posted: int


@dataclass(frozen=True, slots=True)
class Owner:
    """A process that owns runs; `alive` says that it holds its lock. `since` is UTC in ms."""

    id: str
    pid: int = 0
    host: str = ""
    since: int = 0
    alive: bool = False
    note: str = ""
