"""Small programs for the engine's tests, and the world that they act on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from sagalang.compiler.pipeline import compile
from sagalang.dsl.diagnostics import Severity
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
from sagalang.runtime import Run, Saga, call


def saga(text: str, functions: Mapping[str, object], name: str = "s") -> Saga:
    """Compiles one saga and binds it to functions by name."""
    found = compile(Source("test.saga", "edition 2026\n" + text), _nothing)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    assert name in found.plans, errors
    return Saga(found.plans[name], functions, file="test.saga")


def _nothing(importing: str, path: str) -> Unreadable:
    return Unreadable("there are no other files")


def tool(
    name: str,
    *,
    idempotent: str = "by key",
    verify: bool = False,
    more: str = "",
) -> str:
    """The text of a tool that does one thing in the world, and of what undoes and finds it."""
    says = f"idempotent {idempotent}" if idempotent else ""
    look = f"verify find_{name}(id)" if verify else ""
    return f"""
tool {name}(id: str) -> str {{
  call python "{name}" (id, key: key)
  effect {name}(id) reversible
  {says} {look} {more}
  undo undo_{name}(id)
}}
tool undo_{name}(id: str) -> json {{
  call python "undo_{name}" (id, key: key)
  effect {name} restoring idempotent by key
  retry 5 times every 10ms..20ms timeout 5s settle 0ms
}}
tool find_{name}(id: str) -> str? {{ call python "find_{name}" effect none }}
"""


class World:
    """The outside: what was done and undone, by key. It, not the log, says what happened."""

    def __init__(self, honours_keys: bool = True) -> None:
        self.honours_keys = honours_keys
        self.rows: list[tuple[str, str, str]] = []
        self.calls: list[tuple[str, str, int]] = []
        self.before: dict[str, Callable[[], None]] = {}
        self.after: dict[str, Callable[[], None]] = {}
        self.functions: dict[str, object] = {}
        self._lock = threading.Lock()

    def add(self, *names: str) -> dict[str, object]:
        """Gives the functions of tools made by `tool`."""
        for name in names:
            self.functions |= {
                name: self._acts(name, 1),
                f"undo_{name}": self._acts(name, -1),
                f"find_{name}": self._finds(name),
            }
        return self.functions

    def net(self, name: str) -> int:
        """How often a thing stands: done less undone."""
        return sum(1 if what == "do" else -1 for what, row, _ in self.rows if row == name)

    def names(self) -> list[str]:
        """What was called, in order; undos with a minus."""
        return [name for name, _, _ in self.calls]

    def keys(self, name: str) -> list[str]:
        """The keys that a tool was called with, in order."""
        return [key for called, key, _ in self.calls if called == name]

    def _finds(self, name: str) -> Callable[[str], str | None]:
        def find(id: str) -> str | None:
            return f"{name}:{id}" if self.net(name) else None

        return find

    def _acts(self, name: str, by: int) -> Callable[..., str]:
        shown = name if by > 0 else f"-{name}"

        def act(id: str, key: str) -> str:
            with self._lock:
                self.calls.append((shown, key, call().attempt))
            if shown in self.before:
                self.before[shown]()
            with self._lock:
                known = any(row == name and used == key for _, row, used in self.rows)
                if not (known and self.honours_keys):
                    self.rows.append(("do" if by > 0 else "undo", name, key))
            if shown in self.after:
                self.after[shown]()
            return f"{name}:{id}"

        return act


def hold(entered: threading.Event, leave: threading.Event) -> Callable[[], None]:
    """Gives what says that it is there, and then stays until it may leave."""

    def wait() -> None:
        entered.set()
        leave.wait(60)

    return wait


def until(true: Callable[[], bool]) -> None:
    """Waits for something that another thread does."""
    limit = time.monotonic() + 60
    while not true():
        assert time.monotonic() < limit
        time.sleep(0.005)


def kinds(run: Run, *wanted: str) -> list[tuple[str, str, str, str]]:
    """The events of some kinds: kind, path, direction, status."""
    return [
        (event["kind"], event["path"], event["direction"], event["status"])
        for event in run.events()
        if not wanted or event["kind"] in wanted
    ]


def at_end(started: Run) -> str:
    """Waits for a run and gives its status."""
    return started.wait(60).status
