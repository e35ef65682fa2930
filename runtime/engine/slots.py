"""Slots: how many calls go on at once; a call waits for one before its intent is written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..settings import Limits
from .binding import Bound, Pool

if TYPE_CHECKING:
    from .live import Live


class _Free:
    """How many calls may still begin within one limit."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count


class Kind:
    """Calls that count against the same limits, and those of them that wait in their order."""

    __slots__ = ("_pool", "_service", "waiting")

    def __init__(self, pool: _Free, service: _Free | None) -> None:
        self._pool = pool
        self._service = service
        self.waiting: deque[tuple[Live, str]] = deque()

    def free(self) -> bool:
        """True when one more call may begin."""
        return self._pool.count > 0 and (self._service is None or self._service.count > 0)

    def use(self) -> None:
        """Takes a slot."""
        self._change(-1)

    def give(self) -> None:
        """Gives a slot back."""
        self._change(1)

    def _change(self, by: int) -> None:
        self._pool.count += by
        if self._service is not None:
            self._service.count += by


class Slots:
    """The free slots of an engine, by the kinds of calls."""

    def __init__(self, limits: Limits) -> None:
        # An agent waits for its tools: had it one of their slots, they might wait for it.
        self._pools: dict[Pool, _Free] = {
            "async": _Free(limits.async_),
            "sync": _Free(limits.sync),
            "agent": _Free(limits.sync),
        }
        self._services = {service: _Free(count) for service, count in limits.services.items()}
        self._kinds: dict[tuple[Pool, str], Kind] = {}
        self._all: tuple[Kind, ...] = ()

    def kind(self, bound: Bound) -> Kind:
        """Gives the kind that the calls of a tool are of."""
        return self._kinds.get(bound.counts) or self._make(bound)

    def ready(self) -> Iterator[tuple[Kind, Live, str]]:
        """Gives the waiting calls for which there is a slot, until slots or calls run out.

        Whoever takes one says so with `use` before asking for the next.
        """
        found = True
        while found:
            found = False
            # A call that begins may bring forth others, of any kind.
            for kind in self._all:
                while kind.waiting and kind.free():
                    found = True
                    yield kind, *kind.waiting.popleft()

    def _make(self, bound: Bound) -> Kind:
        pool, service = bound.counts
        if service not in self._services:
            # Such calls wait in one queue, whatever their service is called.
            service = ""
        kind = self._kinds.get((pool, service))
        if kind is None:
            kind = Kind(self._pools[pool], self._services.get(service))
            self._all = (*self._all, kind)
        self._kinds[bound.counts] = self._kinds[pool, service] = kind
        return kind
