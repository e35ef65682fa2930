"""Files that are written whole or not at all, and never over somebody's own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .faults import Unreadable

MARK = "\ufeff"
"""What some editors put at the head of a file that is UTF-8."""


def write_text(path: Path, text: str) -> None:
    """Writes a file atomically, with the permissions that it had; raises `OSError`, naming it."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as fault:
        # The file that could not be made is ours, and of another name than the user's.
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def as_it_was(text: str, raw: str) -> str:
    """Gives a text with the line ends that most lines of a file have, and its mark at the head."""
    if raw.count("\r\n") * 2 > raw.count("\n"):
        text = text.replace("\n", "\r\n")
    return MARK + text if raw.startswith(MARK) else text


def write_made(path: Path, text: str) -> None:
    """Writes what an emitter made; raises `Unreadable` rather than overwrite anything else."""
    from ..compiler.emit import made_by_us

    if path.is_dir():
        raise Unreadable(f"{path}: it is a folder. Name a file.")
    if path.exists():
        try:
            ours = made_by_us(path.read_text("utf-8"))
        except UnicodeDecodeError:
            ours = False
        if not ours:
            raise Unreadable(
                f"{path}: it was not made by saga and is not overwritten. Name another."
            )
    write_text(path, text)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
