"""Time as the engine sees it: the clocks of one turn, and a run's own time over all its owners."""

from __future__ import annotations

import time
from typing import NamedTuple, Self

from ..kernel.state import Timer


class Moment(NamedTuple):
    """The two clocks at one moment, in milliseconds: `mono` never jumps, `wall` is UTC."""

    mono: int
    wall: int

    @classmethod
    def now(cls) -> Self:
        """Reads the clocks."""
        return cls(time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000)


class RunClock(NamedTuple):
    """A run's own time: `origin` is where its `elapsed` is 0 on this process's monotonic clock.

    `taken_*` say when this owner took the run: timers set earlier are counted anew from there.
    """

    origin: int
    taken_n: int
    taken_elapsed: int
    taken_wall: int

    @classmethod
    def taken(cls, n: int, elapsed: int, now: Moment) -> Self:
        """Gives the clock of a run that this process takes (or begins) now."""
        return cls(now.mono - elapsed, n, elapsed, now.wall)

    def elapsed(self, now: Moment) -> int:
        """Gives the run's own time in milliseconds."""
        return now.mono - self.origin

    def due(self, timer: Timer) -> int:
        """Gives when a timer is due on the monotonic clock.

        A safety timer of an earlier owner is counted in full again: how long nobody counted is not
        known. A liveness timer keeps its stored UTC time, and is never longer than its length.
        """
        if timer.n > self.taken_n:
            return self.origin + timer.elapsed + timer.length
        left = timer.length
        if not timer.safety:
            left = max(0, min(timer.length, timer.due - self.taken_wall))
        return self.origin + self.taken_elapsed + left
