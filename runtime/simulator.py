"""The simulator: the kernel driven by scripted outcomes and a fake clock; it never calls a tool."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from .events import Event, Fault
from .kernel.agents import ask, told
from .kernel.commands import Answer, Append, Call, SetTimer, Survey
from .kernel.decide import advance, begin, decide, issue, start, wanted
from .kernel.fold import apply
from .kernel.forking import fork
from .kernel.index import Index
from .kernel.neighbours import surveyed
from .kernel.people import Request, request
from .kernel.record import record
from .kernel.state import State
from .kernel.views import OpenAttempt, open_attempts, open_timers, running_timer, status_of_run
from .plan import Plan, definition
from .tooling import Refused

AgentScript = Generator[tuple[str, dict[str, Any]], Any, Any]
"""What an agent does: it yields the name and arguments of each call that it makes, is sent what
the call gave (or `Refused` is raised in it), and returns its result, or the `Reply` that is its
end."""


class Reply(Struct, frozen=True):
    """What the simulated service does with a call: the answer, and after how many milliseconds.

    A reply that takes longer than the call's timeout arrives late; `answer` None never arrives.
    `effect` is carried out `lands` milliseconds after the call, whatever becomes of the answer.
    The process that called dies `dies` milliseconds after the call (None: it lives).
    An agent has a script in place of an answer.
    """

    answer: Answer | None
    takes: int = 1
    effect: Callable[[], None] | None = None
    lands: int = 0
    dies: int | None = None
    agent: AgentScript | None = None


World = Callable[[Call], Reply]
"""The scripted services: from a call to what comes of it."""

Neighbours = Callable[[Survey], tuple[Sequence[str], bool]]
"""The other runs: those that touch a resource, and whether one of them waits for this run."""

EPOCH = 1_800_000_000_000
"""The simulated UTC time in milliseconds at which every simulation begins."""


class LogDown(Exception):
    """The simulated log cannot be written: nothing happens any more."""


class Simulator:
    """One run of a plan in simulated time; equal scripts give equal events.

    `log_down` says of an event whether the log has failed before it: then the run is paused.
    `index` and `identity` are those of the plan, where they are known.
    """

    def __init__(
        self,
        plan: Plan,
        inputs: Mapping[str, Any],
        world: World,
        *,
        run_id: str = "simulated",
        actor: str = "",
        groups: Mapping[str, Sequence[str]] | None = None,
        slots: int | None = None,
        index: Index | None = None,
        log_down: Callable[[Event], bool] | None = None,
        identity: str = "",
    ) -> None:
        self.index = index or Index(plan)
        self.world = world
        self.groups = groups or {}
        self.slots = slots
        self.log_down = log_down
        self.paused = False
        self.now = 0
        self.events: list[Event] = []
        self.calls: list[Call] = []
        self.state: State = begin(self.index, run_id)
        self._queue: list[tuple[int, int, Callable[[Simulator], None], bool]] = []
        self._order = 0
        self._open: dict[str, Call] = {}
        self._asked: dict[str, tuple[Call, AgentScript]] = {}
        self._surveys: list[Survey] = []
        self.neighbours: Neighbours = lambda survey: ((), False)
        self._log(start(plan, identity or definition(plan), dict(inputs), actor))

    @classmethod
    def of(cls, state: State, world: World, events: Sequence[Event] = ()) -> Simulator:
        """Gives a simulator that goes on from a state (what-if); the state given stays as it is."""
        simulator = cls.__new__(cls)
        simulator.index = state.index
        simulator.world = world
        simulator.groups = {}
        simulator.slots = None
        simulator.log_down = None
        simulator.paused = False
        simulator.now = state.elapsed
        simulator.events = list(events)
        simulator.calls = []
        simulator.state = fork(state)
        simulator._queue = []
        simulator._order = 0
        simulator._open = {}
        simulator._asked = {}
        simulator._surveys = []
        simulator.neighbours = lambda survey: ((), False)
        simulator.recover()
        return simulator

    def fork(self, world: World) -> Simulator:
        """Gives another run in the same place, which goes on for itself in another world.

        No agent is at work: what one does cannot be done twice.
        """
        assert not self._asked
        other = copy.copy(self)
        other.world = world
        other.events = self.events.copy()
        other.calls = self.calls.copy()
        other.state = fork(self.state)
        other._queue = self._queue.copy()
        other._open = self._open.copy()
        other._asked = {}
        other._surveys = self._surveys.copy()
        return other

    @property
    def status(self) -> str:
        """The run's public status."""
        return "paused" if self.paused else status_of_run(self.state)

    def run(
        self, limit: int = 100_000, *, until: int | None = None, within: int | None = None
    ) -> str:
        """Goes on until only people can; raises after `limit` turns.

        It stops at a simulated time, or before what is due only more than `within` from then.
        """
        self.react()
        for _ in range(limit):
            if within is not None:
                until = self.now + within
            if not self._queue or (until is not None and self._queue[0][0] > until):
                if until is not None and within is None:
                    self.now = max(self.now, until)
                return self.status
            self.turn()
        raise RuntimeError("the simulation does not come to an end")

    def turn(self) -> bool:
        """Lets the next thing happen that is due, and what follows from it; False: nothing is."""
        if not self._queue:
            return False
        at, _, act, _ = heapq.heappop(self._queue)
        self.now = max(self.now, at)
        try:
            act(self)
        except LogDown:
            self._pause()
        self.react()
        return True

    def ask(self, asked: Request) -> Event:
        """Lets somebody ask something of the run; raises `Rejected`."""
        event = self._log(request(self.state, asked, self.groups))
        self.react()
        return event

    def crash(self) -> None:
        """Forgets everything that is not an event, as a process that dies does."""
        # What is on its way to a service lands all the same: only this process has died.
        self._queue = [entry for entry in self._queue if entry[3]]
        heapq.heapify(self._queue)
        self._open.clear()
        self._asked.clear()
        self._surveys.clear()
        state = begin(self.index, self.state.run_id)
        for event in self.events:
            apply(state, event)
        self.state = state
        self.recover()

    def recover(self) -> None:
        """Takes up the run as a new owner: lost attempts are noted, timers armed again."""
        for attempt in open_attempts(self.state):
            self._log(lost(attempt))
        for path, name, timer in open_timers(self.state):
            length = timer.length if timer.safety else max(0, timer.due - self._wall())
            self._later(length, partial(Simulator._due, path=path, name=name, n=timer.n))

    def react(self) -> None:
        """Carries out whatever the kernel wants now."""
        try:
            while not self.paused and self._carry_out():
                pass
            self._tell()
        except LogDown:
            self._pause()

    def _carry_out(self) -> bool:
        for command in decide(self.state):
            match command:
                case Append():
                    self._log(command.event)
                case SetTimer():
                    self._set_timer(command)
                case Survey():
                    self._survey(command)
                case Call() if self._free():
                    self._call(command)
                case _:
                    continue
            return True
        return False

    def _pause(self) -> None:
        self.paused = True
        self._queue.clear()

    def _survey(self, survey: Survey) -> None:
        issue(self.state, survey.id)
        self._surveys.append(survey)
        self._later(1, Simulator._look_around)

    def _look_around(self) -> None:
        for survey in tuple(self._surveys):
            runs, circle = self.neighbours(survey)
            if survey.id not in self.state.issued:
                self._surveys.remove(survey)
            elif set(runs) != set(survey.known) or circle or not survey.known:
                self._surveys.remove(survey)
                self._log(surveyed(self.state, survey, runs, circle))

    def look_around(self) -> None:
        """Looks again for other runs, because something of them has changed."""
        self._look_around()
        self.react()

    def _free(self) -> bool:
        return self.slots is None or len(self._open) < self.slots

    def _call(self, call: Call) -> None:
        if not wanted(self.state, call.id):
            return
        if call.intent is None:
            issue(self.state, call.id)
        else:
            self._log(call.intent)
        self.calls.append(call)
        self._open[call.id] = call
        self.serve(call)

    def serve(self, call: Call) -> None:
        """Lets the world do with a call that has just gone out what it does."""
        reply = self.world(call)
        if reply.effect is not None:
            effect = reply.effect
            self._later(reply.lands, lambda _: effect(), outside=True)
        if reply.agent is not None:
            self._turn(call, partial(reply.agent.send, None), reply.agent, reply.takes)
            return
        self._end(call, reply)

    def _end(self, call: Call, reply: Reply) -> None:
        """Lets a call end as its service, or the agent's script, says."""
        if reply.dies is not None:
            self._later(reply.dies, Simulator.crash, outside=True)
        if reply.answer is None or reply.takes > call.timeout:
            late = Answer("timeout")
            self._later(call.timeout, partial(Simulator._answer, call=call, answer=late))
            if reply.answer is None:
                return
        self._later(reply.takes, partial(Simulator._answer, call=call, answer=reply.answer))

    def _turn(
        self,
        call: Call,
        turn: Callable[[], tuple[str, dict[str, Any]]],
        script: AgentScript,
        takes: int = 1,
    ) -> None:
        self._later(takes, partial(Simulator._work, call=call, turn=turn, script=script))

    def _work(
        self, call: Call, turn: Callable[[], tuple[str, dict[str, Any]]], script: AgentScript
    ) -> None:
        """Lets an agent's script go on to its next call, or to its end."""
        try:
            tool, given = turn()
        except StopIteration as end:
            if isinstance(end.value, Reply):
                self._end(call, end.value)
            else:
                self._answer(call, Answer("returned", end.value))
            return
        except Exception as error:
            fault = Fault(type(error).__name__, str(error))
            classes = tuple(kind.__name__ for kind in type(error).__mro__)
            self._answer(call, Answer("raised", fault=fault, classes=classes))
            return
        event = ask(self.state, call, tool, given)
        if isinstance(event, str):
            self._turn(call, partial(script.throw, Refused(event)), script)
        else:
            self._asked[self._log(event).path] = (call, script)

    def _tell(self) -> None:
        """Lets the agents whose calls have settled go on."""
        for path, (call, script) in list(self._asked.items()):
            found = told(self.state, path)
            if found is None:
                continue
            del self._asked[path]
            turn = partial(script.send, found.value)
            if found.kind != "value":
                turn = partial(script.throw, Refused(found.text))
            self._turn(call, turn, script)

    def _answer(self, call: Call, answer: Answer) -> None:
        self._open.pop(call.id, None)
        event = record(self.state, call, answer)
        if event is not None:
            self._log(event)

    def _set_timer(self, command: SetTimer) -> None:
        event = command.event
        length = command.high
        event.data = {
            **event.data,
            "length": length,
            "due": self._wall() + length,
            "safety": command.safety,
        }
        self._log(event)
        name = str(event.data["timer"])
        self._later(length, partial(Simulator._due, path=event.path, name=name, n=event.n))

    def _due(self, path: str, name: str, n: int) -> None:
        if running_timer(self.state, path, name, n):
            self._log(Event("timer_due", path=path, data={"timer": name}))

    def _later(
        self, length: int, act: Callable[[Simulator], None], *, outside: bool = False
    ) -> None:
        self._order += 1
        heapq.heappush(self._queue, (self.now + length, self._order, act, outside))

    def _wall(self) -> int:
        return EPOCH + self.now

    def _log(self, event: Event) -> Event:
        if self.log_down is not None and self.log_down(event):
            raise LogDown
        event.wall_time = self._wall()
        event.elapsed = self.now
        self.events.append(advance(self.state, event))
        return event


def lost(attempt: OpenAttempt) -> Event:
    """Makes the record that an attempt died with its owner."""
    data: dict[str, Any] = {"name": attempt.name} if attempt.name else {}
    return Event(
        kind="attempt_lost",
        path=attempt.path,
        direction=attempt.direction,  # type: ignore[arg-type]
        generation=attempt.generation,
        attempt=attempt.attempt,
        data=data,
    )
