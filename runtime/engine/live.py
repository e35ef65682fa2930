"""A run in memory: its state, and what this turn of the engine adds to it before the commit."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ..events import Action, Event, Fault
from ..journal import Beginning
from ..kernel.commands import Append, Call, SetTimer, Survey
from ..kernel.decide import advance, consider, issue, news
from ..kernel.state import State
from ..kernel.views import status_of_run
from ..scalars import kind_of
from ..secrets import Mask, Unresolved, resolve
from ..values import Record, Secret
from .alarms import Alarm
from .calling import Job
from .clock import Moment, RunClock
from .definition import Definition, Tools
from .tracing import Trace


class Live:
    """One run that this process owns and holds in memory.

    What is in `events` is folded and not yet durable: until the commit returns, nothing that
    depends on it (jobs, alarms, replies) leaves this object.
    """

    def __init__(
        self,
        definition: Definition,
        tools: Tools,
        state: State,
        epoch: int,
        clock: RunClock,
        trace: Trace | None,
    ) -> None:
        self.run_id = state.run_id
        self.definition = definition
        self.tools = tools
        self.state = state
        self.epoch = epoch
        self.clock = clock
        self.trace = trace
        self.begins: Beginning | None = None
        self.status = ""
        self.next_status = ""
        self.paused = ""
        self.gone = False
        self.queued: set[str] = set()
        self.calls: list[Call] = []
        self.waits_stored = False
        self.alarms: dict[tuple[str, str], Alarm] = {}
        self.mask: Mask | None = None
        self.events: list[Event] = []
        self.surveys: list[Survey] = []
        self.jobs: list[Job] = []
        self.ended: list[Job] = []
        self.timers: list[tuple[str, str]] = []
        self.requests: list[int] = []
        self.items: list[Any] = []
        self.after: list[Callable[[], None]] = []
        self._secrets: dict[str, str] = {}
        self._todo: deque[str] = deque()

    def clear(self) -> None:
        """Forgets this turn, after its commit. Lists are made anew only where they were used."""
        self.events = []
        self.jobs = []
        self.ended = []
        self.items = []
        if self.surveys or self.timers or self.requests or self.after:
            self.surveys = []
            self.timers = []
            self.requests = []
            self.after = []

    def feed(self, event: Event, now: Moment) -> None:
        """Stamps an event and folds it."""
        event.epoch = self.epoch
        event.wall_time = now.wall
        event.elapsed = self.clock.elapsed(now)
        if self.mask is not None:
            # Masked before it is folded: the state is what the log will give again.
            mask_event(event, self.mask)
        if self.trace is not None:
            self.trace.stamp(event)
        advance(self.state, event)
        self.events.append(event)
        if event.kind == "timer_set":
            self.timers.append((event.path, event.data["timer"]))

    def settle(self, now: Moment) -> None:
        """Carries out every choice and timer that the kernel wants; collects the calls it wants."""
        state, todo = self.state, self._todo
        while True:
            if state.dirty:
                todo.extend(news(state))
            if not todo:
                return
            command = state.agenda.get(todo.popleft())
            # Most are calls: asked for first.
            if isinstance(command, Call):
                if command.id not in self.queued:
                    self.queued.add(command.id)
                    self.calls.append(command)
            elif isinstance(command, Append):
                self.feed(command.event, now)
            elif isinstance(command, SetTimer):
                self._set_timer(command, now)
            elif isinstance(command, Survey):
                issue(state, command.id)
                self.surveys.append(command)

    def take(self, command_id: str, now: Moment) -> Job | None:
        """Takes a call that has a slot and folds its intent; None when it is wanted no more."""
        self.queued.discard(command_id)
        call = self.state.agenda.get(command_id)
        if not isinstance(call, Call):
            return None
        secrets: dict[str, str] = {}
        if self.definition.secretive:
            try:
                secrets = self._resolve(call)
            except Unresolved as reason:
                self.paused = f"`{call.path}` cannot be called: {reason}"
                return None
        step = self.state.steps[call.path]
        remembered = step.remembered if call.purpose == "do" else {}
        bound = self.tools.bound[call.tool]
        job = Job(self.run_id, call, bound, self.state.index.schema, remembered, secrets, self.mask)
        if self.trace is not None:
            self.trace.begin(job)
        if call.intent is None:
            issue(self.state, call.id)
        else:
            self.feed(call.intent, now)
        job.intended = now.mono
        self.jobs.append(job)
        return job

    def again(self) -> None:
        """Looks at every wanted call anew, after a pause."""
        self.paused = ""
        self.queued.clear()
        consider(self.state)
        self._todo.extend(self.state.agenda)

    def reissue(self, command_ids: list[str]) -> None:
        """Notes calls without intent that go on while their run is folded again."""
        consider(self.state)
        for command_id in command_ids:
            if command_id in self.state.agenda:
                issue(self.state, command_id)
        self._todo.extend(self.state.agenda)

    def find_secrets(self, values: Iterable[Any]) -> None:
        """Makes the mask of the secrets that stand in some values."""
        if self.definition.secretive:
            self._know({reference for value in values for reference in references(value)})

    def new_status(self) -> str | None:
        """Gives the status as the records say, when it is not what it was."""
        self.next_status = status_of_run(self.state)
        return None if self.next_status == self.status else self.next_status

    def _set_timer(self, command: SetTimer, now: Moment) -> None:
        event = command.event
        length = random.randint(command.low, command.high)
        event.data = {
            **event.data,
            "length": length,
            "due": now.wall + length,
            "safety": command.safety,
        }
        self.feed(event, now)

    def _resolve(self, call: Call) -> dict[str, str]:
        found = {reference: resolve(reference) for reference in references(call.args)}
        self._know(found)
        return found

    def _know(self, given: Iterable[str]) -> None:
        known: dict[str, str] = {}
        for reference in given:
            try:
                known[reference] = resolve(reference)
            except Unresolved:
                continue  # Nothing to mask; a call that needs it pauses the run.
        if known.items() - self._secrets.items():
            self._secrets |= known
            self.mask = Mask(self._secrets)


def mask_event(event: Event, mask: Mask) -> None:
    """Masks the run's secrets in everything of an event that comes from outside."""
    event.result = mask.wire(event.result)
    event.response = mask.wire(event.response)
    event.data = {name: _masked(value, mask) for name, value in event.data.items()}
    if event.error is not None:
        error = event.error
        event.error = Fault(error.type, mask.text(error.message), mask.text(error.traceback))
    if event.action is not None:
        action = event.action
        args = {name: mask.wire(value) for name, value in action.args.items()}
        event.action = Action(action.tool, action.target, args, action.digest)
    if event.undo is not None:
        event.undo = [_descriptor(descriptor, mask) for descriptor in event.undo]


def _masked(value: Any, mask: Mask) -> Any:
    kind = kind_of(value)
    if kind is dict:
        return {name: _masked(part, mask) for name, part in value.items()}
    return mask.wire(value)


def _descriptor(descriptor: Any, mask: Mask) -> Any:
    import msgspec

    args = {name: mask.wire(tree) for name, tree in descriptor.args.items()}
    return msgspec.structs.replace(descriptor, args=args, fault=mask.text(descriptor.fault))


def references(value: Any) -> set[str]:
    """Gives the references of the secrets in a value."""
    kind = kind_of(value)
    if kind is Secret:
        return {value.reference}
    parts: Iterable[Any] = ()
    if kind is dict:
        parts = value.values()
    elif kind is list or kind is tuple:
        parts = value
    elif kind is Record:
        parts = value.fields.values()
    return {reference for part in parts for reference in references(part)}
