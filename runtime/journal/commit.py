"""The transaction that appends: many runs in one commit, each compared and set."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from . import points
from .batch import RUN_COLUMNS, Committed, Fence, Run, Write
from .encoding import genesis, link

Row = tuple[Any, ...]
Hashes = dict[str, list[bytes]]
"""Per run, the hash of each event of the batch: what an unknown result is compared with."""

_T = TypeVar("_T")
_CHUNK = 64
"""Rows of one statement: 8 values each stay within the 999 variables of any SQLite."""


def append(
    db: sqlite3.Connection, owner: str, writes: Sequence[Write], hashes: Hashes
) -> Committed:
    """Appends a batch in one transaction that has begun, without committing it.

    Few and long statements, because between two of them another thread of Python may take the
    interpreter for 5 ms; `executemany` beside a busy thread is 35 times slower.
    Fills `hashes`. Raises sqlite3.Error.
    """
    (last_seq,) = db.execute("SELECT last_seq FROM log").fetchone()
    rows = _runs(db, [write.run_id for write in writes])
    seqs: dict[str, int] = {}
    fenced: dict[str, Fence] = {}
    existing: dict[str, Run] = {}
    events: list[Row] = []
    heads: list[Row] = []
    done: list[Write] = []
    for write in writes:
        run = rows.get(write.run_id)
        if run is None and write.begins is not None:
            previous, prev_seq, created = genesis(write.run_id), 0, None
        elif run is None:
            fenced[write.run_id] = Fence(write.run_id, "the run", "no such run")
            continue
        elif write.begins is not None:
            existing[write.run_id] = run
            continue
        elif fence := compare(run, owner, write):
            fenced[write.run_id] = fence
            continue
        else:
            previous, prev_seq, created = run.hash, run.last_seq, run.created
        chain = hashes.setdefault(write.run_id, [])
        n = run.n if run else 0
        updated = run.updated if run else 0
        for entry in write.entries:
            n += 1
            if entry.n != n or entry.run_id != write.run_id:
                raise ValueError(f"entry {entry.n} of {entry.run_id!r} where {n} was to come")
            previous = link(previous, entry.body)
            chain.append(previous)
            last_seq += 1
            place = (last_seq, write.run_id, n, prev_seq)
            events.append((*place, entry.kind, entry.path, entry.body, previous))
            prev_seq, updated = last_seq, entry.wall_time
        seqs[write.run_id] = prev_seq
        done.append(write)
        if created is None:
            _begin(db, owner, write, n, prev_seq, previous, updated)
        else:
            heads.append((write.run_id, write.status, n, prev_seq, previous, updated))
    _write(db, events, heads, last_seq)
    for write in done:
        _attend(db, write)
    points.reach("commit.written")
    return Committed(seqs, fenced, existing)


def compare(run: Run, owner: str, write: Write) -> Fence | None:
    """Compares what a write expects of its run with what the log says."""
    n = write.entries[0].n - 1 if write.entries else run.n
    expected, found = (owner, write.epoch, n), (run.owner, run.epoch, run.n)
    if expected == found:
        return None
    return Fence(write.run_id, _state(*expected), _state(*found))


def _state(owner: str, epoch: int, n: int) -> str:
    return f"owner {owner or 'nobody'}, epoch {epoch}, {n} events"


def _runs(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Run]:
    found: dict[str, Run] = {}
    for chunk in _chunks(ids):
        # A power of two of places, so that few different statements are prepared.
        size = 1 << (len(chunk) - 1).bit_length()
        wanted = [*chunk, *[chunk[0]] * (size - len(chunk))]
        places = ",".join("?" * size)
        for row in db.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id IN ({places})", wanted):
            found[row[0]] = Run(*row)
    return found


def _write(db: sqlite3.Connection, events: list[Row], heads: list[Row], last_seq: int) -> None:
    for chunk in _chunks(events):
        places = ",".join(["(?,?,?,?,?,?,?,?)"] * len(chunk))
        db.execute(f"INSERT INTO events VALUES {places}", _flat(chunk))
    for chunk in _chunks(heads):
        places = ",".join(["(?,?,?,?,?,?)"] * len(chunk))
        db.execute(
            "UPDATE runs SET status = coalesce(new.column2, status), n = new.column3, "
            "last_seq = new.column4, hash = new.column5, updated = new.column6 "
            f"FROM (VALUES {places}) AS new WHERE run_id = new.column1",
            _flat(chunk),
        )
    if events:
        db.execute("UPDATE log SET last_seq = ?", (last_seq,))


def _begin(
    db: sqlite3.Connection,
    owner: str,
    write: Write,
    n: int,
    last_seq: int,
    chain: bytes,
    created: int,
) -> None:
    begins = write.begins
    assert begins is not None
    keep_definition(db, begins.definition, begins.plan)
    status = write.status or "running"
    db.execute(
        f"INSERT INTO runs({RUN_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            *(write.run_id, begins.saga, begins.definition, begins.inputs, begins.source, status),
            *(owner, write.epoch, n, last_seq, chain, created, created),
        ),
    )


def keep_definition(db: sqlite3.Connection, definition: str, plan: bytes) -> None:
    """Stores a plan under its hash, once."""
    db.execute("INSERT OR IGNORE INTO definitions VALUES (?, ?)", (definition, plan))


def _attend(db: sqlite3.Connection, write: Write) -> None:
    for request in write.requests:
        db.execute("DELETE FROM requests WHERE id = ?", (request,))
    if write.waits is not None:
        db.execute("DELETE FROM waits WHERE run_id = ?", (write.run_id,))
        for wait in write.waits:
            db.execute("INSERT INTO waits VALUES (?,?,?)", (write.run_id, wait.timer, wait.due))


def _chunks(items: Sequence[_T]) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]


def _flat(rows: Iterable[Row]) -> list[Any]:
    return [value for row in rows for value in row]
