"""The files of a log: what a user names, and what lies beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Files:
    """The paths of a log NAME.duckdb.

    Nothing but SQLite ever opens `journal`, `wal` and `shm`: closing any other descriptor of them
    drops the POSIX locks that SQLite holds in this process, and commits vanish.
    """

    store: Path
    journal: Path
    lock: Path
    owners: Path

    @property
    def wal(self) -> Path:
        """The write-ahead file of the journal."""
        return self.journal.with_name(self.journal.name + "-wal")

    @property
    def shm(self) -> Path:
        """The index of the write-ahead file, shared between processes."""
        return self.journal.with_name(self.journal.name + "-shm")

    @property
    def salvaged(self) -> Path:
        """A complete, synced copy that is to take the journal's place."""
        return self.journal.with_name(self.journal.name + ".new")


def files(path: str | os.PathLike[str]) -> Files:
    """Gives the files of a log by any of its names: links resolved, `.duckdb` may be left out."""
    real = Path(os.path.realpath(path))
    if real.suffix in (".duckdb", ".journal"):
        real = real.with_suffix("")
    name = real.name
    return Files(
        store=real.with_name(name + ".duckdb"),
        journal=real.with_name(name + ".journal"),
        lock=real.with_name(name + ".lock"),
        owners=real.with_name(name + ".owners"),
    )


def identity(path: Path | str) -> tuple[int, int] | None:
    """Gives device and inode of a file without opening it, or None when it is not there."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
