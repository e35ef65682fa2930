"""Time-outs of calls: a queue for each length, because calls of one length are due in turn."""

from __future__ import annotations

from .calling import Job

_MANY = 64
"""Above so many lengths those of which no call goes on are forgotten."""


class Timeouts:
    """When the calls that go on are over without an answer.

    Hardly any time-out comes true: a call is put at the end of its queue and taken out when it
    answers, each at once, and only the first of a queue is ever looked at.
    """

    def __init__(self) -> None:
        self._queues: dict[int, dict[Job, int]] = {}

    def set(self, job: Job, length: int, now: int) -> None:
        """Lets a call be over some milliseconds from now, on the monotonic clock."""
        queue = self._queues.get(length)
        if queue is None:
            if len(self._queues) > _MANY:
                self._queues = {some: queue for some, queue in self._queues.items() if queue}
            queue = self._queues[length] = {}
        queue[job] = now + length
        job.length = length

    def cancel(self, job: Job) -> int | None:
        """Stops the time of a call; gives when it would have been over, None if it stood still."""
        queue = self._queues.get(job.length)
        return None if queue is None else queue.pop(job, None)

    def next(self) -> int | None:
        """Gives when the first call is over, or None."""
        firsts = [next(iter(queue.values())) for queue in self._queues.values() if queue]
        return min(firsts) if firsts else None

    def due(self, now: int) -> list[Job]:
        """Takes out the calls whose time is over."""
        found: list[Job] = []
        for queue in self._queues.values():
            while queue and next(iter(queue.values())) <= now:
                job = next(iter(queue))
                del queue[job]
                found.append(job)
        return found
