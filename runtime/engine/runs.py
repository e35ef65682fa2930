"""The runs that this process owns: those in memory, those asleep, and the way between the two."""

from __future__ import annotations

import logging
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..events import Event
from ..journal import Beginning, Journal, LogError, Run, Wait
from ..kernel.commands import Call
from ..kernel.decide import begin
from ..kernel.fold import apply
from ..kernel.state import State, Timer
from ..kernel.views import OpenAttempt, open_attempts, open_timers
from ..values import decode
from .agents import Waiting
from .alarms import Alarms
from .board import Board, Standing
from .calling import Job
from .clock import Moment, RunClock
from .definition import Definition, Tools
from .errors import RunError
from .live import Live
from .tracing import trace_of

if TYPE_CHECKING:
    from .neighbours import Neighbours

NAP = 10_000
"""A waiting run whose next timer is due later than this (ms) is put out of memory until then."""

_LOG = logging.getLogger("sagalang")


class Asleep(NamedTuple):
    """A run that waits: everything else about it is in the log."""

    definition: Definition
    tools: Tools
    epoch: int
    clock: RunClock
    status: str


class _Wake:
    """Wakes a run; each that waits keeps one, and a `partial` is five times as large."""

    __slots__ = ("run_id", "runs")

    def __init__(self, runs: Runs, run_id: str) -> None:
        self.runs = runs
        self.run_id = run_id

    def __call__(self) -> None:
        self.runs.find(self.run_id)


