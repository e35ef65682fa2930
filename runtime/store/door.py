"""The one door to DuckDB: loaded when it is opened, shut after each batch and each question."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import StoreBusy, StoreDamaged, StoreUnusable

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

PATIENCE = 2.0
"""Seconds after which a store that somebody holds is given up."""

_PAUSE = 0.05
# DuckDB draws a bar into the output of whatever takes it longer than two seconds.
_QUIET = (
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "enable_progress_bar = false",
)
_LOCKED = (
    "python_enable_replacements = false",
    "enable_external_access = false",
    "lock_configuration = true",
)
# DuckDB gives all connections of a process to one file the same settings.
_mine = threading.Lock()


@contextmanager
def store_file(path: Path, *, read_only: bool) -> Generator[Connection]:
    """Opens the file of a store.

    Raises StoreBusy after two seconds, StoreUnusable for what the system does not allow, also where
    it is found out within, and StoreDamaged.
    """
    import duckdb

    end = time.monotonic() + PATIENCE
    if not _mine.acquire(timeout=PATIENCE):
        raise StoreBusy(path, None)
    try:
        connection = _connect(path, read_only, end)
        try:
            for setting in _QUIET:
                connection.execute(f"SET {setting}")
            yield connection
        except duckdb.Error as error:
            if denied := _denied(str(error)):
                raise StoreUnusable(path, denied) from error
            raise
        finally:
            # What could not be written is given up; it stands in the journal.
            with suppress(duckdb.Error):
                connection.close()
    finally:
        _mine.release()


@contextmanager
def memory() -> Generator[Connection]:
    """Opens a store in memory."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        for setting in _QUIET:
            connection.execute(f"SET {setting}")
        yield connection
    finally:
        connection.close()


def lock_down(connection: Connection) -> None:
    """Takes files, networks, settings and Python's variables away from what is asked next."""
    for setting in _LOCKED:
        connection.execute(f"SET {setting}")


def _connect(path: Path, read_only: bool, end: float) -> Connection:
    import duckdb

    while True:
        try:
            return duckdb.connect(str(path), read_only=read_only)
        except (duckdb.IOException, duckdb.ConnectionException) as error:
            said = str(error)
            if denied := _denied(said):
                raise StoreUnusable(path, denied) from error
            held = "lock on file" in said or "different configuration" in said
            if not held:
                raise StoreDamaged(path, _reason(said)) from error
            if time.monotonic() >= end:
                found = re.search(r"PID (\d+)", said)
                raise StoreBusy(path, int(found[1]) if found else None) from error
            time.sleep(_PAUSE)
        except duckdb.Error as error:
            raise StoreDamaged(path, _reason(str(error))) from error


def _denied(said: str) -> str:
    """Gives what the system says when it does not let a file be opened or written."""
    found = _DENIED.search(said)
    return found[0].lower() if found else ""


_DENIED = re.compile(
    "permission denied|read-only file system|no space left on device|disk quota exceeded"
    "|operation not permitted",
    re.IGNORECASE,
)


def _reason(said: str) -> str:
    """Gives the first line of what DuckDB says, in plain words where it is the usual thing."""
    strange = "not a valid DuckDB database file" in said
    return "it is no DuckDB file" if strange else said.splitlines()[0]
