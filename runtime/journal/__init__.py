"""The journal: the durable log of a run, written before and after every call."""

from __future__ import annotations

from . import points, transfer
from .audit import verify
from .batch import (
    OPEN,
    Beginning,
    Committed,
    Fence,
    Owner,
    Request,
    Run,
    Settlement,
    Touching,
    Wait,
    Waiting,
    Write,
)
from .encoding import Entry, Mask
from .errors import (
    BadRunId,
    DefinitionUnknown,
    LogBusy,
    LogClosed,
    LogDamaged,
    LogError,
    LogFailing,
    LogForeign,
    LogForked,
    LogFull,
    LogMissing,
    LogMoved,
    LogTooNew,
    LogUnlockable,
    LogUnwritable,
    RunOwned,
    RunUnknown,
    TooLarge,
    Unencodable,
)
from .files import Files, files
from .ids import new_run_id, run_id
from .inbox import post
from .journal import Journal
from .place import check_name
from .reads import Reader, Reading
from .recovery import recover
from .suggestion import command, resumption, succession

__all__ = [
    "OPEN",
    "BadRunId",
    "Beginning",
    "Committed",
    "DefinitionUnknown",
    "Entry",
    "Fence",
    "Files",
    "Journal",
    "LogBusy",
    "LogClosed",
    "LogDamaged",
    "LogError",
    "LogFailing",
    "LogForeign",
    "LogForked",
    "LogFull",
    "LogMissing",
    "LogMoved",
    "LogTooNew",
    "LogUnlockable",
    "LogUnwritable",
    "Mask",
    "Owner",
    "Reader",
    "Reading",
    "Request",
    "Run",
    "RunOwned",
    "RunUnknown",
    "Settlement",
    "TooLarge",
    "Touching",
    "Unencodable",
    "Wait",
    "Waiting",
    "Write",
    "check_name",
    "command",
    "files",
    "new_run_id",
    "points",
    "post",
    "recover",
    "resumption",
    "run_id",
    "succession",
    "transfer",
    "verify",
]
