"""What a tool's function uses: exceptions that say what happened, and the call it is in."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

LINES = 100
"""So many lines of `call().log` are kept with one call; more are counted, not kept."""


class Refused(Exception):
    """The service said no: nothing happened, and asking again is of no use."""


class Transient(Exception):
    """This attempt did not land; another one may.

    `retry_after` is in seconds: the next attempt is not made earlier.
    """

    def __init__(self, message: object = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Conflict(Exception):
    """The service knows this idempotency key with other arguments: people must look."""


class NoCall(RuntimeError):
    """`call()` was used outside of a tool that a run is calling."""


_LOCK = threading.Lock()
"""Held for a moment where a tool's threads add lines; one for all, as calls are many and short."""


class Attempt:
    """One call of a tool as the tool sees it: who asks, under which key, and until when.

    `key` is the idempotency key: the same in each attempt, process and machine (empty for a read).
    `attempt` counts from 1. `path` is the step's place in the saga. `timeout` is in seconds.
    """

    __slots__ = (
        "_lines", "_over", "_unkept", "alive", "attempt", "key", "note", "path", "run_id",
        "started", "timeout", "tool",
    )  # fmt: skip

    def __init__(
        self, *, run_id: str, path: str, tool: str, key: str, attempt: int, timeout: float
    ) -> None:
        self.run_id = run_id
        self.path = path
        self.tool = tool
        self.key = key
        self.attempt = attempt
        self.timeout = timeout
        self.started = time.monotonic()
        self.alive = self.started
        self.note = ""
        self._lines: list[str] = []
        self._unkept = 0
        self._over = False

    @property
    def remaining(self) -> float:
        """Seconds until the answer is no longer waited for; 0.0 when it no longer is."""
        return max(0.0, self.started + self.timeout - time.monotonic())

    @property
    def deadline(self) -> datetime:
        """The moment (UTC) after which the answer is no longer waited for."""
        return datetime.now(UTC) + timedelta(seconds=self.remaining)

    def log(self, message: object) -> None:
        """Keeps a line of text with this call's outcome; secrets of the run are masked in it."""
        with _LOCK:
            if len(self._lines) < LINES:
                self._lines.append(str(message))
            else:
                self._unkept += 1

    def heartbeat(self, note: object = "") -> bool:
        """Says that the tool is still at work, and whether anyone still waits for its answer.

        A false answer means that the call timed out: what the tool does from now on is kept as a
        late answer, never as a success, so a tool that can stop should.
        """
        self.alive = time.monotonic()
        self.note = str(note)
        return not self._over and self.remaining > 0

    def close(self) -> list[str]:
        """Ends the call for the tool and gives the lines it logged."""
        with _LOCK:
            self._over = True
            lines = list(self._lines)
            if self._unkept:
                lines.append(f"… and {self._unkept} more lines")
            return lines

    def __repr__(self) -> str:
        return f"<call of {self.tool} for {self.path} of run {self.run_id}, attempt {self.attempt}>"


CURRENT: ContextVar[Attempt] = ContextVar("sagalang_call")


def call() -> Attempt:
    """Gives the call that the running tool is in: key, attempt, run id, path, deadline.

    Raises `NoCall` outside of a tool. A thread that a tool starts by itself is outside.
    """
    try:
        return CURRENT.get()
    except LookupError:
        raise NoCall(
            "call() is only there while a run calls a tool; in a test, call the function without it"
        ) from None


__all__ = ["Attempt", "Conflict", "NoCall", "Refused", "Transient", "call"]
