"""What can be wrong with a log: each with its path, the reason, and the way out."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .suggestion import command


class LogError(Exception):
    """Something is wrong with a log; the text names the file, the reason and what to do."""

    exit_code = 2
    """Of a command that meets it: the log cannot be read or written, or is not there."""

    def __init__(self, path: Path | str, reason: str, advice: str = "") -> None:
        super().__init__(path, reason, advice)
        self.path = Path(path)
        self.reason = reason
        self._advice = advice

    @property
    def advice(self) -> str:
        """What to do; a command in it is made where somebody reads it."""
        return self._advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}. {self.advice}"


class LogBusy(LogError):
    """Another process holds the log's lock; nothing was tried, nothing is lost."""

    exit_code = 1

    def __init__(self, path: Path, pid: int | None, doing: str) -> None:
        who = f"process {pid}" if pid else "another process"
        reason = f"the log is held by {who}" + (f" ({doing})" if doing else "")
        super().__init__(path, reason, "Wait for it to end, or end it, and try again.")
        self.pid = pid


class LogUnwritable(LogError):
    """The log cannot be written: no call may be made until it can."""


class LogFull(LogUnwritable):
    """There is no room left for the log."""


class LogFailing(LogUnwritable):
    """The disk failed while the log was written: what followed the last good sync is doubtful."""

    @property
    def advice(self) -> str:
        """How what can be read is saved."""
        resume = command(self.path, "resume", all=True)
        return f"When the disk is sound again, `{resume}` copies what can be read and goes on."


class LogMoved(LogUnwritable):
    """The log's files are not those that were opened."""


class LogUnlockable(LogError):
    """The log lies where locks cannot be trusted, as on a network file system."""


class LogDamaged(LogError):
    """What the log holds is not what was written; it is left as it is."""

    def __init__(
        self, path: Path, reason: str, *, run_id: str = "", n: int = 0, last_good: int = 0
    ) -> None:
        where = f" in run {run_id!r} at event {n}" if run_id else ""
        upto = f"; events up to {last_good} are good" if run_id else ""
        super().__init__(
            path,
            f"the log is damaged{where}: {reason}{upto}",
        )
        self.run_id = run_id
        self.n = n
        self.last_good = last_good

    @property
    def advice(self) -> str:
        """Where to look at what is left."""
        words = ("log", self.run_id) if self.run_id else ("doctor",)
        look = command(self.path, *words)
        return f"It is left as it is: restore a copy, or inspect it with `{look}`."


class LogTooNew(LogError):
    """The log, or an event in it, was written in a newer format than this version knows."""

    def __init__(self, path: Path, found: int, known: int, what: str = "the log") -> None:
        reason = f"{what} has format {found}, this version reads up to {known}"
        super().__init__(path, reason, "Install a newer version of sagalang.")
        self.found = found
        self.known = known


class LogForeign(LogError):
    """The file is a database, but not a log."""


class LogMissing(LogError):
    """There is no log at this path."""


class LogForked(LogError):
    """A forked child uses its parent's log."""


class LogClosed(LogError):
    """The log was closed."""


class RunUnknown(LogError):
    """The log holds no run of this id."""

    exit_code = 1

    def __init__(self, path: Path, run_id: str) -> None:
        reason = f"there is no run {run_id!r} in this log"
        super().__init__(path, reason)
        self.run_id = run_id

    @property
    def advice(self) -> str:
        """Which runs there are."""
        return f"`{command(self.path, 'runs')}` lists those that there are."


class RunOwned(LogError):
    """A living process owns the run."""

    exit_code = 1

    def __init__(self, path: Path, run_id: str, pid: int, host: str, since: int) -> None:
        reason = f"run {run_id!r} is owned by process {pid} on {host or 'this machine'}"
        super().__init__(path, reason)
        self.run_id = run_id
        self.pid = pid
        self.host = host
        self.since = since

    @property
    def advice(self) -> str:
        """What may be said of the process, by whoever knows it."""
        take = command(self.path, "takeover", self.run_id, owner_is_dead=True)
        return (
            f"It goes on there. If that process is known to be dead or stopped for ever: `{take}`."
        )


class DefinitionUnknown(LogError):
    """The log holds no definition of this hash."""

    def __init__(self, path: Path, definition: str) -> None:
        reason = f"definition {definition[:12]} is not in this log"
        super().__init__(path, reason, "Run with the saga's file to give it again.")
        self.definition = definition


class BadRunId(ValueError):
    """A text that cannot be the id of a run."""


class Unencodable(ValueError):
    """An event holds something that cannot be written down."""


class TooLarge(Unencodable):
    """One value is over the limit of what is stored; repeating the call would not help."""

    def __init__(self, what: str, size: int, limit: int) -> None:
        super().__init__(f"{what} has {size:,} bytes; a value may have {limit:,}")
        self.what = what
        self.size = size
        self.limit = limit


def translate(error: sqlite3.Error, path: Path) -> LogError:
    """Gives the typed error for what SQLite says, by its (primary) result code."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    said = str(error)
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LogBusy(path, None, "a program that does not use the log's lock")
        case sqlite3.SQLITE_FULL:
            return LogFull(path, "there is no room left to write", "Free some space, then resume.")
        case sqlite3.SQLITE_IOERR:
            return failing(path, said)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return LogDamaged(path, said)
        case _:
            return LogUnwritable(
                path,
                f"the log cannot be used: {said}",
                "Check the folder's permissions and that the disk is mounted for writing.",
            )


def failing(path: Path, said: str) -> LogFailing:
    """Gives the error of a disk that failed; `said` is what is known of it."""
    return LogFailing(path, f"the disk failed while the log was written: {said}")
