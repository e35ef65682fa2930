"""The board: what is known of each run of this process, for other threads to read and to watch."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import NamedTuple

from ..events import Event

_LOG = logging.getLogger("sagalang")


class Standing(NamedTuple):
    """How a run stands: its status, and for a paused one why.

    `looking` is true of an escalated run while calls of it go on: what people are shown is not
    complete yet.
    """

    status: str
    reason: str = ""
    looking: bool = False


Watcher = Callable[[Standing], None]
"""Called on the engine's own thread: it may only wake somebody."""

Subscriber = Callable[[str, Sequence[Event], Standing], None]
"""Called on a thread of its own with a run's new durable events."""


class Board:
    """Statuses after the last commit. What stands here is durable."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._standing: dict[str, Standing] = {}
        self._watchers: dict[str, list[Watcher]] = {}
        self._subscribers: dict[str, list[Subscriber]] = {}
        self._news: SimpleQueue[tuple[Subscriber, str, Sequence[Event], Standing]] | None = None
        self._paused = ""

    def standing(self, run_id: str) -> Standing | None:
        """Gives how a run of this process stands, None when it is not this process's."""
        with self._lock:
            found = self._standing.get(run_id)
            return self._shown(found) if found is not None else None

    def publish(self, run_id: str, standing: Standing, events: Sequence[Event]) -> None:
        """Notes how a run stands after a commit, and tells who watches it."""
        if not self._subscribers and self._standing.get(run_id) == standing:
            return  # Most commits change nothing here, and whoever comes now comes after them.
        with self._lock:
            before = self._standing.get(run_id)
            self._standing[run_id] = standing
            shown = self._shown(standing)
            watchers = list(self._watchers.get(run_id, ())) if before != standing else []
            if events and (subscribers := self._subscribers.get(run_id)):
                for subscriber in subscribers:
                    self._tell(subscriber, run_id, events, shown)
        for watcher in watchers:
            watcher(shown)

    def forget(self, run_id: str) -> None:
        """Takes a run off the board: it is over, or another process's."""
        with self._lock:
            self._standing.pop(run_id, None)
            watchers = list(self._watchers.get(run_id, ()))
        for watcher in watchers:
            watcher(Standing("gone"))

    def pause(self, reason: str) -> None:
        """Says that no run of this process goes on, and why; an empty text: they go on again."""
        with self._lock:
            if reason == self._paused:
                return
            self._paused = reason
            told = [
                (watcher, self._shown(standing))
                for run_id, standing in self._standing.items()
                for watcher in self._watchers.get(run_id, ())
            ]
        for watcher, standing in told:
            watcher(standing)

    @property
    def paused(self) -> str:
        """Why no run of this process goes on; empty when they do."""
        return self._paused

    def watch(self, run_id: str, watcher: Watcher) -> Standing | None:
        """Tells a watcher every change from now on, and gives how the run stands now."""
        with self._lock:
            self._watchers.setdefault(run_id, []).append(watcher)
            found = self._standing.get(run_id)
            return self._shown(found) if found is not None else None

    def unwatch(self, run_id: str, watcher: Watcher) -> None:
        """Ends a watch."""
        with self._lock:
            watchers = self._watchers.get(run_id, [])
            if watcher in watchers:
                watchers.remove(watcher)
            if not watchers:
                self._watchers.pop(run_id, None)

    def subscribe(self, run_id: str, subscriber: Subscriber) -> Callable[[], None]:
        """Sends a run's events after each commit; gives the function that ends it."""
        with self._lock:
            if self._news is None:
                self._news = SimpleQueue()
                threading.Thread(
                    target=self._deliver, name=f"{self._name}-news", daemon=True
                ).start()
            self._subscribers.setdefault(run_id, []).append(subscriber)

        def end() -> None:
            with self._lock:
                subscribers = self._subscribers.get(run_id, [])
                if subscriber in subscribers:
                    subscribers.remove(subscriber)
                if not subscribers:
                    self._subscribers.pop(run_id, None)

        return end

    def _shown(self, standing: Standing) -> Standing:
        if self._paused and standing.status in ("running", "compensating"):
            return Standing("paused", self._paused)
        return standing

    def _tell(
        self, subscriber: Subscriber, run_id: str, events: Sequence[Event], standing: Standing
    ) -> None:
        assert self._news is not None
        self._news.put((subscriber, run_id, events, standing))

    def _deliver(self) -> None:
        assert self._news is not None
        while True:
            subscriber, run_id, events, standing = self._news.get()
            try:
                subscriber(run_id, events, standing)
            except Exception:
                # A listener's mistake is its own; the run and the other listeners go on.
                _LOG.exception("a listener of run %s failed", run_id)