class Runs:
    """The table of runs. All of it belongs to the engine's own thread."""

    def __init__(
        self,
        journal: Journal,
        alarms: Alarms,
        board: Board,
        waiting: Waiting,
        neighbours: Neighbours,
    ) -> None:
        self.now = Moment.now()
        self.live: dict[str, Live] = {}
        self.asleep: dict[str, Asleep] = {}
        self.touched: dict[Live, None] = {}
        self.jobs: dict[str, dict[str, Job]] = {}
        self.over: dict[str, None] = {}
        self._journal = journal
        self._alarms = alarms
        self._board = board
        self._waiting = waiting
        self._neighbours = neighbours

    def owned(self, run_id: str) -> bool:
        """True when a run is this process's."""
        return run_id in self.live or run_id in self.asleep

    def recorded(self) -> bool:
        """True when a run of this process that is not over stands in the log."""
        waits = any(run_id not in self.over for run_id in self.asleep)
        return waits or any(live.begins is None for live in self.live.values())

    def begin(
        self, definition: Definition, tools: Tools, run_id: str, event: Event, begins: Beginning
    ) -> Live:
        """Makes a run that is not in the log yet; it is this process's when the commit says so."""
        state = begin(definition.index, run_id)
        clock = RunClock.taken(0, 0, self.now)
        trace = trace_of(run_id, definition.plan.saga)
        live = Live(definition, tools, state, 1, clock, trace)
        live.begins = begins
        self.live[run_id] = live
        inputs: dict[str, Any] = event.data["inputs"]
        live.find_secrets(map(decode, inputs.values()))
        _warn_of_short_secrets(live)
        live.feed(event, self.now)
        self.touch(live)
        return live

    def adopt(
        self, run: Run, definition: Definition, tools: Tools, taken_over: Event | None = None
    ) -> Live:
        """Takes a run into memory that was just taken in the log; it goes on the ordinary way.

        `taken_over` is a person's word that its owner is dead, which is written down first.
        """
        events = self._journal.events(run.run_id)
        state = fold(definition, run.run_id, events)
        begun: dict[str, str] = events[0].data.get("tools", {})
        for name, code in tools.hashes.items():
            if begun.get(name, code) != code:
                _LOG.warning(
                    "run %s: the Python code of `%s` has changed since the run began: it is called "
                    "as it is now",
                    run.run_id,
                    name,
                )
        clock = RunClock.taken(state.n, state.elapsed, self.now)
        asleep = Asleep(definition, tools, run.epoch, clock, run.status)
        live = self._hold(asleep, state, events, taken_over)
        _warn_of_short_secrets(live)
        return live

    def find(self, run_id: str) -> Live | None:
        """Gives a run of this process, folded again when it was asleep, and touches it."""
        live = self.live.get(run_id)
        if live is None:
            return self._wake(run_id)
        self.touched[live] = None
        return live

    def _wake(self, run_id: str) -> Live | None:
        asleep = self.asleep.get(run_id)
        if asleep is None:
            return None
        try:
            events = self._journal.events(run_id)
        except LogError as error:
            self.spoil(run_id, str(error))
            return None
        return self._hold(asleep, fold(asleep.definition, run_id, events), events)

    def touch(self, live: Live) -> None:
        """Notes that a run is to be looked at in this turn."""
        self.touched[live] = None

    def put_back(self, live: Live) -> None:
        """Drops what was folded and not written: the run is folded again from the log."""
        self._forget(live)
        if live.begins is None:
            self.asleep[live.run_id] = _asleep(live)
            self._alarms.set(self.now.mono, _Wake(self, live.run_id))

    def drop(self, live: Live) -> None:
        """Takes a run out of memory for good; what its calls will answer is nobody's any more."""
        self._forget(live)
        self._waiting.interrupt(live.run_id)
        self.jobs.pop(live.run_id, None)
        self._board.forget(live.run_id)

    def release(self, run_ids: list[str]) -> None:
        """Forgets runs that are over and were given up in the log."""
        for run_id in run_ids:
            self.over.pop(run_id, None)
            self.asleep.pop(run_id, None)
            self._board.forget(run_id)

    def spoil(self, run_id: str, reason: str) -> None:
        """Stops a run whose log or whose state cannot be worked with; the others go on."""
        _LOG.error("run %s stands still: %s", run_id, reason)
        live = self.live.get(run_id)
        if live is not None:
            self._forget(live)
            for item in live.items:
                item.fail(RunError(f"run {run_id}: {reason}"))
        self.asleep.pop(run_id, None)
        self.jobs.pop(run_id, None)
        self._waiting.interrupt(run_id)
        self._board.publish(run_id, Standing("paused", reason), ())

    def waits(self, live: Live) -> list[Wait] | None:
        """Gives what this commit writes about a run's timers; only a run that rests has any."""
        if live.jobs and not live.waits_stored:
            return None
        if self._rests(live) and not live.state.finished:
            timers = open_timers(live.state)
            if timers and not any(self._soon(live, timer) for _, _, timer in timers):
                live.waits_stored = True
                return [Wait(f"{path}|{name}", timer.due) for path, name, timer in timers]
        if live.waits_stored:
            live.waits_stored = False
            return []
        return None

    def committed(self, live: Live) -> list[Job]:
        """Does what waited for a run's commit, and gives the calls that may be made now."""
        events, jobs, after = live.events, live.jobs, live.after
        if live.surveys:
            self._neighbours.add(live)
        if jobs or live.ended:
            mine = self.jobs.get(live.run_id)
            if mine is None:
                mine = self.jobs[live.run_id] = {}
            for job in live.ended:
                mine.pop(job.call.id, None)
            for job in jobs:
                mine[job.call.id] = job
        for path, name in live.timers:
            self._arm(live, path, name)
        live.begins = None
        live.status = live.next_status
        live.clear()
        rests = not jobs and self._rests(live)
        if live.paused:
            standing = Standing("paused", live.paused)
        else:
            looking = live.status == "escalated" and not rests and self._calls(live)
            standing = _standing(live.status, looking)
        self._board.publish(live.run_id, standing, events)
        for reply in after:
            reply()
        if self._waiting.by_run:
            self._waiting.look(live)
        if rests:
            self._rest(live)
        return jobs

    def _rests(self, live: Live) -> bool:
        """True when only people or timers make a run go on."""
        state = live.state
        if live.jobs or live.paused or state.agenda or state.issued or state.dirty:
            return False
        jobs = self.jobs.get(live.run_id)
        return not jobs or all(job in live.ended for job in jobs.values())

    def _calls(self, live: Live) -> bool:
        """True while calls of a run go on or are due; a wait for other runs is none."""
        wanted = (*live.state.issued.values(), *live.state.agenda.values())
        return bool(self.jobs.get(live.run_id)) or any(isinstance(one, Call) for one in wanted)

    def _rest(self, live: Live) -> None:
        """Puts a run that only waits out of memory."""
        run_id = live.run_id
        if live.state.finished:
            self.over[run_id] = None
            self._neighbours.run_over()
        else:
            timers = [timer for _, _, timer in open_timers(live.state)]
            if any(self._soon(live, timer) for timer in timers):
                return
            if timers:
                due = min(live.clock.due(timer) for timer in timers)
                self._alarms.set(due, _Wake(self, run_id))
            elif live.status in ("running", "compensating"):
                _LOG.error("run %s stands still and nothing is wanted", run_id)
        if live.trace is not None:
            live.trace.finish(live.status)
        self._forget(live)
        self.jobs.pop(run_id, None)
        self.asleep[run_id] = _asleep(live)

    def _forget(self, live: Live) -> None:
        live.gone = True
        self.touched.pop(live, None)
        self.live.pop(live.run_id, None)
        self._journal.forget(live.run_id)
        for alarm in live.alarms.values():
            self._alarms.cancel(alarm)

    def _hold(
        self,
        asleep: Asleep,
        state: State,
        events: list[Event],
        taken_over: Event | None = None,
    ) -> Live:
        """Takes a folded run into memory: attempts that nobody makes are lost, timers run again."""
        run_id = state.run_id
        definition, tools, epoch, clock, status = asleep
        trace = trace_of(run_id, definition.plan.saga)
        if trace is not None:
            trace.resume(events)
        live = Live(definition, tools, state, epoch, clock, trace)
        live.find_secrets(state.values.values())
        live.status = live.next_status = status
        live.waits_stored = True
        self.asleep.pop(run_id, None)
        self.over.pop(run_id, None)
        self.live[run_id] = live
        self.touch(live)
        jobs = self.jobs.get(run_id, {}).values()
        live.reissue([job.call.id for job in jobs if job.call.intent is None])
        going_on = {_attempt(job) for job in jobs if job.call.intent is not None}
        if taken_over is not None:
            live.feed(taken_over, self.now)
        for attempt in open_attempts(state):
            key = (attempt.path, attempt.direction, attempt.generation, attempt.attempt)
            if key not in going_on:
                live.feed(lost(attempt, taken_over is not None), self.now)
        for path, name, _ in open_timers(state):
            self._arm(live, path, name)
        return live

    def _arm(self, live: Live, path: str, name: str) -> None:
        timer = _timer(live.state, path, name)
        if timer is None or timer.over:
            return
        action = partial(self._timer_due, live.run_id, path, name, timer.n)
        live.alarms[path, name] = self._alarms.set(live.clock.due(timer), action)

    def _timer_due(self, run_id: str, path: str, name: str, n: int) -> None:
        live = self.find(run_id)
        if live is None:
            return
        timer = _timer(live.state, path, name)
        if timer is not None and timer.n == n and not timer.over:
            event = Event("timer_due", path=path, data={"timer": name}, cause=n)
            live.feed(event, self.now)

    def _soon(self, live: Live, timer: Timer) -> bool:
        return live.clock.due(timer) - self.now.mono <= NAP


