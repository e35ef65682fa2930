"""After the disk failed: the journal is copied through SQLite, synced, and put in its own place."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from . import points
from .audit import audit
from .connection import connect
from .errors import LogMissing, translate
from .files import Files, files, identity
from .lock import Lock


def recover(path: str | os.PathLike[str], *, wait: float = 5.0) -> Path:
    """Copies what can be read of the journal, syncs it and puts it in its place.

    Gives the path under which the old journal is kept. Every process that had it open finds that
    its files moved. Raises LogDamaged when the copy is not whole: then nothing was replaced.
    """
    where = files(path)
    if identity(where.journal) is None and identity(where.salvaged) is None:
        raise LogMissing(where.journal, "there is no log here", "Name another, or run a saga.")
    lock = Lock(where.lock)
    try:
        with lock.held("salvaging", wait, distrust=False):
            finish_swap(where)
            _copy(where)
            old = finish_swap(where)
            lock.record(None)
    finally:
        lock.close()
    assert old is not None
    return old


def finish_swap(where: Files) -> Path | None:
    """Ends a swap that was begun: a file NAME.journal.new is whole, synced, and to be used.

    The old files go first, each under another name, so that no crash in between can let SQLite
    apply an old `-wal` to the new journal. Gives the old journal's new path, None without a swap.
    """
    if identity(where.salvaged) is None:
        return None
    stamp = f"{where.journal.name}.failed-{time.time_ns() // 1_000_000}"
    old = where.journal.with_name(stamp)
    points.reach("swap.begun")
    for path, suffix in ((where.journal, ""), (where.wal, "-wal"), (where.shm, "-shm")):
        if identity(path) is not None:
            path.rename(old.with_name(old.name + suffix))
            points.reach("swap.moved")
    where.salvaged.rename(where.journal)
    _sync(where.journal.parent)
    points.reach("swap.after")
    return old


def _copy(where: Files) -> None:
    part = where.salvaged.with_suffix(".part")
    part.unlink(missing_ok=True)
    points.reach("swap.before")
    try:
        with (
            closing(connect(where.journal, "ro", 5.0)) as source,
            closing(connect(part, "rwc", 0.0)) as target,
        ):
            source.backup(target)
            # A copy says that it is in WAL mode; with a -wal of its own it could not be moved.
            target.execute("PRAGMA journal_mode = DELETE").fetchall()
        with closing(connect(part, "ro", 0.0)) as copy:
            for damage in audit(copy, where.journal):
                raise damage
    except sqlite3.Error as error:
        part.unlink(missing_ok=True)
        raise translate(error, where.journal) from error
    _sync(part)
    part.rename(where.salvaged)
    _sync(where.salvaged.parent)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
