"""The lock of a log: held around every write, and naming who holds it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from . import forks
from .errors import LogBusy, LogFailing, LogFull, LogUnlockable, LogUnwritable, failing
from .files import identity

SIZE = 4096
"""The file is made this long at once, so that a full disk can never refuse a note in it."""

_HOLDER = slice(0, 512)
_FAILURE = slice(512, 2048)
_PAUSE = 0.002
_TRY = fcntl.LOCK_EX | fcntl.LOCK_NB


class Lock:
    """An exclusive `flock` on NAME.lock; dropped by the kernel when its process dies.

    The first part of the file says which process holds it and what for. The second keeps the last
    failure of the disk, so that every process distrusts the log until it was salvaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        self._known: tuple[str, bytes] = ("", b"")
        self._open()
        forks.watch(self)
        self._try_locks()

    def _open(self) -> None:
        self._fd = open_note(self._path)
        mine = os.fstat(self._fd)
        self._file = mine.st_dev, mine.st_ino

    def close(self) -> None:
        """Closes the file; another process may hold the lock from now on."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def forked(self) -> None:
        """Closes a forked child's copy of the descriptor, which would keep the lock alive."""
        self.close()

    @contextmanager
    def held(self, doing: str, wait: float = 0.0, *, distrust: bool = True) -> Generator[None]:
        """Holds the lock; raises LogBusy after `wait` seconds, LogFailing after a disk failure."""
        self.take(doing, wait, distrust=distrust)
        try:
            yield
        finally:
            self.drop()

    def take(self, doing: str, wait: float, *, distrust: bool = True) -> None:
        """Takes the lock as `held` does, until `drop`."""
        self._acquire(wait)
        try:
            self._sign(doing, distrust)
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        """Lets go of the lock."""
        if self._fd >= 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def record(self, failure: LogFailing | None) -> None:
        """Writes down that the disk failed, or (None) that the log was salvaged since."""
        os.pwrite(self._fd, _padded(failure.reason if failure else "", _FAILURE), _FAILURE.start)
        os.fsync(self._fd)

    def _sign(self, doing: str, distrust: bool) -> None:
        """Says who holds the lock, unless it says so already; reads what failed before."""
        try:
            note = os.pread(self._fd, _FAILURE.stop, 0)
            if self._known == (doing, note):
                return
            said = _holder(os.getpid(), doing)
            if not note.startswith(said):
                os.pwrite(self._fd, said, _HOLDER.start)
        except OSError as error:
            raise _unwritable(self._path, error) from None
        if distrust and not note[_FAILURE].isspace():
            raise failing(self._path.with_suffix(".journal"), _text(note[_FAILURE]))
        if distrust and note.startswith(said):
            self._known = doing, note

    def _acquire(self, wait: float) -> None:
        end: float | None = None
        while True:
            try:
                fcntl.flock(self._fd, _TRY)
            except BlockingIOError:
                end = time.monotonic() + wait if end is None else end
                if time.monotonic() >= end:
                    raise self._busy() from None
                time.sleep(_PAUSE)
                continue
            if identity(self._name) == self._file:
                return
            # Someone removed the file: the lock that others see is on another one. Where none can
            # be made this one is kept: what is closed here may soon be another file's descriptor.
            old = self._fd
            try:
                self._open()
            except BaseException:
                self.drop()
                raise
            os.close(old)

    def _busy(self) -> LogBusy:
        try:
            holder: dict[str, Any] = json.loads(_text(os.pread(self._fd, SIZE, 0)[_HOLDER]))
        except ValueError:
            holder = {}
        return LogBusy(self._path, holder.get("pid"), holder.get("doing", ""))

    def _try_locks(self) -> None:
        """Refuses a place where two descriptors can hold the same lock, or none can."""
        try:
            with self.held("opening", 5.0, distrust=False):
                other = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
                try:
                    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return
                finally:
                    os.close(other)
        except OSError as error:
            self.close()
            raise LogUnlockable(
                self._path, f"files cannot be locked here ({error.strerror})", _ELSEWHERE
            ) from None
        except LogBusy:
            self.close()
            raise
        self.close()
        raise LogUnlockable(self._path, "locks have no effect here", _ELSEWHERE)


_ELSEWHERE = "Put the log on a local disk."


def holder_of(path: Path) -> str:
    """Tells which process holds a lock just now and what for; empty when nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        note = _text(os.pread(fd, SIZE, 0)[_HOLDER])
        try:
            said: dict[str, Any] = json.loads(note)
        except ValueError:
            said = {}
        return f"process {said.get('pid', '?')} ({said.get('doing', '?')})"
    finally:
        os.close(fd)
    return ""


def open_note(path: Path) -> int:
    """Opens (and makes) a file of 4 kB that a lock is held on; raises LogUnwritable."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except FileNotFoundError:
        if path.parent.is_dir():
            reason = "no file can be made in this folder"
            raise LogUnwritable(path, reason, "Name a log in another one.") from None
        raise LogUnwritable(path, "its folder does not exist", "Make it first.") from None
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        if os.fstat(fd).st_size < SIZE:
            os.pwrite(fd, b" " * (SIZE - os.fstat(fd).st_size), os.fstat(fd).st_size)
            os.fsync(fd)
    except OSError as error:
        os.close(fd)
        raise _unwritable(path, error) from None
    return fd


def _unwritable(path: Path, error: OSError) -> LogUnwritable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LogFull(path, "there is no room left", "Free some space, then resume.")
    return LogUnwritable(
        path,
        f"it cannot be written ({error.strerror})",
        "Check the folder's permissions and the disk.",
    )


@cache
def _holder(pid: int, doing: str) -> bytes:
    return _padded(json.dumps({"pid": pid, "doing": doing}), _HOLDER)


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace").strip(" \0")


def _padded(text: str, part: slice) -> bytes:
    size = part.stop - part.start
    return text.encode()[:size].ljust(size)
