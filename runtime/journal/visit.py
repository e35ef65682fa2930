"""A short visit to a log by a process that owns nothing: one transaction, then all is closed."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from .connection import Writing
from .errors import LogFailing, LogMissing, translate
from .files import Files, identity
from .lock import Lock


@contextmanager
def visit(where: Files, doing: str, wait: float = 5.0) -> Generator[sqlite3.Connection]:
    """Gives a connection within a transaction that is committed at the end, under the log's lock.

    Raises LogMissing, LogBusy after `wait` seconds, LogDamaged and LogUnwritable.
    """
    if identity(where.journal) is None:
        raise LogMissing(where.journal, "there is no log here", "Name another, or run a saga.")
    lock = Lock(where.lock)
    try:
        with lock.held(doing, wait):
            writing: Writing | None = None
            try:
                writing = Writing(where)
                writing.db.execute("BEGIN IMMEDIATE")
                yield writing.db
                writing.db.execute("COMMIT")
            except sqlite3.Error as error:
                found = translate(error, where.journal)
                if isinstance(found, LogFailing):
                    lock.record(found)
                raise found from error
            finally:
                if writing is not None:
                    writing.close()
    finally:
        lock.close()
