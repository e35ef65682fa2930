"""Runs beside each other: who else of this log touches a resource, looked for only when asked.

What a run touches stands in its events. They are read from where the last look ended, so that a
look costs what was written since, and nothing is kept for runs that never ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ..journal import OPEN, Touching
from ..kernel.commands import Survey
from ..kernel.neighbours import meets, surveyed
from ..kernel.precedence import in_the_way, is_youngest_in_circle
from ..kernel.state import State
from .alarms import Alarm
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
        self._announced: dict[str, dict[str, int]] = {}
        self._folded: dict[str, State | None] = {}
        self._alarm: Alarm | None = None

    def add(self, live: Live) -> None:
        """Notes the looks that a run wants, now that what it has announced is durable."""
        pending = self._pending.setdefault(live.run_id, {})
        for survey in live.surveys:
            pending[survey.id] = survey
        live.surveys.clear()
        self._look_in(0)

    def look(self) -> None:
        """Answers the looks of which the answer is new."""
        if not self._pending:
            return
        self._folded.clear()  # A look that failed may have left some.
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
        self._folded.clear()
        if self._pending:
            self._look_in(EVERY)

    def run_over(self) -> None:
        """Looks again because a run of this process has come to its end."""
        if self._pending:
            self._look_in(0)

    def _look_in(self, length: int) -> None:
        """Sets the one alarm of the next look, in milliseconds from now."""
        alarms = self._engine.alarms
        if self._alarm is not None:
            alarms.cancel(self._alarm)
        self._alarm = alarms.set(self._engine.runs.now.mono + length, self.look)

    def _learn(self) -> None:
        """Reads what was written since the last look."""
        self._read, rows = self._engine.journal.touching(self._read)
        reopened: set[str] = set()
        for row in rows:
            found = msgspec.json.decode(row.body, type=_Touch)
            if row.kind == "late" or (row.kind == "scope_closed" and found.actor):
                reopened.add(row.run_id)
            else:
                self._note(row, found)
        for run_id in reopened:
            # It may have been over when its other events were passed.
            for row in self._engine.journal.touched_by(run_id):
                self._note(row, msgspec.json.decode(row.body, type=_Touch))
        if len(self._runs_of) > _MANY:
            self._forget()

    def _note(self, row: Touching, found: _Touch) -> None:
        if found.direction not in ("", "do"):
            return
        if found.status == "announced":
            self._announced.setdefault(row.run_id, {})[row.path] = row.seq
        for one in found.data.get("resources", ()):
            resource = one if isinstance(one, str) else str(one["resource"])
            self._runs_of.setdefault(resource, set()).add(row.run_id)
            self._resources_of.setdefault(resource.partition("(")[0], set()).add(resource)

    def _forget(self) -> None:
        unfinished = {row.run_id for row in self._engine.journal.runs(OPEN)}
        self._runs_of = {r: runs & unfinished for r, runs in self._runs_of.items()}
        self._runs_of = {r: runs for r, runs in self._runs_of.items() if runs}
        self._announced = {r: at for r, at in self._announced.items() if r in unfinished}
        self._resources_of = {}
        for resource in self._runs_of:
            self._resources_of.setdefault(resource.partition("(")[0], set()).add(resource)

    def _find(self, run_id: str, survey: Survey) -> tuple[list[str], bool]:
        """Gives the runs that touch a resource of a survey, and whether they wait for this one."""
        found = [
            other
            for other in sorted(self._candidates(survey.resources) - {run_id})
            if in_the_way(self, run_id, survey.path, survey.resources, other)
        ]
        return found, any(is_youngest_in_circle(self, run_id, other) for other in found)

    def _candidates(self, resources: tuple[str, ...]) -> set[str]:
        found: set[str] = set()
        for wanted in resources:
            kind = wanted.partition("(")[0]
            for resource in self._resources_of.get(kind, ()):
                if meets(wanted, resource):
                    found |= self._runs_of.get(resource, set())
        return found

    def age(self, run_id: str) -> tuple[int, str]:
        """Gives when a run began, and its id."""
        return self._engine.journal.run(run_id).created, run_id

    def announced(self, run_id: str, path: str) -> int:
        """Gives the place of an announcement; one that was not read yet comes after all others."""
        return self._announced.get(run_id, {}).get(path, self._read + 1)

    def state(self, run_id: str) -> State | None:
        """Gives the state of a run that is not over, None of one that is."""
        live = self._engine.runs.live.get(run_id)
        if live is not None:
            return None if live.state.finished else live.state
        if run_id not in self._folded:
            journal = self._engine.journal
            row = journal.run(run_id)
            self._folded[run_id] = (
                fold(definition_of(journal, row), run_id, journal.events(run_id))
                if row.status in OPEN
                else None
            )
        return self._folded[run_id]
