"""Reading the journal: runs, events with their chain checked, plans, requests and waits."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from ..events import Event
from .batch import OPEN, RUN_COLUMNS, Owner, Request, Run, Touching, Waiting
from .blobs import digest
from .connection import reading
from .encoding import decode, genesis, link
from .errors import DefinitionUnknown, LogDamaged, LogError, RunUnknown, translate
from .files import Files, files
from .owners import describe_owner

# Backwards along `prev_seq`: each step is one look-up by key.
_WALK = """
WITH RECURSIVE chain(seq, n, prev_seq, kind, path, body, hash) AS (
  SELECT seq, n, prev_seq, kind, path, CAST(body AS BLOB), hash FROM events WHERE seq = ?
  UNION ALL
  SELECT e.seq, e.n, e.prev_seq, e.kind, e.path, CAST(e.body AS BLOB), e.hash
  FROM events e JOIN chain ON e.seq = chain.prev_seq WHERE e.run_id = ? AND chain.n > ?)
SELECT seq, n, prev_seq, kind, path, body, hash FROM chain"""

_TOUCHING = (
    "SELECT seq, run_id, kind, path, CAST(body AS BLOB) FROM events"
    " WHERE kind IN ('intent', 'chosen', 'scope_closed', 'late')"
)


class Reading(ABC):
    """What can be asked of a log, by whoever holds a connection to it."""

    files: Files

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Gives a connection for one question; translates errors."""

    def runs(self, statuses: Collection[str] = ()) -> list[Run]:
        """Gives all runs in the order in which they began, or those of some statuses."""
        with self._reading() as db:
            rows = db.execute(f"SELECT {RUN_COLUMNS} FROM runs ORDER BY number").fetchall()
        found = [Run(*row) for row in rows]
        return [run for run in found if not statuses or run.status in statuses]

    def run(self, run_id: str) -> Run:
        """Gives one run's row; raises RunUnknown."""
        with self._reading() as db:
            return find(db, self.files.journal, run_id)

    def events(self, run_id: str, from_n: int = 1) -> list[Event]:
        """Gives the events of a run; raises LogDamaged, LogTooNew, RunUnknown."""
        with self._reading() as db:
            try:
                return _events(db, self.files.journal, run_id, from_n)
            except LogDamaged as error:
                # Backwards one comes upon the last damage first; what is told is the first.
                raise _readable(db, self.files.journal, run_id)[1] or error from None

    def readable(self, run_id: str) -> tuple[list[Event], LogError | None]:
        """Gives what can be read of a damaged run up to the last good event, and what is wrong."""
        with self._reading() as db:
            return _readable(db, self.files.journal, run_id)

    def definition(self, definition: str) -> bytes:
        """Gives a plan (JSON) by its hash; raises DefinitionUnknown."""
        with self._reading() as db:
            question = "SELECT plan FROM definitions WHERE hash = ?"
            row = db.execute(question, (definition,)).fetchone()
        if row is None:
            raise DefinitionUnknown(self.files.journal, definition)
        return bytes(row[0])

    def requests(self, run_ids: Collection[str] | None = None) -> list[Request]:
        """Gives the requests that wait for a decision, in the order of their arrival."""
        with self._reading() as db:
            rows = db.execute("SELECT * FROM requests ORDER BY id").fetchall()
        return [
            Request(number, run_id, kind, msgspec.json.decode(body), posted)
            for number, run_id, kind, body, posted in rows
            if run_ids is None or run_id in run_ids
        ]

    def pending(self, request: int) -> bool:
        """True while a request waits for its decision."""
        with self._reading() as db:
            row = db.execute("SELECT count(*) FROM requests WHERE id = ?", (request,)).fetchone()
        return bool(row[0])

    def waits(self) -> list[Waiting]:
        """Gives all timers that runs wait for, the first due first."""
        with self._reading() as db:
            rows = db.execute("SELECT run_id, timer, due FROM waits ORDER BY due, run_id, timer")
            return [Waiting(*row) for row in rows.fetchall()]

    def touching(self, after: int) -> tuple[int, list[Touching]]:
        """Gives what unfinished runs wrote after an entry about what they touch, and the last.

        The kinds are intents and choices, and what can open a run again that was over.
        """
        places = ", ".join("?" * len(OPEN))
        with self._reading() as db:
            (last,) = db.execute("SELECT last_seq FROM log").fetchone()
            rows = db.execute(
                f"{_TOUCHING} AND seq > ? AND seq <= ?"
                f" AND run_id IN (SELECT run_id FROM runs WHERE status IN ({places}))",
                (after, last, *OPEN),
            ).fetchall()
        return last, [Touching(*row) for row in rows]

    def touched_by(self, run_id: str) -> list[Touching]:
        """Gives what one run wrote about what it touches, whether it is over or not."""
        with self._reading() as db:
            rows = db.execute(f"{_TOUCHING} AND run_id = ?", (run_id,)).fetchall()
        return [Touching(*row) for row in rows]

    def owner_of(self, run_id: str) -> Owner:
        """Gives the process that owns a run, and whether it lives; raises RunUnknown."""
        return describe_owner(self.files, self.run(run_id).owner)