@cache
def _standing(status: str, looking: bool) -> Standing:
    """Gives the one standing of its kind: most commits publish the same again."""
    return Standing(status, looking=looking)


def fold(definition: Definition, run_id: str, events: list[Event]) -> State:
    """Gives the state after some events."""
    state = begin(definition.index, run_id)
    for event in events:
        apply(state, event)
    return state


def _warn_of_short_secrets(live: Live) -> None:
    for reference in live.mask.short if live.mask is not None else ():
        _LOG.warning(
            "run %s: the secret %s is too short to be masked: where a tool puts it into an answer "
            "or an error, it stands in the log",
            live.run_id,
            reference,
        )


def _asleep(live: Live) -> Asleep:
    return Asleep(live.definition, live.tools, live.epoch, live.clock, live.status)


def lost(attempt: OpenAttempt, stated: bool = False) -> Event:
    """Makes the record that an attempt died with its owner; `stated`: only a person says so."""
    data: dict[str, Any] = {"name": attempt.name} if attempt.name else {}
    if stated:
        data["owner_is_dead"] = True
    return Event(
        "attempt_lost",
        path=attempt.path,
        direction=attempt.direction,  # type: ignore[arg-type]
        generation=attempt.generation,
        attempt=attempt.attempt,
        data=data,
    )


def _attempt(job: Job) -> tuple[str, str, int, int]:
    call = job.call
    return call.path, call.direction, call.generation, call.attempt


def _timer(state: State, path: str, name: str) -> Timer | None:
    if not path:
        return state.deadline
    holder = state.holder(path)
    return None if holder is None else holder.timers.get(name)
