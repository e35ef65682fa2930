"""Handing events over to the event store: in the order of the log, with a mark of how far."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from binascii import hexlify
from collections.abc import Iterable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import msgspec

from .batch import RUN_COLUMNS, Run
from .blobs import put_back
from .connection import reading
from .encoding import genesis, link
from .errors import LogDamaged
from .files import files
from .visit import visit

START = bytes(32)
"""What the chain of a store begins with."""

_SOME = 64


@dataclass(frozen=True, slots=True)
class Head:
    """How far a log goes: events up to `pruned_through` are no longer in it."""

    log_id: str
    last_seq: int
    pruned_through: int


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a store goes, and the hash over the hashes of all events up to there."""

    through_seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """How many consecutive events were written down, their runs, and the marks around them.

    `longest` is the length of the longest line, in bytes.
    """

    after: Mark
    events: int
    longest: int
    runs: list[Run]
    mark: Mark


def head(path: str | os.PathLike[str]) -> Head:
    """Tells how far the log goes; raises as every reading does."""
    with reading(files(path)) as db:
        row = db.execute("SELECT log_id, last_seq, pruned_through FROM log").fetchone()
    return Head(*row)


def batch(path: str | os.PathLike[str], after: Mark, limit: int, into: Path) -> Batch:
    """Writes up to `limit` events after a mark into a file, a line of JSON for each.

    Each line is the event's stored body with `seq run_id hash` before it. Of a large value it tells
    the size: whoever wants the value reads the journal.
    Raises LogDamaged when one is missing or altered.
    """
    where = files(path)
    with reading(where) as db, into.open("wb", buffering=0) as file:
        chain, last, longest = after.chain, after.through_seq, 0
        names: dict[str, bytes] = {}
        tails: dict[str, bytes] = {}
        rows = db.execute(
            "SELECT seq, run_id, CAST(body AS BLOB), hash FROM events WHERE seq > ?"
            " ORDER BY seq LIMIT ?",
            (last, limit),
        )
        # A few rows at a time are read, hashed and written while they are in the processor's cache:
        # measured, all at once took half as long again.
        while some := rows.fetchmany(_SOME):
            lines: list[bytes] = []
            for seq, run_id, body, written in some:
                last += 1
                if seq != last:
                    raise LogDamaged(where.journal, f"entries after {last - 1} are missing")
                tail = tails.get(run_id)
                if tail is None:
                    tail = _tail(db, run_id, seq)
                    names[run_id] = b',"run_id":%b,"hash":"' % json.dumps(run_id).encode()
                if link(tail, body) != written:
                    raise _altered(db, where.journal, run_id, seq)
                tails[run_id] = written
                chain = _chained(chain, written)
                # One character is looked for much more quickly than many, and is rare.
                if b"$" in body and b'"$blob"' in body:
                    body = _without_large_values(db, body)
                lines.append(
                    b'{"seq":%d%b%b",%b\n' % (seq, names[run_id], hexlify(written), body[1:])
                )
            longest = max(longest, *map(len, lines))
            _put(file, b"".join(lines))
        runs = _runs(db, names)
    return Batch(after, last - after.through_seq, longest, runs, Mark(last, chain))


def _put(file: FileIO, data: bytes) -> None:
    """Writes all of it: a file without a buffer may take a part."""
    while len(data) > (taken := file.write(data)):
        data = data[taken:]


def _tail(db: sqlite3.Connection, run_id: str, seq: int) -> bytes:
    """Gives the hash that an event goes on from: that of the run's event before it."""
    row = db.execute(
        "SELECT hash FROM events WHERE seq = (SELECT prev_seq FROM events WHERE seq = ?)", (seq,)
    ).fetchone()
    return row[0] if row else genesis(run_id)


def _altered(db: sqlite3.Connection, journal: Path, run_id: str, seq: int) -> LogDamaged:
    (n,) = db.execute("SELECT n FROM events WHERE seq = ?", (seq,)).fetchone()
    reason = "its bytes are not those that were written"
    return LogDamaged(journal, reason, run_id=run_id, n=n, last_good=n - 1)


def chain_of(path: str | os.PathLike[str], since: Mark, through_seq: int) -> bytes:
    """Gives the chain of a store that goes on from a mark up to `through_seq`."""
    chain = since.chain
    with reading(files(path)) as db:
        for (written,) in db.execute(
            "SELECT hash FROM events WHERE seq > ? AND seq <= ? ORDER BY seq",
            (since.through_seq, through_seq),
        ).fetchall():
            chain = _chained(chain, written)
    return chain


def marked(path: str | os.PathLike[str], store_id: str) -> Mark | None:
    """Gives how far the log knows a store to go."""
    with reading(files(path)) as db:
        row = db.execute(
            "SELECT through_seq, chain FROM marks WHERE store_id = ?", (store_id,)
        ).fetchone()
    return Mark(*row) if row else None


def mark(path: str | os.PathLike[str], store_id: str, reached: Mark) -> None:
    """Notes in the log how far a store goes."""
    with visit(files(path), "marking the event store") as db:
        db.execute(
            "INSERT OR REPLACE INTO marks VALUES (?,?,?)",
            (store_id, reached.through_seq, reached.chain),
        )


def _chained(chain: bytes, written: bytes) -> bytes:
    return hashlib.blake2b(chain + written, digest_size=32).digest()


def _runs(db: sqlite3.Connection, ids: Iterable[str]) -> list[Run]:
    found: list[Run] = []
    wanted = list(ids)
    for start in range(0, len(wanted), 500):
        some = wanted[start : start + 500]
        places = ",".join("?" * len(some))
        rows = db.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id IN ({places})", some)
        found += [Run(*row) for row in rows.fetchall()]
    return found


def _without_large_values(db: sqlite3.Connection, body: bytes) -> bytes:
    def size(name: str) -> bytes:
        row = db.execute("SELECT size FROM blobs WHERE hash = ?", (name,)).fetchone()
        return b'{"large":true,"bytes":%d}' % (row[0] if row else 0)

    return msgspec.json.encode(put_back(msgspec.json.decode(body), size))
