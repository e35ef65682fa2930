"""The engine: one thread that drives all runs of one log in this process, turn by turn."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from ..events import Event
from ..journal import Journal, LogBusy, LogError, LogUnwritable, Run
from ..kernel.commands import Answer
from ..kernel.decide import advance
from ..kernel.record import record
from ..kernel.state import State
from ..settings import Limits
from .agents import Waiting, tool_box
from .alarms import Alarms
from .batch import Batch
from .board import Board
from .calling import Job, lines
from .clock import Moment
from .errors import EngineClosed, Unwritable
from .inbox import Inbox
from .items import Ended, Item, Look
from .live import Live
from .mailbox import Mailbox
from .neighbours import Neighbours
from .runs import Runs
from .slots import Kind, Slots
from .switching import switching
from .timeouts import Timeouts
from .workers import Workers

T = TypeVar("T")

POLL = 0.05
"""Seconds between two looks for requests of other processes."""

RELEASE = 1_000
"""Milliseconds between two times at which finished runs are given up."""

OLD = 1_000
"""An intent older than this (ms) is not acted on before the epoch was read again."""

IDLE = 1.0
"""Seconds without an answer or a request after which an engine is no longer at work: its calls are
long, and who else computes need not hurry."""

_LOG = logging.getLogger("sagalang")

Groups = Callable[[], Mapping[str, Sequence[str]]]


class Engine:
    """The driver of a log's runs in this process.

    Everything but `put`, `board` and `stop` belongs to its own thread, which never runs the user's
    code: tools have threads of their own. The loop is written out, not asyncio's: there is nothing
    to await in it, because the commit, the one thing that takes time, is what everything waits for.
    """

    def __init__(self, path: Path, limits: Limits, groups: Groups) -> None:
        self.path = path
        self.groups = groups
        name = f"saga-{path.stem}"
        self.mailbox = Mailbox()
        self.board = Board(name)
        self.alarms = Alarms()
        self.timeouts = Timeouts()
        self.slots = Slots(limits)
        self.waiting = Waiting(self)
        self.workers = Workers(name, self.mailbox)
        self.stopping = threading.Event()
        self.settled = threading.Event()
        self._running: dict[Job, None] = {}
        self._left: deque[Ended] = deque()
        self._opened: Future[None] = Future()
        self._next_look = 0.0
        self._idle_at = 0.0
        self._next_release = 0
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()
        self._opened.result()

    def put(self, item: Item) -> None:
        """Gives the engine something to do; from any thread."""
        if self.stopping.is_set() or not self._thread.is_alive():
            raise EngineClosed(f"{self.path}: the log was closed in this process. Open it again.")
        self.mailbox.put(item)

    def outcome(self, future: Future[T]) -> T:
        """Waits for what an item gives. Raises `Unwritable` when the log cannot be written."""
        while True:
            try:
                return future.result(0.1)
            except TimeoutError:
                if self.board.paused and not future.done():
                    raise Unwritable(
                        f"not decided yet, and nothing was called: {self.board.paused} As long as "
                        "this process lives, it goes on by itself when the log can be written."
                    ) from None

    def stop(self, patience: float | None = None) -> bool:
        """Makes no new call, waits for those that go on, and closes the log.

        Gives False when calls still went on after `patience` seconds: then the log stays owned
        until they end or the process does, because a freed log says that nobody calls any more.
        """
        self.stopping.set()
        self.mailbox.put(Look("", lambda state: None))
        return self.settled.wait(patience)

    def sleep(self, seconds: float) -> None:
        """Waits on the engine's thread, but not when the engine is to stop."""
        self.stopping.wait(seconds)

    def look_again(self) -> None:
        """Looks for requests in the next turn, whatever the clock says."""
        self.inbox.again = True

    def _ended(self, item: Ended) -> None:
        """Folds what came of a call."""
        job, answer = item.job, item.answer
        live = self.runs.find(job.run_id)
        if not item.seen:
            item.seen = True
            if item.by_worker:
                self._running.pop(job, None)
            if job.over and (not item.by_worker or "CancelledError" in answer.classes):
                return
            if not job.over:
                job.over = True
                job.lines = lines(job)
                self.timeouts.cancel(job)
                if job.slot is not None:
                    job.slot.give()
        if live is None:
            return
        live.items.append(item)
        live.ended.append(job)
        event = record(live.state, job.call, answer)
        if event is None:
            return
        if job.lines:
            event.data = {**event.data, "log": job.lines}
        if live.trace is not None:
            trace = live.trace
            live.after.append(lambda: trace.end(job, answer))
        live.feed(event, self.runs.now)

    def dispatch(self, jobs: list[Job]) -> None:
        """Makes calls whose intents are durable."""
        now = self.runs.now.mono
        going: list[Job] = []
        for job in jobs:
            live = self.runs.live.get(job.run_id)
            if live is None:
                continue
            if now - job.intended > OLD and self.journal.epoch(job.run_id) != live.epoch:
                _LOG.warning("run %s is another process's now", job.run_id)
                self.runs.drop(live)
                continue
            self.timeouts.set(job, job.call.timeout, now)
            self._running[job] = None
            going.append(job)
        if going:
            self.workers.start(going)

    def append_alone(self, run: Run, state: State, event: Event, requests: Sequence[int]) -> None:
        """Appends one event to a run that was taken only for that, and gives the run up again."""
        now = Moment.now()
        event.epoch, event.wall_time, event.elapsed = run.epoch, now.wall, state.elapsed
        advance(state, event)
        self.batch.write_alone(run, state, event, requests)
        self.journal.release([run.run_id])

    def settle(self) -> None:
        """Lets every touched run choose, and gives slots to calls as long as there are any."""
        for live in tuple(self.runs.touched):
            self._advance(live)
        if self.stopping.is_set():
            return
        for kind, live, command_id in self.slots.ready():
            if not (live.gone or live.paused):
                self.runs.touch(live)
                self._advance(live, command_id, kind)

    def _advance(self, live: Live, command_id: str = "", kind: Kind | None = None) -> None:
        """Lets a run choose, after it has got a slot for a call that waited for one."""
        now = self.runs.now
        try:
            if kind is not None:
                self._take_slot(live, command_id, kind)
            live.settle(now)
            while live.calls:
                calls = live.calls
                live.calls = []
                for call in calls:
                    kind = self.slots.kind(live.tools.bound[call.tool])
                    if kind.waiting or live.paused or not kind.free() or self.stopping.is_set():
                        kind.waiting.append((live, call.id))
                    else:
                        self._take_slot(live, call.id, kind)
                live.settle(now)
        except Exception as error:
            self._spoil(live.run_id, error)

    def _take_slot(self, live: Live, command_id: str, kind: Kind) -> None:
        job = live.take(command_id, self.runs.now)
        if job is None:
            return
        kind.use()
        job.slot = kind
        names = job.bound.tool_names
        if names is not None:
            job.tool_box = tool_box(self, job, names, live.tools.classes)

    def _spoil(self, run_id: str, error: Exception) -> None:
        """Stops one run that the kernel cannot work with; the others go on."""
        _LOG.error("run %s", run_id, exc_info=error)
        self.runs.spoil(run_id, f"an error inside sagalang: {error!r}")

    def _time_out(self, job: Job) -> None:
        self.workers.cancel(job)
        self._left.append(Ended(job, Answer("timeout"), by_worker=False))

    def _serve(self) -> None:
        try:
            self.journal = Journal.open(self.path)
        except BaseException as error:
            self._opened.set_exception(error)
            return
        self.runs = Runs(self.journal, self.alarms, self.board, self.waiting, Neighbours(self))
        self.inbox = Inbox(self)
        self.batch = Batch(self)
        self._opened.set_result(None)
        try:
            while not (self.stopping.is_set() and self._at_rest()):
                self._turn(self._take())
            self.journal.close()
        except BaseException as error:
            # The owner's lock stays held: calls may go on, and nobody else may think they ended.
            _LOG.critical("the engine of %s has failed", self.path, exc_info=error)
            self.board.pause(f"an error inside sagalang: {error!r}")
        switching.restore(self)
        self.stopping.set()
        self.workers.stop()
        closed = EngineClosed(f"{self.path}: the log was closed in this process. Open it again.")
        for item in self.mailbox.take(0):
            item.fail(closed)
        self.settled.set()

    def _at_rest(self) -> bool:
        if any(not job.over for job in self._running):
            return False
        if self._running:
            # Only functions that overran their time are left: whoever closes need not wait.
            self.settled.set()
        return not self._running

    def _take(self) -> list[Item | Ended]:
        """Sleeps until there is something to do or to look for."""
        items = self.mailbox.take(0)
        if not items:
            if not self.runs.live:
                switching.restore(self)
            items = self.mailbox.take(self._pause())
        if items:
            self._idle_at = time.monotonic() + IDLE
            switching.shorten(self)
        elif time.monotonic() > self._idle_at:
            switching.restore(self)
        return items

    def _pause(self) -> float | None:
        now = time.monotonic()
        dues = [due for due in (self.alarms.next(), self.timeouts.next()) if due is not None]
        seconds = min(dues) / 1000 - now if dues else None
        if self.runs.live or self.runs.asleep:
            poll = self._next_look - now
            seconds = poll if seconds is None else min(poll, seconds)
        return None if seconds is None else max(0.0, seconds)

    def _turn(self, items: list[Item | Ended]) -> None:
        runs = self.runs
        runs.now = Moment.now()
        due: list[Callable[[], None]] = []
        looks: list[Look] = []
        asked: list[Item] = []
        for item in items:
            if isinstance(item, Ended):
                self._left.append(item)
            elif isinstance(item, Look):
                looks.append(item)
            else:
                asked.append(item)
        if self.stopping.is_set():
            self.waiting.interrupt()
        try:
            # Answers first, then what is due, then what people and programs ask: a timer that is
            # due is due before a request is looked at.
            self._handle_ended()
            for job in self.timeouts.due(runs.now.mono):
                self._time_out(job)
            due = self.alarms.due(runs.now.mono)
            while due:
                due[0]()
                del due[0]
            if self._left:
                self._handle_ended()
            while asked:
                self._handle(asked[0])
                del asked[0]
            if self.inbox.again or time.monotonic() >= self._next_look:
                self._next_look = time.monotonic() + POLL
                self.inbox.look()
            self.settle()
            self.batch.commit()
            if len(looks) < len(items):
                self.batch.resumed()
            if runs.over and runs.now.mono >= self._next_release:
                self._release()
        except LogError as error:
            self.batch.stand_still(error)
            self.mailbox.put_back([*self._left, *asked])
            self._left.clear()
            for action in due:
                self.alarms.set(runs.now.mono, action)
        for look in looks:
            look.handle(self)

    def _release(self) -> None:
        """Gives up the runs that are over, once in a while and all together."""
        self._next_release = self.runs.now.mono + RELEASE
        calling = {job.run_id for job in self._running}
        over = [run_id for run_id in self.runs.over if run_id not in calling]
        if over:
            try:
                self.journal.release(over, wait=0.0)
            except LogBusy:
                pass  # Another process commits just now: they are given up the next time.
            else:
                self.runs.release(over)
        self.alarms.set(self._next_release, lambda: None)

    def _handle(self, item: Item) -> None:
        try:
            item.handle(self)
        except (LogBusy, LogUnwritable):
            raise
        except Exception as error:
            # What is wrong with one request or one run is told to whoever asked.
            item.fail(error)

    def _handle_ended(self) -> None:
        while self._left:
            item = self._left[0]
            try:
                self._ended(item)
            except LogError:
                raise
            except Exception as error:
                self._spoil(item.job.run_id, error)
            self._left.popleft()


__all__ = ["POLL", "Engine", "Groups"]
