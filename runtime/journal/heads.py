"""Heads: how the last commit left this owner's runs, and the one statement that goes on from there.

A commit of many statements gives up Python's lock twice at each, and beside a thread that computes
it may wait 5 ms for it every time. What an owner adds to its runs mostly needs no question: it left
them itself. So the rows are made beforehand, and one INSERT compares, sets and appends them, in a
transaction of its own. Where anything is not as it was left it writes nothing, and the long way
(`commit.append`) finds out why.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from .batch import Write
from .encoding import link

_MANY = 4096
"""So many heads are kept; then all are forgotten, and each run's next commit goes the long way."""

_COLUMNS = (
    "number, run_id, owner, epoch, n, status, updated, seq, prev_seq, kind, path, body, hash, "
    "more, kind2, path2, body2, hash2, log_from, log_to"
)
_WIDTH = _COLUMNS.count(",") + 1

# The view and its triggers are this connection's own: nothing of them is in the file. A row is what
# one run adds, one event or two. The first row of a statement says how far the log goes.
_MAKE = (
    f"CREATE TEMP VIEW additions({_COLUMNS}) AS SELECT {','.join('0' * _WIDTH)}",
    """
    CREATE TEMP TRIGGER adding INSTEAD OF INSERT ON additions BEGIN
      UPDATE runs SET status = coalesce(new.status, status), n = new.n + new.more,
        last_seq = new.seq + new.more, hash = coalesce(new.hash2, new.hash), updated = new.updated
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
_ONE = (0, None, None, None, None, None, None)


Head = tuple[int, int, int, int, bytes]
"""How a run was left: the number of its row, epoch, number of events, last `seq`, last hash."""


class Left(NamedTuple):
    """How a commit leaves the log: its last `seq`, and the heads of the runs that it wrote."""

    seq: int
    heads: dict[str, Head]


class Rows(NamedTuple):
    """What a batch adds, ready to be bound, and how it leaves the log."""

    statement: str
    values: list[Any]
    left: Left


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
        """Makes the rows of a batch and fills `hashes`; None when it has to go the long way.

        It has to when a run begins, rests, answers a request or adds more than two events, or when
        it is not known how a run was left.
        """
        if self._seq < 0 or not 0 < len(writes) <= self._most:
            return None
        seq = self._seq
        values: list[Any] = []
        heads: dict[str, Head] = {}
        chains: dict[str, list[bytes]] = {}
        for write in writes:
            run_id, entries = write.run_id, write.entries
            head = self._heads.get(run_id)
            if head is None or run_id in heads or not _is_plain(write):
                return None
            number, epoch, n, before, previous = head
            first, last = entries[0], entries[-1]
            n += 1
            seq += 1
            if write.epoch != epoch or first.n != n or first.run_id != run_id:
                return None
            hashed = link(previous, first.body)
            values += (
                *(number, run_id, owner, epoch, n, write.status, last.wall_time),
                *(seq, before, first.kind, first.path, first.body, hashed),
            )
            if first is last:
                values += _ONE
                chains[run_id] = [hashed]
            else:
                if last.n != n + 1 or last.run_id != run_id:
                    return None
                second = link(hashed, last.body)
                values += (1, last.kind, last.path, last.body, second, None, None)
                chains[run_id] = [hashed, second]
                n += 1
                seq += 1
                hashed = second
            heads[run_id] = number, epoch, n, seq, hashed
        values[_WIDTH - 2 : _WIDTH] = (self._seq, seq)
        hashes.update(chains)
        places = ",".join([_ROW] * len(writes))
        return Rows(f"INSERT INTO additions VALUES {places}", values, Left(seq, heads))


def _is_plain(write: Write) -> bool:
    """True for one or two events and nothing else."""
    return (
        0 < len(write.entries) <= 2
        and write.begins is None
        and write.waits is None
        and not write.requests
    )


def add(db: sqlite3.Connection, rows: Rows) -> None:
    """Appends rows, all or none. Raises `Stale` and sqlite3.Error."""
    try:
        db.execute(rows.statement, rows.values)
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
            raise Stale from None
        raise
