"""Failure points: a name before and after every write to the log and every call, to die at.

`SAGA_FAILPOINT=NAME[:STEP][:N]` in the environment kills the process with SIGKILL when the point
NAME (of the step with the path STEP) is passed for the N-th time. Nothing is cleaned up, as in a
power cut. Inside a process, `listener` may raise or wait instead.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from .journal import points

VARIABLE = "SAGA_FAILPOINT"

_EVENTS = (
    "run_started", "chosen", "intent", "undo.intent", "corrective.intent", "outcome",
    "undo.outcome", "corrective.outcome", "verified", "timer_set", "timer_due", "scope_closed",
    "gate_opened", "decided", "signalled", "cancel_requested", "checkpointed", "escalated",
    "resolved", "frozen", "attempt_lost", "late", "run_finished",
)  # fmt: skip
_CALLS = ("call", "undo.call", "corrective.call", "verify.call", "read.call")
_JOURNAL = ("commit", "blob", "post", "take", "checkpoint")

NAMES: tuple[str, ...] = (
    *(f"{event}.{side}" for event in _EVENTS for side in ("before", "after")),
    *(f"{call}.{side}" for call in _CALLS for side in ("before", "after")),
    *(f"{write}.{side}" for write in _JOURNAL for side in ("before", "after")),
    "commit.begun",
    "commit.written",
)
"""Every point. Of an event: before and after the commit that holds it, with the event's path. Of a
call: directly before the function is called, and directly after it has returned or raised. Of the
log: around its own writes, without a path."""

listener: Callable[[str, str], None] | None = None
"""Called with the name and the path of each point that is passed, in the thread that passes it."""


class FailpointUnknown(ValueError):
    """The environment names a failure point that does not exist."""


class _Kill:
    """Kills the process at the n-th passing of one point."""

    def __init__(self, text: str) -> None:
        name, _, rest = text.partition(":")
        step, colon, last = rest.rpartition(":")
        if not last.isdecimal():
            step, last = f"{step}{colon}{last}", "1"
        if name not in NAMES:
            known = ", ".join(NAMES)
            raise FailpointUnknown(
                f"{VARIABLE} names no failure point: {name!r}. There are: {known}"
            )
        self.text = text
        self.name = name
        self.step = step
        self.left = int(last)
        self.lock = threading.Lock()

    def __call__(self, name: str, path: str) -> None:
        if name != self.name or (self.step and path != self.step):
            return
        with self.lock:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def reach(name: str, path: str = "") -> None:
    """Tells the listener, when there is one, that a point is passed."""
    if listener is not None:
        listener(name, path)


def active() -> bool:
    """True when somebody listens; else the points cost nothing."""
    return listener is not None


def arm(text: str | None = None) -> None:
    """Arms the point that the environment (or `text`) names, unless somebody listens already.

    Raises `FailpointUnknown`.
    """
    text = os.environ.get(VARIABLE, "") if text is None else text
    if text and listener is None:
        _listen(_Kill(text))


@contextmanager
def listening(to: Callable[[str, str], None]) -> Generator[None]:
    """Calls a function at each point while the block runs: it may raise, wait or count."""
    before = listener
    _listen(to)
    try:
        yield
    finally:
        _listen(before)


def _listen(to: Callable[[str, str], None] | None) -> None:
    global listener
    listener = to
    points.listener = None if to is None else reach


__all__ = ["NAMES", "VARIABLE", "FailpointUnknown", "active", "arm", "listening", "reach"]
