"""What `saga.toml` says: the log, the saga files, the groups of people, and the limits of calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

NAME = "saga.toml"
DEFAULT_LOG = "saga.duckdb"


class BadSettings(ValueError):
    """A `saga.toml` that cannot be read; the text names the file, the place, and what it takes."""

    exit_code = 2


class Limits(Struct, frozen=True, rename={"async_": "async"}, forbid_unknown_fields=True):
    """How many calls may go on at once: coroutines, functions in threads, and by service."""

    async_: int = 64
    sync: int = 32
    services: Mapping[str, int] = {}


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a folder; `folder` is where the file stands, and paths are relative to it."""

    log: str = DEFAULT_LOG
    sagas: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = {}
    limits: Limits = Limits()
    folder: str = ""

    @property
    def log_path(self) -> Path:
        """Where the log is."""
        return Path(self.folder, self.log)

    @property
    def saga_paths(self) -> list[Path]:
        """Where the saga files are."""
        return [Path(self.folder, name) for name in self.sagas]


def find(start: Path | None = None) -> Path | None:
    """Gives the nearest `saga.toml`: in the folder, or else in one that holds it."""
    folder = (start or Path.cwd()).absolute()
    for place in (folder, *folder.parents):
        if (place / NAME).is_file():
            return place / NAME
    return None


def settings(start: Path | None = None) -> Settings:
    """Gives the settings that hold in a folder; without a file, the defaults.

    Raises `BadSettings`.
    """
    path = find(start)
    if path is None:
        return Settings(folder=os.fspath((start or Path.cwd()).absolute()))
    try:
        stamp = path.stat()
        return _read(path, stamp.st_mtime_ns, stamp.st_size)
    except OSError as error:
        raise BadSettings(f"{path}: cannot be read: {error.strerror}") from None


def saga_files(source: str) -> list[Path]:
    """Gives the files in which the saga of a run is looked for, the first that has it counts.

    They are those of `saga.toml`, then the run's own when it lies at or below the current folder.
    Raises `BadSettings`.
    """
    places = settings().saga_paths
    if source.endswith(".saga") and Path(source).is_relative_to(Path.cwd()):
        places.append(Path(source))
    return places


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, size: int) -> Settings:
    # Loaded where there is a file: most commands are given outside a folder with settings.
    import tomllib

    from .settingsfaults import faults, unreadable

    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadSettings(f"{path}: is not UTF-8 text. Save it as UTF-8.") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path}{unreadable(str(error))}") from None
    if found := [f"{path}:{line}: {fault}" for line, fault in faults(data, text)]:
        raise BadSettings("\n".join(found))
    read = msgspec.convert(data, Settings)
    return msgspec.structs.replace(read, folder=os.fspath(path.parent))
