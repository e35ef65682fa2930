"""Python's lock: how long another thread may keep it while an engine has something to do.

A step gives the lock up at three places at least: at the sync of its commit, when the engine
sleeps, and when the tools' loop does. Beside a thread that computes without end each costs one
switch interval, 5 ms unless the program says otherwise: no step could take less than 15 ms. So
while engines are at work the interval is shorter. It is the whole process's: what the program had
set comes back when nothing is to do, a shorter one is kept, and one that it sets meanwhile stays.
"""

from __future__ import annotations

import os
import sys
import threading

INTERVAL = 0.0005
"""Seconds: many times what waking a thread takes, and several fit into the 10 ms of a commit."""


class Switching:
    """The switch interval of this process, shared by its engines."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work: set[object] = set()
        self._before: float | None = None
        self._ours = 0.0
        os.register_at_fork(after_in_child=self._forked)

    def shorten(self, engine: object) -> None:
        """Shortens the interval, on behalf of an engine that has something to do."""
        if engine in self._at_work:
            return
        with self._lock:
            if not self._at_work:
                before = sys.getswitchinterval()
                if before > INTERVAL:
                    sys.setswitchinterval(INTERVAL)
                    self._ours = sys.getswitchinterval()
                    self._before = before
            self._at_work.add(engine)

    def restore(self, engine: object) -> None:
        """Gives the program's own interval back when no other engine has anything to do."""
        if engine not in self._at_work:
            return
        with self._lock:
            self._at_work.discard(engine)
            if not self._at_work:
                self._give_back()

    def _give_back(self) -> None:
        if self._before is not None and sys.getswitchinterval() == self._ours:
            sys.setswitchinterval(self._before)
        self._before = None

    def _forked(self) -> None:
        # No engine is at work in the child, and its copy of the lock may be held for ever.
        self._lock = threading.Lock()
        self._at_work = set()
        self._give_back()


switching = Switching()
"""The one of this process."""
