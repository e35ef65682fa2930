"""The transaction that appends: many runs in one commit, each compared and set."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .batch import RUN_COLUMNS, Committed, Fence, Run, Write
from .encoding import genesis, link
from .heads import Head as Known, Left, Rows, Stale, add

Head = tuple[str, int, int, int, bytes]
"""Of a run: owner, epoch, number of events, last `seq`, last hash."""

Hashes = dict[str, list[bytes]]
"""Per run, the hash of each event of the batch: what an unknown result is compared with."""

_ROWS = 64
"""Rows of one statement: 8 values each stay within the 999 variables of any SQLite."""


@dataclass(slots=True)
class _Flat:
    """What a batch adds, flat, ready to be bound: 8 values an event, 6 a run."""

    last_seq: int
    events: list[Any] = field(default_factory=list[Any])
    heads: list[Any] = field(default_factory=list[Any])


def append(
    db: sqlite3.Connection,
    owner: str,
    writes: Sequence[Write],
    hashes: Hashes,
    made: Rows | None = None,
) -> tuple[Committed, Left]:
    """Appends a batch in one transaction that has begun, without committing it.

    Few and long statements, because between two of them another thread of Python may take the
    interpreter for 5 ms; `executemany` beside a busy thread is 35 times slower. Rows that were
    `made` beforehand are one statement, as long as nobody else has written.
    Fills `hashes`; says also how the commit will leave the log. Raises sqlite3.Error.
    """
    seqs: dict[str, int] = {}
    left: dict[str, Known] = {}
    if made is not None:
        try:
            add(db, made)
        except Stale:
            hashes.clear()
        else:
            for write in made.attended:
                _attend(db, write)
            left = dict(made.left.heads)
            seqs = {run_id: head[3] for run_id, head in left.items()}
            writes = made.others
            if not writes:
                return Committed(seqs), made.left
    last_seq, heads, numbers = _heads(db, [write.run_id for write in writes])
    rows = _Flat(last_seq)
    fenced: dict[str, Fence] = {}
    existing: dict[str, Run] = {}
    for write in writes:
        run_id = write.run_id
        if run_id in seqs:
            raise ValueError(f"run {run_id!r} is twice in one batch")
        head = heads.get(run_id)
        if write.begins is not None:
            if head is not None:
                existing[run_id] = _run(db, run_id)
                continue
            head = (owner, write.epoch, 0, 0, genesis(run_id))
        elif head is None:
            fenced[run_id] = Fence(run_id, "the run", "no such run")
            continue
        elif fence := compare(head, owner, write):
            fenced[run_id] = fence
            continue
        n, seq, hashed = _chain(rows, write, head, hashes.setdefault(run_id, []))
        if write.begins is not None:
            numbers[run_id] = _begin(db, owner, write, n, seq, hashed)
        else:
            updated = write.entries[-1].wall_time if write.entries else None
            rows.heads += (run_id, write.status, n, seq, bytearray(hashed), updated)
        left[run_id] = numbers[run_id], write.epoch, n, seq, hashed
        seqs[run_id] = seq
        if write.requests or write.waits is not None:
            _attend(db, write)
    _store(db, rows)
    return Committed(seqs, fenced, existing), Left(rows.last_seq, left)


def compare(head: Head, owner: str, write: Write) -> Fence | None:
    """Compares what a write expects of its run with what the log says."""
    found = head[:3]
    expected = (owner, write.epoch, write.entries[0].n - 1 if write.entries else head[2])
    if expected == found:
        return None
    return Fence(write.run_id, _state(*expected), _state(*found))


def keep_definition(db: sqlite3.Connection, definition: str, plan: bytes) -> None:
    """Stores a plan under its hash, once."""
    db.execute("INSERT OR IGNORE INTO definitions VALUES (?, ?)", (definition, plan))


def _chain(rows: _Flat, write: Write, head: Head, chain: list[bytes]) -> tuple[int, int, bytes]:
    """Adds the rows of one run's events; gives `n`, `seq` and hash of the last."""
    run_id = write.run_id
    _, _, n, prev_seq, previous = head
    seq = rows.last_seq
    events = rows.events
    for entry in write.entries:
        n += 1
        if entry.n != n or entry.run_id != run_id:
            raise ValueError(f"entry {entry.n} of {entry.run_id!r} where {n} was to come")
        previous = link(previous, entry.body)
        chain.append(previous)
        seq += 1
        # Not bytes: for those Python's module looks for an adapter, in vain.
        body, hashed = bytearray(entry.body), bytearray(previous)
        events += (seq, run_id, n, prev_seq, entry.kind, entry.path, body, hashed)
        prev_seq = seq
    rows.last_seq = seq
    return n, prev_seq, previous


