"""The commit of a turn: what all runs add to the log at once, and what may leave then."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from .. import failpoints
from ..events import Event, Fault
from ..journal import (
    Committed,
    LogBusy,
    LogError,
    LogFailing,
    LogUnwritable,
    Run,
    Settlement,
    Unencodable,
    Write,
)
from ..kernel.commands import Answer
from ..kernel.state import State
from ..kernel.views import status_of_run
from .calling import Job
from .clock import Moment
from .errors import RunError
from .items import Ended
from .live import Live

if TYPE_CHECKING:
    from .engine import Engine

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds after which a log held by another process pauses the runs."""


class Batch:
    """Writes what the touched runs have added, and lets what depends on it go."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._journal = engine.journal
        self._runs = engine.runs
        self._failures = 0
        self._held: list[Job] = []
        self.failing = False

    def commit(self) -> None:
        """Commits this turn. Raises LogError: then nothing was let go, and `stand_still` is due.

        A status may change without an event: a read is made before the intent that it is for.
        """
        runs = self._runs
        writes = [
            write
            for live in tuple(runs.touched)
            if (live.events or live.requests or live.new_status() is not None)
            and (write := self._write(live)) is not None
        ]
        if writes:
            names = self._points() if failpoints.active() else []
            _reach(names, "before")
            self._let_go(self.patiently(lambda: self._journal.commit(writes)))
            _reach(names, "after")
        else:
            self._let_go(None)

    def stand_still(self, error: LogError) -> None:
        """Waits until the log can be used again, and finds out what became of the last batch.

        Until a commit succeeds all runs are paused. What is not in the log is done over: outcomes
        are put back before anything that came later, so that they are written first.
        """
        engine, runs = self._engine, self._runs
        self._failures += 1
        settlement = Settlement() if isinstance(error, LogBusy) else self._reopen(error)
        if self._failures > 1 or isinstance(error, LogBusy):
            self._pause(error)
            engine.sleep(min(2.0, 0.02 * 2**self._failures))
        runs.now = Moment.now()
        stored = {write.run_id for write in settlement.stored}
        done_over = not runs.touched  # What failed was asked, and is asked again.
        for live in tuple(runs.touched):
            if live.run_id in stored:
                self._held += runs.committed(live)
            elif live.run_id in settlement.fenced:
                self._lose(live)
            else:
                items = live.items
                runs.put_back(live)
                engine.mailbox.put_back(items)
                done_over = True
        runs.touched.clear()
        engine.look_again()
        if not done_over and not isinstance(error, LogBusy):
            self.resumed()

    def write_alone(self, run: Run, state: State, event: Event, requests: Sequence[int]) -> None:
        """Commits one event of a run that is not driven here."""
        entry = self._journal.encode(event)
        write = Write(run.run_id, run.epoch, [entry], status_of_run(state), requests)
        names = [(_point(event), event.path)]
        _reach(names, "before")
        self.patiently(lambda: self._journal.commit([write]))
        _reach(names, "after")

    def _write(self, live: Live) -> Write | None:
        try:
            entries = [self._journal.encode(event) for event in live.events]
        except Unencodable as fault:
            self._refuse(live, fault)
            return None
        waits = self._runs.waits(live)
        status = live.new_status()
        return Write(live.run_id, live.epoch, entries, status, live.requests, waits, live.begins)

    def _refuse(self, live: Live, fault: Unencodable) -> None:
        """Something of this turn can never be written: a result that is too large, above all."""
        answers = [i for i in live.items if isinstance(i, Ended) and i.answer.kind == "returned"]
        if not answers or live.begins is not None:
            self._runs.spoil(live.run_id, str(fault))
            return
        for item in answers:
            item.answer = Answer("returned", fault=Fault("TooLarge", str(fault)))
        items = live.items
        self._runs.put_back(live)
        self._engine.mailbox.put_back(items)

    def patiently(self, act: Callable[[], T]) -> T:
        """Does something with the log; tries again while another process holds it for a moment."""
        started = time.monotonic()
        pause = 0.001
        while True:
            try:
                return act()
            except LogBusy:
                if time.monotonic() - started > PATIENCE or self._engine.stopping.is_set():
                    raise
                self._engine.sleep(pause)
                pause = min(2 * pause, 0.02)

    def _let_go(self, committed: Committed | None) -> None:
        engine, runs = self._engine, self._runs
        jobs = self._held
        self._held = []
        if committed is not None:
            runs.now = Moment.now()
            self.resumed()
        for live in tuple(runs.touched):
            if committed is not None and live.run_id in committed.fenced:
                self._lose(live)
            elif committed is not None and (row := committed.existing.get(live.run_id)):
                self._yield(live, row)
            else:
                jobs += runs.committed(live)
        runs.touched.clear()
        try:
            engine.dispatch(jobs)
        except LogError:
            self._held = jobs
            raise

    def _lose(self, live: Live) -> None:
        lost = RunError(f"run {live.run_id} was taken over by another process. Ask again.")
        for item in live.items:
            item.fail(lost)
        self._runs.drop(live)

    def _yield(self, live: Live, row: Run) -> None:
        """A run of this id was begun by somebody else: theirs it is."""
        self._runs.drop(live)
        for item in live.items:
            item.future.set_result(row)

    def resumed(self) -> None:
        """Notes that the log can be written."""
        if self._failures:
            self._failures = 0
            self.failing = False
            self._engine.board.pause("")
            self._note("")

    def _reopen(self, error: LogError) -> Settlement:
        pause = 0.02
        while True:
            try:
                return self._journal.reopen(other=not self._runs.recorded())
            except LogError as again:
                error = again if isinstance(again, LogUnwritable) else error
                self._pause(error)
                if self._engine.stopping.is_set():
                    return Settlement()
                self._engine.sleep(pause)
                pause = min(2 * pause, 1.0)

    def _pause(self, error: LogError) -> None:
        self.failing = isinstance(error, LogFailing)
        self._engine.board.pause(str(error))
        self._note(f"paused: {error}")

    def _note(self, text: str) -> None:
        try:
            self._journal.note(text)
        except OSError:
            return  # The lock file tells others; this process's own board says it anyway.

    def _points(self) -> list[tuple[str, str]]:
        return [(_point(event), event.path) for live in self._runs.touched for event in live.events]


_MARKED = ("undo", "corrective")


def _point(event: Event) -> str:
    marked = event.kind in ("intent", "outcome") and event.direction in _MARKED
    return f"{event.direction}.{event.kind}" if marked else event.kind


def _reach(names: list[tuple[str, str]], side: str) -> None:
    for name, path in names:
        failpoints.reach(f"{name}.{side}", path)
