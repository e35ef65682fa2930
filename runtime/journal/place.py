"""Where a log lies: on a file system whose locks and shared memory can be trusted, or refused."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

from .errors import LogForeign, LogMissing, LogUnlockable, LogUnwritable
from .files import files

# Magic numbers of statfs(2). User-space file systems are refused with the network ones: what is
# behind them is not known, and SQLite's shared memory does not work on most of them.
_NETWORK = {
    0x6969: "nfs",
    0x517B: "smb",
    0xFE534D42: "smb2",
    0xFF534D42: "cifs",
    0x5346414F: "afs",
    0x73757245: "coda",
    0x01021997: "9p",
    0x00C36400: "ceph",
    0x0BD00BD0: "lustre",
    0x47504653: "gpfs",
    0x65735546: "fuse",
    0x786F4256: "vboxsf",
    0x19830326: "beegfs",
    0x20030528: "orangefs",
}
_LOCAL_FLAG = 0x1000  # MNT_LOCAL of macOS


def network_kind(folder: Path) -> str:
    """Gives the kind of network file system that a folder lies on, or an empty text."""
    libc = ctypes.CDLL(None, use_errno=True)
    found = ctypes.create_string_buffer(4096)
    if _statfs(libc)(os.fsencode(folder), found) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(folder))
    if sys.platform == "darwin":
        flags = int.from_bytes(found.raw[64:68], "little")
        name = found.raw[72:88].split(b"\0")[0].decode("ascii", "replace")
        return "" if flags & _LOCAL_FLAG else name
    magic = int.from_bytes(found.raw[: ctypes.sizeof(ctypes.c_long)], sys.byteorder)
    return _NETWORK.get(magic & 0xFFFFFFFF, "")


def _statfs(libc: ctypes.CDLL) -> Callable[[bytes, ctypes.Array[ctypes.c_char]], int]:
    """Gives the call that fills the layout read above: on macOS for Intel it has another name."""
    try:
        return libc["statfs$INODE64"]
    except AttributeError:
        return libc.statfs


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuses what is something else than a log: a folder, or a file of another kind.

    Raises LogForeign and LogMissing.
    """
    where = files(path)
    for place in (where.journal, where.store):
        if place.is_dir():
            raise LogForeign(place, "it is a folder", "Name another log.")
    if where.journal.exists():
        return
    given = Path(path)
    if given.is_dir():
        inside = given / "saga.duckdb"
        raise LogForeign(given, "it is a folder", f"Name a file in it, such as {inside}.")
    if given.suffix not in (".duckdb", ".journal") and given.exists():
        advice = "Name another: the name of a log ends in .duckdb."
        raise LogForeign(given, "it is a file of another kind, and no log", advice)
    if not where.store.exists():
        return
    if where.store.is_file() and not _is_store(where.store):
        raise LogForeign(where.store, "it is a file of another kind, and no log", "Name another.")
    raise LogMissing(
        where.journal,
        "the event store is here, and the journal that belongs to it is not",
        "Bring it back before anything runs, or name another log.",
    )


def _is_store(path: Path) -> bool:
    """True for a file that begins as DuckDB's do, or is empty."""
    try:
        with path.open("rb") as file:
            start = file.read(12)
    except OSError:
        return True  # Whoever opens it says what is wrong.
    return not start or start[8:] == b"DUCK"


def check_place(path: Path) -> None:
    """Refuses a path on a network file system; raises LogUnlockable and LogUnwritable."""
    try:
        kind = network_kind(path.parent)
    except FileNotFoundError:
        raise LogUnwritable(path, "its folder does not exist", "Make it first.") from None
    except OSError as error:
        reason = f"its folder cannot be looked at ({error.strerror})"
        raise LogUnwritable(path, reason, "Check the folder's permissions.") from None
    if kind:
        raise LogUnlockable(
            path,
            f"the folder lies on a network file system ({kind}), where locks cannot be trusted",
            "Put the log on a local disk.",
        )
