"""Heads: how the last commit left this owner's runs, and the one statement that goes on from there.

A commit of many statements gives up Python's lock twice at each, and beside a thread that computes
it may wait 5 ms for it every time. What an owner adds to its runs mostly needs no question: it left
them itself. So the rows are made beforehand, and one INSERT compares, sets and appends them, in a
transaction of its own. Where anything is not as it was left it writes nothing, and the long way
(`commit.append`) finds out why. A run that begins, or that is not known here, goes the long way by
itself, in one transaction with the statement for the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from .batch import Write
from .encoding import link

_MANY = 4096
"""So many heads are kept; then all are forgotten, and each run's next commit goes the long way."""

_COLUMNS = (
    "number, run_id, owner, epoch, n, status, updated, seq, prev_seq, kind, path, body, hash, "
    "more, kind2, path2, body2, hash2, log_from, log_to"
)
_WIDTH = _COLUMNS.count(",") + 1

# The view and its trigger are this connection's own: nothing of them is in the file. A row is one
# event of a run, or two; the next row of the same run goes on from there. The first row of a
# statement says how far the log goes. What is not there is 0 or an empty text, never NULL: for
# each None, and each value that is `bytes`, Python's module looks for an adapter, in vain, and
# that takes longer than to bind the other values of a row.
_MAKE = (
    f"CREATE TEMP VIEW additions({_COLUMNS}) AS SELECT {','.join('0' * _WIDTH)}",
    """
    CREATE TEMP TRIGGER adding INSTEAD OF INSERT ON additions BEGIN
      UPDATE runs SET status = iif(new.status = '', status, new.status), n = new.n + new.more,
        last_seq = new.seq + new.more, hash = iif(new.more, new.hash2, new.hash),
        updated = new.updated
        WHERE number = new.number AND run_id = new.run_id AND owner = new.owner
          AND epoch = new.epoch AND n = new.n - 1 AND last_seq = new.prev_seq;
      SELECT RAISE(ABORT, 'the run is not as it was left') WHERE changes() != 1;
      INSERT INTO events VALUES (new.seq, new.run_id, new.n, new.prev_seq, new.kind, new.path,
        new.body, new.hash);
      INSERT INTO events SELECT new.seq + 1, new.run_id, new.n + 1, new.seq, new.kind2, new.path2,
        new.body2, new.hash2 WHERE new.more;
    END
    """,
    """
    CREATE TEMP TRIGGER adding_to_log INSTEAD OF INSERT ON additions WHEN new.log_to BEGIN
      UPDATE log SET last_seq = new.log_to WHERE last_seq = new.log_from;
      SELECT RAISE(ABORT, 'the log is not as it was left') WHERE changes() != 1;
    END
    """,
)
_ROW = f"({','.join('?' * _WIDTH)})"
_ONE = (0, "", "", "", "", 0, 0)


Head = tuple[int, int, int, int, bytes]
"""How a run was left: the number of its row, epoch, number of events, last `seq`, last hash."""


class Left(Struct, frozen=True, gc=False):
    """How a commit leaves the log: its last `seq`, and the heads of the runs that it wrote."""

    seq: int
    heads: dict[str, Head]


class Rows(Struct, frozen=True, gc=False):
    """What a batch adds to runs that are known, ready to be bound, and how that leaves the log.

    `attended` are those of its writes that also answer requests or replace waits; `others` are the
    writes that it does not hold.
    """

    statement: str
    values: list[Any]
    left: Left
    attended: Sequence[Write]
    others: Sequence[Write]


class Stale(Exception):
    """Somebody else has written since: nothing of the statement was."""


class Heads:
    """What this owner knows of its runs without asking; it is forgotten with the connection."""

    def __init__(self) -> None:
        self._heads: dict[str, Head] = {}
        self._seq = -1
        self._most = 0

    def prepare(self, db: sqlite3.Connection) -> None:
        """Makes what the statement needs on a new connection, and forgets everything."""
        self._heads.clear()
        self._seq = -1
        for statement in _MAKE:
            db.execute(statement)
        self._most = db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // _WIDTH

    def forget(self, run_id: str) -> None:
        """Forgets one head: its run is not gone on with for now."""
        self._heads.pop(run_id, None)

    def learn(self, left: Left) -> None:
        """Notes how a commit has left the log."""
        self._seq = left.seq
        if len(self._heads) > _MANY:
            self._heads.clear()
        self._heads.update(left.heads)

    def rows(
        self, owner: str, writes: Sequence[Write], hashes: dict[str, list[bytes]]
    ) -> Rows | None:
        """Makes the rows of those runs of a batch that are known, and fills `hashes` for them.

        None when there are none, or too many. Not known is a run that begins, of which it is not
        known how it was left, or to which no event is added.
        """
        if self._seq < 0:
            return None
        seq = self._seq
        count = 0
        values: list[Any] = []
        heads: dict[str, Head] = {}
        attended: list[Write] = []
        others: list[Write] = []
        for write in writes:
            run_id, entries = write.run_id, write.entries
            head = self._heads.get(run_id)
            if head is None or not entries or run_id in heads or not _goes_on(write, head):
                others.append(write)
                continue
            number, epoch, n, before, hashed = head
            chain = hashes[run_id] = []
            status, updated = write.status or "", entries[-1].wall_time
            for at in range(0, len(entries), 2):
                first = entries[at]
                n += 1
                seq += 1
                count += 1
                hashed = link(hashed, first.body)
                chain.append(hashed)
                values += (
                    *(number, run_id, owner, epoch, n, status, updated, seq, before),
                    *(first.kind, first.path, bytearray(first.body), bytearray(hashed)),
                )
                before = seq
                if at + 1 == len(entries):
                    values += _ONE
                    continue
                second = entries[at + 1]
                n += 1
                seq += 1
                hashed = link(hashed, second.body)
                chain.append(hashed)
                values += (
                    *(1, second.kind, second.path, bytearray(second.body), bytearray(hashed)),
                    *(0, 0),
                )
                before = seq
            heads[run_id] = number, epoch, n, seq, hashed
            if write.requests or write.waits is not None:
                attended.append(write)
        if not 0 < count <= self._most:
            hashes.clear()
            return None
        values[_WIDTH - 2 : _WIDTH] = (self._seq, seq)
        return Rows(_statement(count), values, Left(seq, heads), attended, others)


def _goes_on(write: Write, head: Head) -> bool:
    """True for events that come next after how a run was left, by the owner who left it."""
    n = head[2]
    if write.begins is not None or write.epoch != head[1]:
        return False
    for entry in write.entries:
        n += 1
        if entry.n != n or entry.run_id != write.run_id:
            return False
    return True


@cache
def _statement(count: int) -> str:
    return f"INSERT INTO additions VALUES {','.join([_ROW] * count)}"


def add(db: sqlite3.Connection, rows: Rows) -> None:
    """Appends rows, all or none. Raises `Stale` and sqlite3.Error."""
    try:
        db.execute(rows.statement, rows.values)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
            raise Stale from None
        raise
