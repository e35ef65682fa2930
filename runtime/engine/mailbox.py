"""The mailbox of an engine: any thread puts things in, the engine's own thread takes them all."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any


class Mailbox:
    """A queue for one reader, who sleeps until something comes or a time is over.

    Waking costs a system call, so it is done only when the reader really sleeps: an asyncio loop,
    which was tried, writes to a socket for every single answer; a `threading.Event`, also tried,
    is written in Python and takes more CPU for the way there and back.
    """

    def __init__(self) -> None:
        self._items: deque[Any] = deque()
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._asleep = False

    def put(self, item: Any) -> None:
        """Adds an item and wakes the reader; from any thread."""
        self._items.append(item)
        if self._asleep:
            self._asleep = False
            self._wake.put(None)

    def add(self, item: Any) -> None:
        """Adds an item and lets the reader sleep: whoever does so wakes him in a moment."""
        self._items.append(item)

    def wake(self) -> None:
        """Wakes the reader when there is something for him; from any thread."""
        if self._items and self._asleep:
            self._asleep = False
            self._wake.put(None)

    def put_back(self, items: list[Any]) -> None:
        """Puts items before all others, in their order; from the reader's thread only."""
        self._items.extendleft(reversed(items))

    def take(self, seconds: float | None) -> list[Any]:
        """Gives all that is there, after waiting at most so long for the first (None: for ever)."""
        items = self._items
        if not items and (seconds is None or seconds > 0):
            self._asleep = True
            # Looked at again: what was put in before the flag stood did not wake anyone. A call to
            # wake that nobody slept for ends the next sleep early, which does no harm.
            if not items:
                with suppress(Empty):
                    self._wake.get(timeout=seconds)
            self._asleep = False
        return [items.popleft() for _ in range(len(items))]
