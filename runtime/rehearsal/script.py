"""What a scenario lets go wrong, by the paths of the run; what has happened is crossed off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeVar

from ..expressions import evaluate
from ..kernel.commands import Call
from ..scenario import (
    Approve,
    CancelAt,
    Crash,
    Drift,
    Fail,
    Injection,
    LogDownAt,
    Lose,
    MockCall,
    RefuseUndo,
    Reject,
    Scenario,
    Signal,
    TimesOut,
)
from ..shapes import Schema
from .paths import spelled, within

Kind = TypeVar("Kind", bound=Injection)
Decision = Approve | Reject | Signal


class Script:
    """The injections of one scenario while it is played. Making it raises `Failed`."""

    def __init__(self, scenario: Scenario, schema: Schema) -> None:
        self.schema = schema
        self.lines = [(spelled(line.spot, schema), line) for line in scenario.injections]
        self.mocks = {
            spelled(mock.spot, schema): evaluate(mock.value.tree, {}, schema)
            for mock in scenario.mocks
        }
        self.calls: dict[str, list[MockCall]] = {}
        for line in scenario.calls:
            self.calls.setdefault(spelled(line.spot, schema), []).append(line)
        self._times: Counter[int] = Counter()

    def unused(self) -> tuple[Injection | MockCall, ...]:
        """Gives what never happened: nothing came to where it is."""
        lines = (*chain.from_iterable(self.calls.values()), *(line for _, line in self.lines))
        return tuple(line for line in lines if not self._times[id(line)])

    def calling(self, path: str) -> Iterator[tuple[MockCall, dict[str, Any]]]:
        """Gives what an attempt of an agent calls, with the arguments. Raises `Failed`."""
        for line in self.calls.get(path, ()):
            self._times[id(line)] += 1
            yield line, {a.name: evaluate(a.value.tree, {}, self.schema) for a in line.args}

    def failing(self, path: str) -> Fail | None:
        """Gives the error that a call raises now; a number of times is counted down."""
        for line in self._all(Fail, path):
            if line.times is None or self._times[id(line)] < line.times:
                self._times[id(line)] += 1
                return line
        return None

    def timing_out(self, path: str) -> TimesOut | None:
        """Gives how the first call of a step is never answered."""
        return self._once(TimesOut, path)

    def losing(self, path: str) -> bool:
        """True for the first call of a step whose answer is lost."""
        return self._once(Lose, path) is not None

    def drifting(self, path: str) -> bool:
        """True when somebody else changes what a step expects, or has left behind."""
        found = self._all(Drift, path)
        self._times.update(id(line) for line in found)
        return bool(found)

    def refusing_undo(self, path: str) -> bool:
        """True when every undo of a step is refused."""
        found = self._all(RefuseUndo, path)
        self._times.update(id(line) for line in found)
        return bool(found)

    def crashing(self, call: Call, moment: str) -> bool:
        """True when the process dies at this call."""
        of = {"do": "call", "undo": "undo"}.get(call.purpose)
        for line in (*self._all(Crash, call.path), *self._all(Crash, call.undo_of)):
            if line.moment == moment and line.of == of and not self._times[id(line)]:
                self._times[id(line)] += 1
                return True
        return False

    def decision(self, path: str) -> Decision | None:
        """Gives what people or a signal say next at a gate or wait that is open."""
        for at, line in self.lines:
            if isinstance(line, Decision) and at == path and not self._times[id(line)]:
                self._times[id(line)] += 1
                return line
        return None

    def cancelling(self, path: str) -> bool:
        """True, once, when the run is cancelled where something happens at a path."""
        return self._once_within(CancelAt, path)

    def log_down(self, path: str) -> bool:
        """True when nothing can be written from what happens at a path on."""
        return self._once_within(LogDownAt, path)

    def mock_of(self, path: str) -> tuple[Any] | None:
        """Gives what a call answers, in a tuple of one, when the scenario says it."""
        return (self.mocks[path],) if path in self.mocks else None

    def people(self) -> tuple[str, ...]:
        """Gives everybody whom the scenario names."""
        named = [line.by for _, line in self.lines if isinstance(line, Approve)]
        return tuple(dict.fromkeys((*named, SOMEBODY)))

    def _all(self, kind: type[Kind], path: str) -> list[Kind]:
        return [line for at, line in self.lines if isinstance(line, kind) and at == path]

    def _once(self, kind: type[Kind], path: str) -> Kind | None:
        for line in self._all(kind, path):
            if not self._times[id(line)]:
                self._times[id(line)] += 1
                return line
        return None

    def _once_within(self, kind: type[Kind], path: str) -> bool:
        for at, line in self.lines:
            if isinstance(line, kind) and within(path, at) and not self._times[id(line)]:
                self._times[id(line)] += 1
                return True
        return False


SOMEBODY = "somebody"
"""Who rejects in a scenario, which does not say who."""
