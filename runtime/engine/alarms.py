"""Alarms: what is due at a time of the monotonic clock, the first due first."""

from __future__ import annotations

import heapq
from collections.abc import Callable

_TIDY = 1_000
"""Below so many cancelled alarms nothing is tidied up."""


class Alarm:
    """One thing to do later; a cancelled one is passed over."""

    __slots__ = ("action", "due")

    def __init__(self, due: int, action: Callable[[], None]) -> None:
        self.due = due
        self.action: Callable[[], None] | None = action


class Alarms:
    """A heap of alarms: timers of runs, and what the engine itself does later."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Alarm]] = []
        self._count = 0
        self._cancelled = 0

    def set(self, due: int, action: Callable[[], None]) -> Alarm:
        """Sets an alarm at a time in milliseconds of the monotonic clock."""
        alarm = Alarm(due, action)
        self._count += 1
        heapq.heappush(self._heap, (due, self._count, alarm))
        return alarm

    def cancel(self, alarm: Alarm) -> None:
        """Makes an alarm silent."""
        if alarm.action is None:
            return
        alarm.action = None
        self._cancelled += 1
        if self._cancelled > _TIDY and self._cancelled * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].action is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def next(self) -> int | None:
        """Gives the time of the first alarm, or None."""
        heap = self._heap
        while heap and heap[0][2].action is None:
            heapq.heappop(heap)
            self._cancelled -= 1
        return heap[0][0] if heap else None

    def due(self, now: int) -> list[Callable[[], None]]:
        """Takes out everything that is due."""
        found: list[Callable[[], None]] = []
        while (first := self.next()) is not None and first <= now:
            alarm = heapq.heappop(self._heap)[2]
            if alarm.action is not None:
                found.append(alarm.action)
                alarm.action = None
        return found
