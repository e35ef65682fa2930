"""Faults as people read them: what happened, to what, and the exit code of the contract."""

from __future__ import annotations

import errno


class Unreadable(Exception):
    """A file (or an input) that cannot be read or written; its text names it and the way out."""

    exit_code = 2


def line(error: BaseException) -> str:
    """Gives what is written to stderr for a fault; diagnostics of a program begin by themselves."""
    return str(error) if _names(error) & _RENDERED else f"error: {told(error)}"


def told(error: BaseException) -> str:
    """Gives the one sentence that is shown for a fault."""
    if isinstance(error, OSError) and not str(error).startswith("error"):
        where = f"{error.filename}: " if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        if error.errno == errno.ENOSPC:
            return f"{where}the disk is full. Free some space and say it again; nothing was lost."
        return f"{where}{reason}. Check the path and its permissions."
    text = str(error).strip()
    if _known(error):
        return text
    return (
        f"something unexpected happened ({type(error).__name__}: {text}). "
        "`saga --debug ...` shows where; please report it."
    )


def code_of(error: BaseException) -> int:
    """Gives the exit code: 2 for what cannot be read, 1 for what was refused before it ran."""
    return int(getattr(error, "exit_code", 2 if isinstance(error, OSError) else 1))


_RENDERED = frozenset(("Mistakes", "CompileFailed"))
_TOLD = frozenset(
    ("RunError", "LogError", "BadRunId", "BadSettings", "QueryRefused", "Rejected", "Unreadable")
)


def _names(error: BaseException) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in type(error).__mro__)


def _known(error: BaseException) -> bool:
    return bool(_names(error) & _TOLD)