class Reader(Reading):
    """Reads a log without ever writing: a connection is opened for each question, and closed."""

    def __init__(self, path: str | Path) -> None:
        self.files = files(path)

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return reading(self.files)


class Held(Reading):
    """Reads through a connection that is held open by somebody else."""

    def __init__(self, where: Files, db: sqlite3.Connection) -> None:
        self.files = where
        self._db = db

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return nullcontext(self._db)


def find(db: sqlite3.Connection, path: Path, run_id: str) -> Run:
    """Gives one run's row; raises RunUnknown."""
    row = db.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise RunUnknown(path, run_id)
    return Run(*row)


def blob_data(db: sqlite3.Connection, name: str) -> bytes:
    """Gives what is stored of a large value."""
    parts = db.execute(
        "SELECT CAST(data AS BLOB) FROM parts WHERE hash = ? ORDER BY part", (name,)
    ).fetchall()
    return b"".join(part for (part,) in parts)


def fetch_blob(db: sqlite3.Connection, path: Path, name: str) -> bytes:
    """Gives a large value's JSON; raises LogDamaged when it is not what was stored."""
    (salt,) = db.execute("SELECT salt FROM log").fetchone()
    data = blob_data(db, name)
    if digest(data, salt) != name:
        raise LogDamaged(path, f"the large value {name[:12]} is not what was stored")
    return data


def _events(db: sqlite3.Connection, path: Path, run_id: str, from_n: int) -> list[Event]:
    run = find(db, path, run_id)
    # One event more than asked for, because the chain of the first begins with its hash.
    rows = db.execute(_WALK, (run.last_seq, run_id, max(from_n - 1, 1))).fetchall()
    rows.reverse()
    chain = genesis(run_id)
    if rows and from_n > 1:
        chain = rows.pop(0)[6]
    events, damage = _checked(db, path, run_id, rows, chain, max(from_n, 1))
    if damage is not None:
        raise damage
    if len(events) != run.n - max(from_n, 1) + 1 and from_n <= run.n:
        raise LogDamaged(path, f"{run.n} events were written", run_id=run_id, n=len(events) + 1)
    if events and rows[-1][6] != run.hash:
        raise LogDamaged(path, "the last hash differs", run_id=run_id, n=run.n, last_good=run.n - 1)
    return events


def _readable(
    db: sqlite3.Connection, path: Path, run_id: str
) -> tuple[list[Event], LogError | None]:
    """Reads forwards over the whole log: what lies before the damage does not depend on it."""
    rows: list[tuple[Any, ...]] = []
    broken: LogError | None = None
    try:
        for row in db.execute(
            "SELECT seq, n, prev_seq, kind, path, CAST(body AS BLOB), hash FROM events"
            " WHERE run_id = ? ORDER BY seq",
            (run_id,),
        ):
            rows.append(row)
    except sqlite3.DatabaseError as error:
        broken = translate(error, path)
    events, damage = _checked(db, path, run_id, rows, genesis(run_id), 1)
    if broken is None and damage is None:
        try:
            return _events(db, path, run_id, 1), None
        except LogDamaged as error:
            damage = error
    return events, damage or broken


def _checked(
    db: sqlite3.Connection,
    path: Path,
    run_id: str,
    rows: list[tuple[Any, ...]],
    chain: bytes,
    first: int,
) -> tuple[list[Event], LogError | None]:
    events: list[Event] = []
    for n, (_, found, _, kind, place, body, stored) in enumerate(rows, first):
        chain = link(chain, body)
        reason = ""
        if found != n:
            reason = f"event {found} stands where {n} should"
        elif chain != stored:
            reason = "its bytes are not those that were written"
        if reason:
            return events, LogDamaged(path, reason, run_id=run_id, n=n, last_good=n - 1)
        try:
            event = decode(body, path, lambda name: fetch_blob(db, path, name))
        except LogDamaged as error:
            return events, LogDamaged(path, error.reason, run_id=run_id, n=n, last_good=n - 1)
        except LogError as error:
            return events, error
        if (event.n, event.kind, event.path) != (n, kind, place):
            reason = "its columns differ from its body"
            return events, LogDamaged(path, reason, run_id=run_id, n=n, last_good=n - 1)
        event.run_id = run_id
        events.append(event)
    return events, None