def _state(owner: str, epoch: int, n: int) -> str:
    return f"owner {owner or 'nobody'}, epoch {epoch}, {n} events"


def _heads(
    db: sqlite3.Connection, ids: Sequence[str]
) -> tuple[int, dict[str, Head], dict[str, int]]:
    """Reads how far the log goes, and heads and rows of those runs that are in it, at once."""
    last_seq = 0
    found: dict[str, Head] = {}
    numbers: dict[str, int] = {}
    for start in range(0, len(ids), _ROWS):
        some = ids[start : start + _ROWS]
        # A power of two of places, so that few different statements are prepared.
        size = 1 << (len(some) - 1).bit_length()
        rows = db.execute(
            "SELECT log.last_seq, number, run_id, owner, epoch, n, runs.last_seq, hash FROM log"
            f" LEFT JOIN runs ON run_id IN ({','.join('?' * size)})",
            [*some, *[some[0]] * (size - len(some))],
        ).fetchall()
        last_seq = rows[0][0]
        for _, number, run_id, *head in rows:
            found[run_id] = tuple(head)
            numbers[run_id] = number
    return last_seq, found, numbers


def _run(db: sqlite3.Connection, run_id: str) -> Run:
    question = f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?"
    return Run(*db.execute(question, (run_id,)).fetchone())


_ADVANCE = (
    "UPDATE runs SET status = coalesce(?, status), n = ?, last_seq = ?, hash = ?,"
    " updated = coalesce(?, updated) WHERE run_id = ?"
)
"""Sets the head of one run: at least twice as fast as the statement for many."""


def _store(db: sqlite3.Connection, rows: _Flat) -> None:
    for count, values in _chunks(rows.events, 8):
        places = ",".join(["(?,?,?,?,?,?,?,?)"] * count)
        db.execute(f"INSERT INTO events VALUES {places}", values)
    for count, values in _chunks(rows.heads, 6):
        if count == 1:
            db.execute(_ADVANCE, [*values[1:], values[0]])
            continue
        places = ",".join(["(?,?,?,?,?,?)"] * count)
        db.execute(
            "UPDATE runs SET status = coalesce(new.column2, status), n = new.column3, "
            "last_seq = new.column4, hash = new.column5, updated = coalesce(new.column6, updated) "
            f"FROM (VALUES {places}) AS new WHERE run_id = new.column1",
            values,
        )
    if rows.events:
        db.execute("UPDATE log SET last_seq = ?", (rows.last_seq,))


def _chunks(values: list[Any], width: int) -> Iterator[tuple[int, list[Any]]]:
    step = _ROWS * width
    for start in range(0, len(values), step):
        some = values[start : start + step]
        yield len(some) // width, some


def _begin(
    db: sqlite3.Connection, owner: str, write: Write, n: int, seq: int, hashed: bytes
) -> int:
    """Inserts the row of a new run with its head, and gives its number."""
    begins = write.begins
    assert begins is not None
    keep_definition(db, begins.definition, begins.plan)
    times = [entry.wall_time for entry in write.entries] or [0]
    cursor = db.execute(
        f"INSERT INTO runs({RUN_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            *(write.run_id, begins.saga, begins.definition, begins.inputs, begins.source),
            *(write.status or "running", owner, write.epoch, n, seq, hashed, times[0], times[-1]),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _attend(db: sqlite3.Connection, write: Write) -> None:
    for request in write.requests:
        db.execute("DELETE FROM requests WHERE id = ?", (request,))
    if write.waits is not None:
        db.execute("DELETE FROM waits WHERE run_id = ?", (write.run_id,))
        for wait in write.waits:
            db.execute("INSERT INTO waits VALUES (?,?,?)", (write.run_id, wait.timer, wait.due))
