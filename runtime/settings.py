"""What `saga.toml` says: the log, the saga files, the groups of people, and the limits of calls."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

NAME = "saga.toml"
DEFAULT_LOG = "saga.duckdb"


class BadSettings(ValueError):
    """A `saga.toml` that cannot be read; the text names the file, the place, and what it takes."""


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


@lru_cache(maxsize=16)
def _read(path: Path, changed: int, size: int) -> Settings:
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadSettings(f"{path}: is not UTF-8 text. Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path}: {error}. Correct it there; it is written in TOML.") from None
    if "folder" in data:
        raise BadSettings(_unknown(path, "folder"))
    try:
        found = msgspec.convert(data, Settings)
    except msgspec.ValidationError as error:
        said = str(error)
        if "unknown field" in said:
            raise BadSettings(_unknown(path, said.split("`")[1])) from None
        raise BadSettings(f"{path}: {said}. Correct the value there.") from None
    for name, limit in (("async", found.limits.async_), ("sync", found.limits.sync)):
        if limit < 1:
            raise BadSettings(f"{path}: limits.{name} is {limit}; at least 1 call must be allowed")
    for name, limit in found.limits.services.items():
        if limit < 1:
            raise BadSettings(
                f"{path}: limits.services.{name} is {limit}; at least 1 call must be allowed"
            )
    return msgspec.structs.replace(found, folder=os.fspath(path.parent))


def _unknown(path: Path, name: str) -> str:
    return (
        f"{path}: there is no setting `{name}`. There are `log`, `sagas`, `groups`, and `limits` "
        "with `async`, `sync` and `services`."
    )
