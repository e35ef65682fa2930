"""Files that `%%saga --write` makes: whole or not at all, and never over somebody's own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .faults import WrongOptions

MARK = "# Written by a notebook: `%%saga --write` makes this file again.\n"
"""The first line of a `.saga` file that a cell wrote."""


def write(path: Path, text: str) -> None:
    """Writes the text of a cell as a `.saga` file. Raises `WrongOptions`."""
    if path.suffix != ".saga":
        raise WrongOptions(f"--write {path}: the file is a saga file: end its name with `.saga`.")
    try:
        if path.exists() and not path.read_bytes().startswith(MARK.encode()):
            raise WrongOptions(
                f"--write {path}: no cell wrote this file, and it is not overwritten. "
                "Name another, or delete it."
            )
        _replace(path, MARK + text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WrongOptions(f"--write {path}: it cannot be written: {reason}.") from None


def _replace(path: Path, text: str) -> None:
    descriptor, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # A temporary file is for its owner alone; this one is an ordinary file.
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        os.chmod(made, mode)
        os.replace(made, path)
    except BaseException:
        Path(made).unlink(missing_ok=True)
        raise
