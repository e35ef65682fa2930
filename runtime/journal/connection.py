"""Connections to the journal: one that writes, opened and closed under the lock, and readers."""

from __future__ import annotations

import ctypes
import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from . import schema
from .errors import LogMissing, LogMoved, translate
from .files import Files, identity

WAL_SIZE = 16 * 1024 * 1024
_PAGE = 4096


def connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    """Opens a connection without implicit transactions; `mode` is ro, rw or rwc."""
    return sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        isolation_level=None,
        timeout=timeout,
        cached_statements=256,
    )


_PUT_BACK = (
    "Put back the file that was there, and those beside it: its runs go on then. "
    "What they have done stands in it alone."
)


class Writing:
    """A writing connection, with a reading one beside it; the caller holds the log's lock.

    The reading one outlives the other: SQLite deletes `-wal` when it believes that the last
    connection closes, and it cannot believe that while this process has one more.
    """

    def __init__(
        self, where: Files, *, create: bool = False, grow: bool = False, known: str = ""
    ) -> None:
        """Opens the log; `known` is the id of the one that must lie there, raises LogMoved."""
        self._files = where
        if known and identity(where.journal) is None:
            raise LogMoved(where.journal, "the log is no longer there", _PUT_BACK)
        self._names = (str(where.journal), str(where.wal))
        self.db = connect(where.journal, "rwc" if create else "rw", 5.0)
        self.guard: sqlite3.Connection | None = None
        try:
            if create and not known and schema.is_new(self.db):
                self._prepare()
                schema.create(self.db)
            self.log_id, self.salt = schema.check(self.db, where.journal)
            if known not in ("", self.log_id):
                raise LogMoved(where.journal, "another log lies where this one was", _PUT_BACK)
            self._prepare()
            if grow:
                self._grow()
            self.guard = connect(where.journal, "ro", 5.0)
            self.guard.execute("SELECT last_seq FROM log").fetchone()
        except BaseException:
            self.close()
            raise
        self.db.execute("PRAGMA busy_timeout = 0")
        self._opened = self._found()

    def is_in_place(self) -> bool:
        """True while journal and `-wal` are the files that were opened."""
        return self._opened is not None and self._opened == self._found()

    def close(self) -> None:
        """Closes both; errors do not matter any more."""
        guard = self.guard
        if guard is None:
            with suppress(sqlite3.Error):
                guard = connect(self._files.journal, "ro", 0.0)
                guard.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        for connection in (self.db, guard):
            with suppress(sqlite3.Error):
                if connection is not None:
                    connection.close()

    def abandon(self) -> None:
        """Keeps both open for ever, in a forked child: closing would touch the parent's files."""
        for connection in (self.db, self.guard):
            if connection is not None:
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))

    def _found(self) -> tuple[int, ...] | None:
        journal, wal = self._names
        try:
            one, other = os.stat(journal), os.stat(wal)
        except FileNotFoundError:
            return None
        return one.st_dev, one.st_ino, other.st_dev, other.st_ino

    def _prepare(self) -> None:
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "fullfsync = 1",
            "checkpoint_fullfsync = 1",
            "wal_autocheckpoint = 0",
        ):
            self.db.execute(f"PRAGMA {setting}").fetchall()
        # The first transaction makes `-wal`, whose identity is remembered.
        self.db.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def _grow(self) -> None:
        """Makes `-wal` 16 MB long, so that later commits need no new blocks of the disk.

        What a transaction spills before it is rolled back stays in the file, out of use.
        """
        if self._files.wal.stat().st_size >= WAL_SIZE:
            return
        self.db.execute("PRAGMA cache_size = 16")
        try:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("CREATE TABLE growth(x)")
            for _ in range(WAL_SIZE // (1 << 20) + 1):
                self.db.execute("INSERT INTO growth VALUES (zeroblob(?))", (1 << 20,))
        except sqlite3.OperationalError as error:
            # With less room than that the log still works until the disk is really full.
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
        finally:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            self.db.execute("PRAGMA cache_size = -8000")


@contextmanager
def reading(where: Files) -> Generator[sqlite3.Connection]:
    """Opens a reading connection for a moment; raises LogMissing, LogDamaged, LogUnwritable.

    All that is read stands in one snapshot: others may write meanwhile.
    """
    if identity(where.journal) is None:
        raise LogMissing(where.journal, "there is no log here", "Name another, or run a saga.")
    try:
        db = connect(where.journal, "ro", 2.0)
        try:
            db.execute("BEGIN")
            schema.check(db, where.journal)
            yield db
        finally:
            db.close()
    except sqlite3.Error as error:
        raise translate(error, where.journal) from error
