"""What is put into an engine's mailbox: answers of calls, and what other threads want of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Protocol

from ..events import Event
from ..journal import Beginning, Run
from ..kernel.commands import Answer
from ..kernel.decide import start
from ..kernel.people import Rejected, Request, request
from ..kernel.state import State
from ..kernel.views import FINAL
from .calling import Job
from .definition import Definition, Tools
from .errors import RequestRefused, RunError
from .runs import fold

if TYPE_CHECKING:
    from .engine import Engine


class Item(Protocol):
    """Something that the engine's thread does in a turn."""

    def handle(self, engine: Engine) -> None:
        """Does it; may be called again when its commit did not come about."""
        ...

    def fail(self, error: BaseException) -> None:
        """Tells whoever waits that it will not be done."""
        ...


class Ended:
    """A call has ended: it answered, or its time is over (`by_worker` false)."""

    __slots__ = ("answer", "by_worker", "job", "seen")

    def __init__(self, job: Job, answer: Answer, by_worker: bool = True) -> None:
        self.job = job
        self.answer = answer
        self.by_worker = by_worker
        self.seen = False

    def fail(self, error: BaseException) -> None:
        """Nobody waits for an answer but its run."""


class Begin:
    """Begin a run, unless its id is there already. Gives None, or the row of the run there is."""

    def __init__(
        self,
        definition: Definition,
        tools: Tools,
        run_id: str,
        inputs: Mapping[str, Any],
        begins: Beginning,
        actor: str,
    ) -> None:
        self.definition = definition
        self.tools = tools
        self.run_id = run_id
        self.inputs = inputs
        self.begins = begins
        self.actor = actor
        self.future: Future[Run | None] = Future()

    def handle(self, engine: Engine) -> None:
        there = engine.runs.live.get(self.run_id)
        if there is not None and there.begins is not None:
            # Begun in this very turn: the log has its row after the commit.
            there.items.append(self)
            there.after.append(lambda: self.future.set_result(engine.journal.run(self.run_id)))
            return
        if engine.runs.owned(self.run_id):
            self.future.set_result(engine.journal.run(self.run_id))
            return
        definition = self.definition
        event = start(definition.plan, definition.hash, dict(self.inputs), self.actor)
        event.data["tools"] = self.tools.hashes
        live = engine.runs.begin(definition, self.tools, self.run_id, event, self.begins)
        live.items.append(self)
        live.after.append(lambda: self.future.set_result(None))

    def fail(self, error: BaseException) -> None:
        self.future.set_exception(error)


class Resume:
    """Take up a run that no living process owns. Gives its row; raises `RunOwned` if one does.

    With `taken_over`, a person's word that the owner is dead, a living one is not asked.
    """

    def __init__(
        self, run_id: str, definition: Definition, tools: Tools, taken_over: Event | None = None
    ) -> None:
        self.run_id = run_id
        self.definition = definition
        self.tools = tools
        self.taken_over = taken_over
        self.future: Future[Run] = Future()

    def handle(self, engine: Engine) -> None:
        runs = engine.runs
        row = engine.journal.run(self.run_id)
        live = None
        if runs.owned(self.run_id):
            live = runs.find(self.run_id)
            if live is not None and live.paused:
                live.again()
        elif row.status not in FINAL:
            stated = self.taken_over is not None
            row = engine.batch.patiently(
                lambda: engine.journal.take(self.run_id, owner_is_dead=stated, wait=0.0)
            )
            live = runs.adopt(row, self.definition, self.tools, self.taken_over)
            engine.look_again()
        if live is not None:
            # Shown as it stands after its first turn, not as its dead owner left it: a decision
            # may have been appended that the run has not followed yet.
            live.items.append(self)
            live.after.append(lambda: self.future.set_result(row))
            return
        self.future.set_result(row)

    def fail(self, error: BaseException) -> None:
        self.future.set_exception(error)


class Asked:
    """A person's request about a run of this process.

    Gives the logged event, or None if the run is not (or no longer) this process's.
    """

    def __init__(self, run_id: str, asked: Request) -> None:
        self.run_id = run_id
        self.asked = asked
        self.future: Future[Event | None] = Future()

    def handle(self, engine: Engine) -> None:
        live = engine.runs.find(self.run_id)
        if live is None:
            standing = engine.board.standing(self.run_id)
            if standing is not None and standing.status == "paused":
                self.fail(RunError(f"run {self.run_id} is paused: {standing.reason}"))
            else:
                self.future.set_result(None)
            return
        try:
            event = request(live.state, self.asked, engine.groups())
        except Rejected as reason:
            self.fail(RequestRefused(f"run {self.run_id}: {reason}"))
            return
        live.feed(event, engine.runs.now)
        live.items.append(self)
        live.after.append(lambda: self.future.set_result(event))

    def fail(self, error: BaseException) -> None:
        self.future.set_exception(error)


class Decide:
    """A request about a run that nobody owns: the run is taken only to append the decision."""

    def __init__(
        self, run_id: str, definition: Definition, asked: Request, posted: int = 0
    ) -> None:
        self.run_id = run_id
        self.definition = definition
        self.asked = asked
        self.posted = posted
        self.future: Future[Event] = Future()

    def handle(self, engine: Engine) -> None:
        row = engine.batch.patiently(lambda: engine.journal.take(self.run_id, wait=0.0))
        state = fold(self.definition, self.run_id, engine.journal.events(self.run_id))
        try:
            event = request(state, self.asked, engine.groups())
        except Rejected as reason:
            engine.journal.release([self.run_id])
            self.fail(RequestRefused(f"run {self.run_id}: {reason}"))
            return
        engine.append_alone(row, state, event, [self.posted] if self.posted else [])
        self.future.set_result(event)

    def fail(self, error: BaseException) -> None:
        self.future.set_exception(error)


class Look:
    """A question about a run's state between two commits. Gives None when it is not in memory."""

    def __init__(self, run_id: str, question: Callable[[State], Any]) -> None:
        self.run_id = run_id
        self.question = question
        self.future: Future[Any] = Future()

    def handle(self, engine: Engine) -> None:
        live = engine.runs.live.get(self.run_id)
        try:
            self.future.set_result(None if live is None else self.question(live.state))
        except Exception as error:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        self.future.set_exception(error)
