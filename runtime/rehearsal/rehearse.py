"""Playing a scenario: the kernel, the simulated services, people who decide at once, a fake clock.

Time passes by itself, so that what nobody answers lapses; a scenario that expects *waiting* stops
at the first gate, wait or timer that holds the run up and about which it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..evaluation import STARTED_AT
from ..expressions import Failed, evaluate
from ..kernel.people import Rejected, Request
from ..kernel.views import waiting_for
from ..plan import Gate, Plan, statements
from ..scenario import Approve, ExpectStatus, Reject, Scenario, Signal
from ..shapes import Mismatch, Schema, conform
from ..simulator import EPOCH, Simulator
from ..values import Secret, encode
from .expectations import judge
from .report import Moment, Rehearsal, Shortfall
from .script import SOMEBODY, Script
from .timeline import timeline
from .world import AskForMock, World

TURNS = 20_000
"""How many things may happen in one scenario before it counts as endless."""


def rehearse(scenario: Scenario) -> Rehearsal:
    """Plays a scenario and judges what it expects."""
    try:
        return Play(scenario, Schema.of(scenario.plan)).played()
    except (Failed, Mismatch) as reason:
        # A constant of the scenario that has no value, `1 / 0` say.
        said = f"nothing: {reason}"
        return _unplayed(scenario, Shortfall(scenario.at, "the scenario to be played", said))


class Play:
    """One scenario while it is played. Making it raises `Failed`, `Mismatch`."""

    def __init__(self, scenario: Scenario, schema: Schema) -> None:
        self.scenario = scenario
        self.script = Script(scenario, schema)
        self.world = World(self.script)
        self.simulator = Simulator(
            scenario.plan,
            _inputs(scenario, schema),
            self.world,
            run_id="scenario",
            groups={group: self.script.people() for group in _groups(scenario.plan)},
            log_down=lambda event: bool(event.path) and self.script.log_down(event.path),
        )
        self.world.state = lambda: self.simulator.state
        self.seen = 0
        self.called = 0
        self.stops = any(
            isinstance(line, ExpectStatus) and line.status == "waiting"
            for line in scenario.expectations
        )

    def played(self) -> Rehearsal:
        """Goes on until nothing more happens, then judges. Raises `Failed`."""
        wrong: list[Shortfall] = []
        try:
            self.simulator.react()
            self._go_on()
        except AskForMock as asked:
            wrong = [_mock_wanted(self.scenario, asked)]
        except Endless:
            said = f"it goes on without end: {TURNS} things have happened, the last ones below"
            wrong = [Shortfall(self.scenario.at, "the run to come to a stand", said)]
        events = self.simulator.events
        status = self.simulator.status
        if not wrong:
            wrong = list(judge(self.scenario, self.simulator))
        return Rehearsal(
            title=self.scenario.title,
            saga=self.scenario.plan.saga,
            at=self.scenario.at,
            status=status,
            shortfalls=tuple(wrong),
            timeline=(*timeline(events), *self._paused()),
            unused=tuple(self.script.unused()),
            doc=self.scenario.doc,
        )

    def _paused(self) -> Iterator[Moment]:
        if self.simulator.paused:
            yield Moment(self.simulator.now, "", "the log cannot be written: the run is paused")

    def _go_on(self) -> None:
        for _ in range(TURNS):
            if self._answered():
                continue
            if self.stops and self._held_up():
                return
            if not self.simulator.turn():
                return
        raise Endless

    def _held_up(self) -> bool:
        """True when the run waits for people or a signal; time passes by itself."""
        rows = waiting_for(self.simulator.state)
        return self.simulator.status == "waiting" and any(row["kind"] != "timer" for row in rows)

    def _answered(self) -> bool:
        """Lets people do what the scenario says now; True when somebody did."""
        owed = [str(row["path"]) for row in waiting_for(self.simulator.state)]
        if any(map(self.script.cancelling, (*self._news(), *owed))):
            return self._ask(Request("cancel", actor=SOMEBODY, reason="the scenario says so"))
        return any(map(self._decided, owed))

    def _news(self) -> Iterator[str]:
        """Gives the paths at which something has happened since it was asked last."""
        events, calls = self.simulator.events, self.simulator.calls
        seen, called = self.seen, self.called
        self.seen, self.called = len(events), len(calls)
        # A call that is only announced, for other runs to see, has not begun.
        yield from (event.path for event in events[seen:] if event.status != "announced")
        yield from (call.path for call in calls[called:] if call.purpose == "do")

    def _decided(self, path: str) -> bool:
        match self.script.decision(path):
            case Approve(by=by):
                return self._ask(Request("approve", actor=by, path=path))
            case Reject():
                return self._ask(Request("reject", actor=SOMEBODY, path=path))
            case Signal(value=value):
                wire = encode(evaluate(value.tree, {}, self.script.schema))
                return self._ask(Request("signal", actor=SOMEBODY, path=path, value=wire))
            case None:
                return False

    def _ask(self, asked: Request) -> bool:
        try:
            self.simulator.ask(asked)
        except Rejected:
            # It makes no sense any more: the gate has been decided, or the run is over.
            return False
        return True


class Endless(Exception):
    """A scenario in which things happen for ever."""


def _inputs(scenario: Scenario, schema: Schema) -> dict[str, Any]:
    given = {line.name: line.value for line in scenario.given}
    found: dict[str, Any] = {}
    for parameter in scenario.plan.parameters:
        formula = given.get(parameter.name, parameter.default)
        if formula is None:
            assert parameter.type.kind == "secret", f"`{parameter.name}` is not given"
            found[parameter.name] = encode(Secret("env:SCENARIO"))
            continue
        names = {STARTED_AT: EPOCH}
        value = evaluate(formula.tree, names, schema)
        found[parameter.name] = encode(conform(value, parameter.type, schema, parameter.name))
    return found


def _groups(plan: Plan) -> Iterator[str]:
    """Gives every group of people that a plan asks."""
    for node in statements(plan.body):
        if isinstance(node, Gate):
            yield node.group
    yield from (guard.group for guard in plan.guards)
    for tool in plan.tools:
        for effect in tool.effects:
            if effect.corrective is not None and effect.corrective.needs:
                yield effect.corrective.needs
    for agent in plan.agents:
        yield from (use.needs for use in agent.uses if use.needs)


def _mock_wanted(scenario: Scenario, asked: AskForMock) -> Shortfall:
    return Shortfall(
        scenario.at,
        f"what `{asked.path}` gives to satisfy `{asked.condition}`",
        f"no such value was found. Say what it gives: `mock {asked.path} = ...`",
    )


def _unplayed(scenario: Scenario, wrong: Shortfall) -> Rehearsal:
    return Rehearsal(
        title=scenario.title,
        saga=scenario.plan.saga,
        at=scenario.at,
        status="",
        shortfalls=(wrong,),
        timeline=(),
        unused=(),
        doc=scenario.doc,
    )
