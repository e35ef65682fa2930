"""Files of programs: read once, with a limit, and known for the same file by every way to them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .dsl.diagnostics import Diagnostic
from .dsl.loader import Found, Unreadable
from .dsl.source import Source, from_bytes

LIMIT = 128 * 1024 * 1024
"""Most bytes of one file: what 32 million characters, the most that are parsed, can take."""

__all__ = ["FileReader", "identity_of", "read_source"]


class FileReader:
    """Reads what a module imports; the names of modules are paths below `folder`.

    An instance is the `Reader` that `compiler.pipeline.compile` wants.
    """

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        self.folder = Path(folder)

    def __call__(self, importing: str, path: str) -> Found | Unreadable:
        """Gives the file that an import names, relative to the file that imports it."""
        if os.path.isabs(path):
            return Unreadable("a path is relative to the file that imports it, and this is not")
        file = (self.folder / importing).parent / path
        data = _read(file)
        return data if isinstance(data, Unreadable) else Found(identity_of(file), data)


def read_source(path: str | os.PathLike[str]) -> Source | Diagnostic | Unreadable:
    """Reads a main file; its name is the path as given. What is not UTF-8 comes back as S105."""
    data = _read(Path(path))
    if isinstance(data, Unreadable):
        return data
    return from_bytes(os.fspath(path), data)


def identity_of(path: str | os.PathLike[str]) -> str:
    """Gives the same text for every way to a file: through links, `./`, or another case.

    Raises `OSError` when the file cannot be looked at.
    """
    found = os.stat(path)
    # Some file systems have no numbers for files; there the real path has to do.
    if found.st_ino:
        return f"{found.st_dev}:{found.st_ino}"
    return os.path.normcase(os.path.realpath(path))


def _read(path: Path) -> bytes | Unreadable:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return Unreadable("it is a folder")
        # Opening a pipe or a device could wait for ever.
        if not stat.S_ISREG(mode):
            return Unreadable("it is not an ordinary file")
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
    except FileNotFoundError:
        return Unreadable("there is no such file")
    except PermissionError:
        return Unreadable("you may not read it")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Unreadable(f"{reason or error}".lower())
    if len(data) > LIMIT:
        return Unreadable(f"it is larger than {LIMIT // 1024**2} MB, the most that is read")
    return data
