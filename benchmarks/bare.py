"""What the disk and SQLite can do by themselves: the measure of everything durable."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

_LENGTH = 16 * 1024 * 1024


class Syncing:
    """Appends of 200 bytes to a file that is long already, each synced."""

    def __init__(self, folder: Path) -> None:
        self._fd = os.open(folder / "synced", os.O_RDWR | os.O_CREAT)
        os.pwrite(self._fd, bytes(_LENGTH), 0)
        os.fsync(self._fd)
        self._at = 0

    def loop(self, count: int) -> int:
        """Writes and syncs so often."""
        sync = getattr(os, "fdatasync", os.fsync)
        for _ in range(count):
            self._at = (self._at + 200) % (_LENGTH - 200)
            os.pwrite(self._fd, b"x" * 200, self._at)
            sync(self._fd)
        return count


class Committing:
    """Rows of 200 bytes put into SQLite, each in a transaction, set as the journal is.

    That means also: `-wal` is 16 MB long beforehand. Where it grows with each commit, the file
    system writes down its new length too.
    """

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        for setting in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0"):
            self._db.execute(f"PRAGMA {setting}").fetchall()
        self._db.execute("CREATE TABLE rows(n INTEGER PRIMARY KEY, body BLOB)")
        # What is rolled back stays in the file, out of use, and is written over.
        for statement in ("PRAGMA cache_size = 16", "BEGIN", "CREATE TABLE growth(x)"):
            self._db.execute(statement)
        for _ in range(_LENGTH >> 20):
            self._db.execute("INSERT INTO growth VALUES (zeroblob(1 << 20))")
        for statement in ("ROLLBACK", "PRAGMA cache_size = -8000"):
            self._db.execute(statement)

    def loop(self, count: int) -> int:
        """Commits so often."""
        for _ in range(count):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("INSERT INTO rows(body) VALUES (?)", (b"x" * 200,))
            self._db.execute("COMMIT")
        return count
