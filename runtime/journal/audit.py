"""Looking over a whole log: its numbers, each run's chain, large values, SQLite's own checks."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .blobs import digest
from .connection import reading
from .encoding import decode, genesis, link
from .errors import LogDamaged, LogError, translate
from .files import files
from .reads import blob_data, fetch_blob


@dataclass(slots=True)
class _Tail:
    n: int
    seq: int
    hash: bytes
    sound: bool = True


def verify(path: str | os.PathLike[str]) -> list[LogError]:
    """Gives all that is wrong with a log; an empty list when it is what was written.

    Finds damage and careless edits, not a forger, and not a whole log put back from yesterday.
    """
    where = files(path)
    try:
        with reading(where) as db:
            return list(audit(db, where.journal))
    except LogError as error:
        return [error]


def audit(db: sqlite3.Connection, path: Path) -> Iterator[LogError]:
    """Gives what is wrong, as found on an open connection."""
    try:
        for (said,) in db.execute("PRAGMA integrity_check").fetchall():
            if said != "ok":
                yield LogDamaged(path, said)
        tails: dict[str, _Tail] = {}
        yield from _events(db, path, tails)
        yield from _runs(db, path, tails)
        yield from _blobs(db, path)
    except sqlite3.DatabaseError as error:
        yield translate(error, path)


def _events(db: sqlite3.Connection, path: Path, tails: dict[str, _Tail]) -> Iterator[LogError]:
    last_seq, pruned = db.execute("SELECT last_seq, pruned_through FROM log").fetchone()
    expected = pruned
    for seq, run_id, n, prev_seq, kind, place, body, stored in db.execute(
        "SELECT seq, run_id, n, prev_seq, kind, path, CAST(body AS BLOB), hash FROM events"
        " ORDER BY seq"
    ):
        expected += 1
        if seq != expected:
            yield LogDamaged(path, f"entry {expected} is missing")
            expected = seq
        tail = tails.setdefault(run_id, _Tail(0, 0, genesis(run_id)))
        if tail.sound:
            reason = ""
            if n != tail.n + 1 or prev_seq != tail.seq:
                reason = f"event {n} follows event {tail.n}"
            elif link(tail.hash, body) != stored:
                reason = "its bytes are not those that were written"
            else:
                try:
                    event = decode(body, path, lambda name: fetch_blob(db, path, name))
                    if (event.n, event.kind, event.path) != (n, kind, place):
                        reason = "its columns differ from its body"
                except LogDamaged as error:
                    reason = error.reason
                except LogError as error:
                    yield error
            if reason:
                tail.sound = False
                yield LogDamaged(path, reason, run_id=run_id, n=n, last_good=tail.n)
        tail.n, tail.seq, tail.hash = n, seq, stored
    if expected != last_seq:
        yield LogDamaged(path, f"it should end with entry {last_seq}, and ends with {expected}")


def _runs(db: sqlite3.Connection, path: Path, tails: dict[str, _Tail]) -> Iterator[LogError]:
    found: set[str] = set()
    for run_id, n, last_seq, chain in db.execute("SELECT run_id, n, last_seq, hash FROM runs"):
        found.add(run_id)
        tail = tails.get(run_id, _Tail(0, 0, genesis(run_id)))
        if (n, last_seq, chain) != (tail.n, tail.seq, tail.hash):
            reason = f"the list of runs says {n} events, the log holds {tail.n}"
            yield LogDamaged(path, reason, run_id=run_id, n=n, last_good=tail.n)
    for run_id in sorted(tails.keys() - found):
        yield LogDamaged(path, "it is not in the list of runs", run_id=run_id, n=1)


def _blobs(db: sqlite3.Connection, path: Path) -> Iterator[LogError]:
    (salt,) = db.execute("SELECT salt FROM log").fetchone()
    for name, size in db.execute("SELECT hash, size FROM blobs").fetchall():
        data = blob_data(db, name)
        if len(data) != size or digest(data, salt) != name:
            yield LogDamaged(path, f"the large value {name[:12]} is not what was stored")
