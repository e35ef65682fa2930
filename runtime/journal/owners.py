"""Owners: each process holds a lock on a file of its own, and owns runs as long as it lives."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import socket
import time
from typing import Any

from . import forks
from .batch import Owner
from .errors import LogUnwritable
from .files import Files
from .lock import SIZE, open_note

_NOTE = 1024
"""Where the note begins; before it stands who the owner is."""


class OwnLock:
    """This process as an owner: NAME.owners/ID, locked as long as the process lives.

    The kernel drops the lock when the process dies, and not when it is stopped or its clock jumps.
    """

    def __init__(self, where: Files) -> None:
        self.id = secrets.token_hex(16)
        self._path = where.owners / self.id
        try:
            where.owners.mkdir(exist_ok=True)
        except OSError as error:
            raise LogUnwritable(
                where.owners, f"the folder cannot be made ({error.strerror})", "Check permissions."
            ) from None
        # Locked before it has its name: nobody ever sees a living owner unlocked.
        hidden = where.owners / f".{self.id}"
        self._fd = open_note(hidden)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        about = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": time.time_ns() // 1_000_000,
        }
        os.pwrite(self._fd, json.dumps(about).encode()[:_NOTE].ljust(_NOTE), 0)
        os.rename(hidden, self._path)
        forks.watch(self)

    def note(self, text: str) -> None:
        """Writes a line for people into the file: why this owner's runs are paused."""
        room = SIZE - _NOTE
        os.pwrite(self._fd, text.encode()[:room].ljust(room), _NOTE)

    def close(self) -> None:
        """Removes the file and lets go of the lock: this process owns nothing any more."""
        if self._fd >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._fd)
        self._fd = -1

    def forked(self) -> None:
        """Closes a forked child's descriptor: it would keep a dead owner's runs owned."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1


def describe_owner(where: Files, owner: str) -> Owner:
    """Tells what is known of an owner; one without a file, or whose lock is free, is dead."""
    if not owner:
        return Owner("")
    try:
        fd = os.open(where.owners / owner, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return Owner(owner)
    try:
        alive = False
        try:
            # Shared, so that two who look at the same moment do not take each other for the owner.
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            alive = True
        text = os.pread(fd, SIZE, 0)
    finally:
        os.close(fd)
    note = text[_NOTE:].decode("utf-8", "replace").strip(" \0")
    try:
        about: dict[str, Any] = json.loads(text[:_NOTE])
        return Owner(owner, about["pid"], about["host"], about["since"], alive, note)
    except (ValueError, KeyError, TypeError):
        return Owner(owner, alive=alive, note=note)


def forget_dead(where: Files, owning: set[str]) -> None:
    """Removes files of dead owners that own nothing; the caller holds the log's lock."""
    for path in sorted(where.owners.glob("[0-9a-f]*")):
        if path.name not in owning and not describe_owner(where, path.name).alive:
            path.unlink(missing_ok=True)
