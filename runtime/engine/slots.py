"""Slots: how many calls go on at once; a call waits for one before its intent is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from ..settings import Limits
from .live import Live


class Slots:
    """The free slots of an engine, and the calls that wait for them in the order they came."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = {True: limits.async_, False: limits.sync}
        self._free_of_service = dict(limits.services)
        self._queues: dict[tuple[bool, str], deque[tuple[Live, str]]] = {}

    def offer(self, live: Live, command_id: str, is_async: bool, service: str) -> None:
        """Puts a call in the queue of its kind."""
        self._queues.setdefault(self._kind(is_async, service), deque()).append((live, command_id))

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

    def use(self, is_async: bool, service: str) -> None:
        """Takes a slot."""
        self._change(self._kind(is_async, service), -1)

    def give(self, is_async: bool, service: str) -> None:
        """Gives a slot back."""
        self._change(self._kind(is_async, service), 1)

    def _kind(self, is_async: bool, service: str) -> tuple[bool, str]:
        return is_async, service if service in self._free_of_service else ""

    def _has(self, kind: tuple[bool, str]) -> bool:
        is_async, service = kind
        return self._free[is_async] > 0 and (not service or self._free_of_service[service] > 0)

    def _change(self, kind: tuple[bool, str], by: int) -> None:
        is_async, service = kind
        self._free[is_async] += by
        if service:
            self._free_of_service[service] += by
