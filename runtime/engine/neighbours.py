"""Runs beside each other: who else of this log touches a resource, looked for only when asked.

What a run touches stands in its events. They are read from where the last look ended, so that a
look costs what was written since, and nothing is kept for runs that never ask.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from ..journal import OPEN
from ..kernel.commands import Survey
from ..kernel.neighbours import meets, surveyed, touched, waits_for
from ..kernel.state import State
from .recorded import definition_of
from .runs import fold

if TYPE_CHECKING:
    from .engine import Engine
    from .live import Live

EVERY = 1_000
"""Milliseconds between two looks for runs of other processes."""

_MANY = 10_000
"""After so many runs in the index those that are over are taken out."""


class _Touch(msgspec.Struct):
    status: str = ""
    direction: str = ""
    actor: str = ""
    data: dict[str, Any] = {}


class Neighbours:
    """The looks that runs of this process wait for. It belongs to the engine's own thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pending: dict[str, dict[str, Survey]] = {}
        self._read = 0
        self._runs_of: dict[str, set[str]] = {}
        self._resources_of: dict[str, set[str]] = {}
        self._again = False

    def add(self, live: Live) -> None:
        """Notes the looks that a run wants, now that what it has announced is durable."""
        pending = self._pending.setdefault(live.run_id, {})
        for survey in live.surveys:
            pending[survey.id] = survey
        live.surveys.clear()
        self._again = True
        self._engine.alarms.set(self._engine.runs.now.mono, self.look)

    def look(self) -> None:
        """Answers the looks of which the answer is new."""
        if not self._pending:
            return
        self._again = False
        self._learn()
        for run_id, surveys in tuple(self._pending.items()):
            live = self._engine.runs.find(run_id)
            for survey in tuple(surveys.values()):
                if live is None or survey.id not in live.state.issued:
                    del surveys[survey.id]
                    continue
                runs, circle = self._find(run_id, survey)
                if set(runs) != set(survey.known) or circle or not survey.known:
                    del surveys[survey.id]
                    live.feed(surveyed(live.state, survey, runs, circle), self._engine.runs.now)
            if not surveys:
                del self._pending[run_id]
        if self._pending and not self._again:
            self._engine.alarms.set(self._engine.runs.now.mono + EVERY, self.look)

    def run_over(self) -> None:
        """Looks again because a run of this process has come to its end."""
        if self._pending:
            self._engine.alarms.set(self._engine.runs.now.mono, self.look)

    def _learn(self) -> None:
        """Reads what was written since the last look."""
        self._read, rows = self._engine.journal.touching(self._read)
        reopened: set[str] = set()
        for run_id, kind, body in rows:
            found = msgspec.json.decode(body, type=_Touch)
            if kind == "late" or (kind == "scope_closed" and found.actor):
                reopened.add(run_id)
            elif found.direction in ("", "do"):
                self._note(run_id, found.data.get("resources", ()))
        for run_id in reopened:
            # It may have been over when its other events were passed.
            for event in self._engine.journal.events(run_id):
                if event.kind in ("intent", "chosen") and event.direction in ("", "do", None):
                    self._note(run_id, event.data.get("resources", ()))
        if len(self._runs_of) > _MANY:
            self._forget()

    def _note(self, run_id: str, resources: Iterable[Any]) -> None:
        for row in resources:
            resource = row if isinstance(row, str) else str(row["resource"])
            self._runs_of.setdefault(resource, set()).add(run_id)
            self._resources_of.setdefault(resource.partition("(")[0], set()).add(resource)

    def _forget(self) -> None:
        unfinished = {row.run_id for row in self._engine.journal.runs(OPEN)}
        self._runs_of = {r: runs & unfinished for r, runs in self._runs_of.items()}
        self._runs_of = {r: runs for r, runs in self._runs_of.items() if runs}
        self._resources_of = {}
        for resource in self._runs_of:
            self._resources_of.setdefault(resource.partition("(")[0], set()).add(resource)

    def _find(self, run_id: str, survey: Survey) -> tuple[list[str], bool]:
        """Gives the runs that touch a resource of a survey, and whether they wait for this one."""
        found = [
            other
            for other in sorted(self._candidates(survey.resources) - {run_id})
            if self._is_in_the_way(run_id, other, survey.resources)
        ]
        return found, any(self._youngest_in_circle(run_id, other) for other in found)

    def _candidates(self, resources: tuple[str, ...]) -> set[str]:
        found: set[str] = set()
        for wanted in resources:
            kind = wanted.partition("(")[0]
            for resource in self._resources_of.get(kind, ()):
                if meets(wanted, resource):
                    found |= self._runs_of.get(resource, set())
        return found

    def _is_in_the_way(self, run_id: str, other: str, resources: tuple[str, ...]) -> bool:
        state = self._state(other)
        if state is None:
            return False
        for resource, there in touched(state).items():
            met = any(meets(resource, wanted) for wanted in resources)
            # What is only announced has yet to look: the older of the two goes first.
            if met and (there or self._age(other) < self._age(run_id)):
                return True
        return False

    def _youngest_in_circle(self, run_id: str, first: str) -> bool:
        """True when a run waits, through others, for this one, and all of them are older."""
        todo, seen = [first], {first}
        while todo:
            at = todo.pop()
            state = self._state(at)
            if state is None or self._age(at) > self._age(run_id):
                continue
            for runs in waits_for(state).values():
                if run_id in runs:
                    return True
                todo.extend(set(runs) - seen)
                seen.update(runs)
        return False

    def _age(self, run_id: str) -> tuple[int, str]:
        return self._engine.journal.run(run_id).created, run_id

    def _state(self, run_id: str) -> State | None:
        """Gives the state of a run that is not over, None of one that is."""
        live = self._engine.runs.live.get(run_id)
        if live is not None:
            return None if live.state.finished else live.state
        journal = self._engine.journal
        row = journal.run(run_id)
        if row.status not in OPEN:
            return None
        return fold(definition_of(journal, row), run_id, journal.events(run_id))
