"""A run in the hands of a program or a person: followed, waited for, decided on, looked at."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..events import Event
from ..journal import LogMissing, Reader, RunUnknown
from ..kernel import views as kernel_views
from ..kernel.decide import begin
from ..kernel.forking import fork
from ..kernel.people import Request
from ..kernel.state import State
from ..kernel.views import FINAL
from ..values import decode, encode
from . import views
from .board import Standing
from .classes import Classes
from .definition import Definition, Tools
from .engines import running
from .errors import NoSuchEvent, RunFailed, Stranded, Unwritable, WaitInterrupted
from .items import Look
from .people import ask
from .recorded import Recorded
from .rows import Approvals, Attempts, Changes, Decision, Effects, Events, Incident
from .waiting import take_up

if TYPE_CHECKING:
    from .log import Log

T = TypeVar("T")

STANDS = FINAL | {"waiting", "escalated", "paused"}
"""Statuses in which a run goes on only when somebody or something from outside comes."""

GLANCE = 0.25
"""Seconds between two looks of `await run`, should no news wake it."""


class Run:
    """A run of a saga in a log. It goes on whether or not anybody holds this object."""

    def __init__(
        self,
        log: Log,
        run_id: str,
        definition: Definition | None = None,
        tools: Tools | None = None,
    ) -> None:
        self.log = log
        self.id = run_id
        self._definition = definition
        self._tools = tools

    def __repr__(self) -> str:
        return f"<run {self.id}: {self.status}>"

    @property
    def status(self) -> str:
        """How the run stands now."""
        return self._standing().status

    @property
    def reason(self) -> str:
        """Why a paused run does not go on."""
        return self._standing().reason

    # --- following -------------------------------------------------------------------------------

    def wait(self, timeout: float | None = None) -> Self:
        """Waits until the run is final, waits for people, stands escalated, or is paused.

        It also returns when nobody goes on with the run, or `timeout` seconds are over.
        """
        until = None if timeout is None else time.monotonic() + timeout
        try:
            while not self._stands() and (until is None or time.monotonic() < until):
                self._wait_once(until)
        except KeyboardInterrupt:
            raise WaitInterrupted(self._interrupted()) from None
        return self

    def __await__(self) -> Generator[Any, None, Self]:
        return self._awaited().__await__()

    def result(self, timeout: float | None = None) -> Any:
        """Waits, and gives what the saga returned. Raises `RunFailed` if it did not succeed."""
        self.wait(timeout)
        status = self.status
        if status != "succeeded":
            raise RunFailed(self.id, status, self._why_not(status))
        recorded = Recorded(self.log.path, self.id)
        value = decode(recorded.events[-1].result) if recorded.events else None
        for event in reversed(recorded.events):
            if event.kind == "run_finished":
                value = decode(event.result)
                break
        plan = recorded.definition.plan
        schema = recorded.definition.index.schema
        classes = self._tools.classes if self._tools is not None else Classes(plan, schema)
        convert = classes.convert(plan.result)
        return value if convert is None else convert(value, _References())

    def subscribe(
        self, callback: Callable[[str, Sequence[Event], Standing], None]
    ) -> Callable[[], None]:
        """Calls back with the run's new events after each commit; gives what ends it.

        Only for a run of this process; the calls come on a thread of their own.
        """
        return self.log.engine.board.subscribe(self.id, callback)

    # --- looking ---------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Gives the run as `saga show --json` prints it."""
        standing = self._standing()
        paused = standing.status if standing.status == "paused" else ""
        return self._ask_state(lambda state: views.run_view(state, paused, standing.reason))

    def events(self) -> Events:
        """Gives all events, as `saga log --json` prints them."""
        return Events(views.event_view(event) for event in self._events())

    def timeline(self) -> Attempts:
        """Gives every attempt with its begin and end."""
        return Attempts(views.timeline(self._events()))

    @property
    def effects(self) -> Effects:
        """What landed outside, or may have, and what became of it."""
        return Effects(self._ask_state(kernel_views.effects))

    @property
    def readiness(self) -> Changes:
        """Each change of the readiness to roll back, and the event that caused it."""
        return Changes(views.readiness_history(self._events()))

    @property
    def approvals(self) -> Approvals:
        """What people decided at the gates, refusals included."""
        decided = (event for event in self._events() if event.kind == "decided")
        return Approvals(views.event_view(event) for event in decided)

    @property
    def incident(self) -> Incident | None:
        """What people are asked, when the run stands escalated."""
        found = self._ask_state(views.incident_view)
        return None if found is None else Incident(found)

    @property
    def waiting_for(self) -> list[dict[str, Any]]:
        """What people still owe the run."""
        return self._ask_state(
            lambda state: [views.waiting_view(row) for row in kernel_views.waiting_for(state)]
        )

    @property
    def state(self) -> State:
        """A copy of the kernel's state of the run."""
        return self._ask_state(fork)

    def at(self, n: int) -> Snapshot:
        """Gives the run as it was after its event `n`. Raises `NoSuchEvent`."""
        recorded = Recorded(self.log.path, self.id, n)
        if n < 1 or n > len(recorded.events):
            raise NoSuchEvent(self.id, n, recorded.row.n)
        return Snapshot(recorded, n)

    def sql(self, query: str) -> Any:
        """Asks the event store; the views hold all runs of the log."""
        return self.log.sql(query)

    # --- deciding --------------------------------------------------------------------------------

    def approve(self, gate: str, *, by: str, note: str = "", digest: str = "") -> Decision:
        """Approves what a gate shows; gives the logged decision. Raises `RequestRefused`."""
        return self._ask(Request("approve", actor=by, path=gate, note=note, digest=digest))

    def reject(self, gate: str, *, by: str, note: str = "", digest: str = "") -> Decision:
        """Rejects what a gate shows; gives the logged decision. Raises `RequestRefused`."""
        return self._ask(Request("reject", actor=by, path=gate, note=note, digest=digest))

    def resolve(
        self,
        step: str,
        answer: str,
        *,
        by: str,
        value: object = None,
        incident: str = "",
        reason: str = "",
    ) -> Decision:
        """Answers the open incident: retry, done, skip, forward, back. Raises `RequestRefused`."""
        wire = None if value is None else encode(value)
        return self._ask(
            Request(
                "resolve",
                actor=by,
                path=step,
                answer=answer,
                value=wire,
                incident=incident,
                reason=reason,
            )
        )

    def signal(self, name: str, value: object = None, *, by: str = "") -> Decision:
        """Gives a `wait` what it waits for; `name` is its path. Raises `RequestRefused`."""
        actor = by or self.log.actor
        return self._ask(Request("signal", actor=actor, path=name, value=encode(value)))

    def cancel(self, *, by: str = "", reason: str = "") -> Decision:
        """Asks the run to stop and undo what it did. Raises `RequestRefused` when it is over."""
        return self._ask(Request("cancel", actor=by or self.log.actor, reason=reason))

    def freeze(self, *, by: str = "", reason: str = "") -> Decision:
        """Stops the run without undoing anything, for people to look."""
        return self._ask(Request("freeze", actor=by or self.log.actor, reason=reason))

    def roll_back(self, to: str = "", *, by: str = "") -> Decision:
        """Undoes the run, or what it did after a checkpoint."""
        return self._ask(Request("roll_back", actor=by or self.log.actor, to=to))

    # --- how -------------------------------------------------------------------------------------

    def _ask(self, asked: Request) -> Decision:
        shown = Decision(ask(self.log.path, self.id, asked))
        if self._definition is not None and self._tools is not None:
            # Nobody may have owned the run, or it was over: who knows its tools goes on with it.
            self.log.take_up(self.id, self._definition, self._tools)
        return shown

    def _standing(self) -> Standing:
        # Whether it is paused is asked first: the log may become writable while it is read.
        paused = (engine := running(self.log.path)) and engine.board.paused
        if engine is not None and (found := engine.board.standing(self.id)) is not None:
            return found
        reader = Reader(self.log.path)
        try:
            row = reader.run(self.id)
        except RunUnknown:
            if paused:
                return Standing("paused", paused)
            raise
        if row.status in STANDS:
            return Standing(row.status)
        owner = reader.owner_of(self.id)
        if owner.note.startswith("paused"):
            return Standing("paused", owner.note.partition(": ")[2])
        # One whose owner is dead could not be taken up.
        return Standing("paused", paused) if paused and not owner.alive else Standing(row.status)

    def _stands(self) -> bool:
        if _stands(self._standing()):
            return True
        engine = running(self.log.path)
        if engine is not None and engine.board.standing(self.id) is not None:
            return False
        return not Reader(self.log.path).owner_of(self.id).alive

    def _wait_once(self, until: float | None) -> None:
        left = None if until is None else max(0.0, until - time.monotonic())
        engine = running(self.log.path)
        if engine is None or engine.board.standing(self.id) is None:
            time.sleep(0.1 if left is None else min(0.1, left))
            return
        changed = threading.Event()

        def watcher(standing: Standing) -> None:
            if _stands(standing) or standing.status == "gone":
                changed.set()

        found = engine.board.watch(self.id, watcher)
        try:
            if found is not None and not _stands(found):
                changed.wait(left)
        finally:
            engine.board.unwatch(self.id, watcher)

    def _interrupted(self) -> str:
        return (
            f"Interrupted. The run {self.id} goes on in this process: `run.wait()` waits for it "
            "again, `run.cancel()` stops it. When the process ends, "
            f"`{take_up(self.log.path, self.id)}` takes it up."
        )

    async def _awaited(self) -> Self:
        try:
            return await self._wait_async()
        except asyncio.CancelledError:
            # No class of its own: `asyncio.timeout` knows a cancellation by its exact class.
            raise asyncio.CancelledError(self._interrupted()) from None

    async def _wait_async(self) -> Self:
        while not self._stands():
            engine = running(self.log.path)
            if engine is None or engine.board.standing(self.id) is None:
                await asyncio.sleep(0.1)
                continue
            loop = asyncio.get_running_loop()
            changed = asyncio.Event()

            def watcher(standing: Standing, loop: Any = loop, changed: Any = changed) -> None:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(changed.set)

            found = engine.board.watch(self.id, watcher)
            try:
                if found is not None and not _stands(found):
                    # The interrupt of a kernel wakes no loop: it is seen when something else does.
                    with suppress(TimeoutError):
                        async with asyncio.timeout(GLANCE):
                            await changed.wait()
            finally:
                engine.board.unwatch(self.id, watcher)
        return self

    def _events(self) -> list[Event]:
        return Reader(self.log.path).events(self.id)

    def _ask_state(self, question: Callable[[State], T]) -> T:
        paused = (engine := running(self.log.path)) and engine.board.paused
        if engine is not None and engine.board.standing(self.id) is not None:
            item = Look(self.id, lambda state: (question(state),))
            engine.put(item)
            with suppress(Unwritable):
                found: tuple[T] | None = engine.outcome(item.future)
                if found is not None:
                    return found[0]
        try:
            return question(Recorded(self.log.path, self.id).state())
        except (LogMissing, RunUnknown):
            if not paused or engine is None:
                raise
            if engine.board.standing(self.id) is not None:
                raise Stranded(f"run {self.id} is paused: {paused}") from None
            if self._definition is None:
                raise
            return question(begin(self._definition.index, self.id))

    def _why_not(self, status: str) -> str:
        shown = self.to_json()
        error = shown["error"]
        because = f" because of {error['type']}: {error['message']}" if error else ""
        match status:
            case "escalated":
                incident: dict[str, Any] = shown["incident"] or {}
                answers = ", ".join(incident.get("answers", ()))
                said = f"stands escalated: {incident.get('summary', '')} (answers: {answers})"
            case "waiting":
                gates = ", ".join(f"`{row['path']}`" for row in shown["waiting_for"])
                said = f"waits for people at {gates}"
            case "paused":
                said = f"is paused: {shown.get('reason', '')}"
            case "running" | "compensating":
                said = "is not over yet"
            case _:
                said = f"ended {status.replace('_', ' ')}{because}"
        return f"run {self.id} has no result: it {said}"


def _stands(standing: Standing) -> bool:
    return standing.status in STANDS and not standing.looking


class Snapshot:
    """A run as it was after one of its events. It never changes."""

    def __init__(self, recorded: Recorded, n: int) -> None:
        self.run_id = recorded.row.run_id
        self.n = n
        self.state = recorded.state()

    def to_json(self) -> dict[str, Any]:
        """Gives the run of then in the shape of `saga show --at N --json`."""
        return views.run_view(self.state)

    @property
    def readiness(self) -> str:
        """The readiness to roll back of then."""
        return views.fraction(self.state.readiness)


class _References(Mapping[str, str]):
    """A secret in a result stays a reference."""

    def __getitem__(self, reference: str) -> str:
        return reference

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0
