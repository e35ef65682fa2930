"""Files of programs: read once, with a limit, and known for the same file by every way to them."""

from __future__ import annotations

import os
import re
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


_OTHERS = {
    ".duckdb": "a log of runs",
    ".ipynb": "a notebook",
    ".journal": "a log of runs",
    ".json": "JSON",
    ".md": "Markdown",
    ".py": "a Python module",
    ".toml": "TOML",
    ".yaml": "YAML",
    ".yml": "YAML",
}
"""What files are that hold no program; of each the parser would have a dozen things to say."""

_MADE = b"# Made by sagalang "
_FROM = rb" from (.+)\. What is changed here "


def _other(path: Path, data: bytes) -> Unreadable:
    """Says what a file is in place of a program, and where the program may be."""
    kind = _OTHERS[path.suffix]
    name = path.name
    if data.startswith(_MADE):
        made = re.search(_FROM, data.split(b"\n", 1)[0])
        source = made[1].decode("utf-8", "replace") if made else "the .saga file"
        advice = f"Name {source}, or say `python {name} --help`: the module is a program itself."
        return Unreadable("it is a Python module that was compiled from a program", advice)
    if path.suffix == ".ipynb":
        advice = "Its sagas stand in cells that begin with `%%saga`: run them in Jupyter."
        return Unreadable(f"it is {kind}, and no program", advice)
    return Unreadable(f"it is {kind}, and no program", "Name a .saga file.")


def _inside(folder: Path) -> str:
    """Names the programs in a folder."""
    found = sorted(os.fspath(file) for file in folder.glob("*.saga"))
    if not found:
        return "There is no .saga file in it: check the path."
    few = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
    return f"Name a file in it: {few}."


def _read(path: Path) -> bytes | Unreadable:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return Unreadable("it is a folder", _inside(path))
        # Opening a pipe or a device could wait for ever.
        if not stat.S_ISREG(mode):
            return Unreadable("it is not an ordinary file")
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
        if path.suffix in _OTHERS:
            return _other(path, data)
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
