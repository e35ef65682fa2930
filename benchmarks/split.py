"""Where a step's time goes: functions of the engine's thread timed, each less what is within it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

from sagalang.runtime.engine import batch, engine, live, runs, workers
from sagalang.runtime.journal import commit, heads, journal

_PLACES: list[tuple[Any, str, str]] = [
    (engine.Engine, "_turn", "loop"),
    (engine.Engine, "_handle_ended", "loop"),
    (engine.Engine, "settle", "loop"),
    (engine.Engine, "dispatch", "loop"),
    (live.Live, "take", "loop"),
    (batch.Batch, "commit", "loop"),
    (batch.Batch, "_let_go", "let go after the commit"),
    (runs.Runs, "committed", "let go after the commit"),
    (workers.Workers, "start", "hand over to tools"),
    (live, "news", "kernel: decide"),
    (live, "advance", "kernel: fold"),
    (engine, "record", "kernel: record"),
    (journal.Journal, "encode", "encode"),
    (journal.Journal, "_commit", "lock, looks at files"),
    (heads.Heads, "rows", "rows made, hashed"),
    (journal, "add", "SQLite: rows put in, sync"),
    (commit, "append", "SQLite: the long way"),
    (journal.Journal, "changed", "look for requests"),
]


class Split:
    """Counts, while it is entered, the CPU time of the engine's thread by place."""

    def __init__(self) -> None:
        self.clear()
        self._open: list[list[Any]] = []
        self._before: list[tuple[Any, str, Any]] = []

    def clear(self) -> None:
        """Begins to count anew; a part that nothing calls any more is shown as nothing."""
        self.spent = {label: 0.0 for _, _, label in _PLACES}

    def __enter__(self) -> Self:
        for owner, name, label in _PLACES:
            found = getattr(owner, name)
            self._before.append((owner, name, found))
            setattr(owner, name, self._timed(found, label))
        return self

    def __exit__(self, *_: object) -> None:
        for owner, name, found in self._before:
            setattr(owner, name, found)

    def _timed(self, act: Callable[..., Any], label: str) -> Callable[..., Any]:
        clock = time.thread_time

        def timed(*args: Any, **named: Any) -> Any:
            now = clock()
            if self._open:
                self._add(now)
            self._open.append([label, now])
            try:
                return act(*args, **named)
            finally:
                now = clock()
                self._add(now)
                self._open.pop()
                if self._open:
                    self._open[-1][1] = now

        return timed

    def _add(self, now: float) -> None:
        label, since = self._open[-1]
        self.spent[label] += now - since
