"""Slots: how many calls go on at once; a call waits for one before its intent is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from ..settings import Limits
from .binding import Bound, Pool
from .live import Live


class Slots:
    """The free slots of an engine, and the calls that wait for them in the order they came."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # An agent waits for its tools: had it one of their slots, they might wait for it.
        self._free: dict[Pool, int] = {
            "async": limits.async_,
            "sync": limits.sync,
            "agent": limits.sync,
        }
        self._free_of_service = dict(limits.services)
        self._queues: dict[tuple[Pool, str], deque[tuple[Live, str]]] = {}

    def offer(self, live: Live, command_id: str, bound: Bound) -> None:
        """Puts a call in the queue of its kind."""
        self._queues.setdefault(self._kind(bound), deque()).append((live, command_id))

    def ready(self) -> Iterator[tuple[Live, str]]:
        """Gives the waiting calls for which there is a slot, until slots or calls run out.

        Whoever takes one says so with `use` before asking for the next.
        """
        found = True
        while found:
            found = False
            # A call that begins may bring forth others, of any kind.
            for kind, queue in tuple(self._queues.items()):
                while queue and self._has(kind):
                    found = True
                    yield queue.popleft()

    def use(self, bound: Bound) -> None:
        """Takes a slot."""
        self._change(self._kind(bound), -1)

    def give(self, bound: Bound) -> None:
        """Gives a slot back."""
        self._change(self._kind(bound), 1)

    def _kind(self, bound: Bound) -> tuple[Pool, str]:
        service = bound.tool.service
        return bound.pool, service if service in self._free_of_service else ""

    def _has(self, kind: tuple[Pool, str]) -> bool:
        pool, service = kind
        return self._free[pool] > 0 and (not service or self._free_of_service[service] > 0)

    def _change(self, kind: tuple[Pool, str], by: int) -> None:
        pool, service = kind
        self._free[pool] += by
        if service:
            self._free_of_service[service] += by
