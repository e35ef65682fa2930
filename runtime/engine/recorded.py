"""Runs as the log has them: folded where they are asked about, without engine or tools."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

from ..events import Event
from ..journal import Reader, Reading, Run
from ..kernel.state import State
from .definition import Definition
from .runs import fold

_known: WeakValueDictionary[str, Definition] = WeakValueDictionary()
_lock = Lock()


class Recorded:
    """A run read from its log: its row, its definition, and its events up to some `n`."""

    def __init__(self, path: Path, run_id: str, n: int | None = None) -> None:
        reader = Reader(path)
        self.row: Run = reader.run(run_id)
        self.definition = definition_of(reader, self.row)
        events = reader.events(run_id)
        self.events: list[Event] = events if n is None else events[:n]

    def state(self) -> State:
        """Gives the state after the events."""
        return fold(self.definition, self.row.run_id, self.events)


def definition_of(reader: Reading, row: Run) -> Definition:
    """Gives the definition that a run was begun with, from the log."""
    with _lock:
        known = _known.get(row.definition)
    return known or remember(Definition.read(reader.definition(row.definition)))


def remember(definition: Definition) -> Definition:
    """Keeps a definition as long as somebody uses it, so that equal ones are one."""
    with _lock:
        return _known.setdefault(definition.hash, definition)
