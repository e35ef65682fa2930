"""The theorem, on random sagas and random faults: safety at every moment, and an end.

The judge is the scripted service, not the log: it counts what was applied and what was undone.
"""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict

from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.runtime.formula import Formula, Literal, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.kernel.decide import begin
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import (
    Argument,
    Corrective,
    Gate,
    Idempotence,
    If,
    Node as Statement,
    Plan,
    Tool,
    Undo,
    Verify,
)
from sagalang.runtime.simulator import Reply, Simulator

from .kit import parallel, plan, raised, read, ref, step, text, tool, undo_tool

EXAMPLES = int(os.environ.get("SAGA_EXAMPLES", "0")) or 5 * settings().max_examples
"""How many random runs; `SAGA_EXAMPLES=1000000 pytest tests/kernel` is the long version."""

FAULTS = ("ok", "refuse", "transient", "fail before", "lose", "late", "late beyond timeout")
TIMEOUT, SETTLE = 1_000, 5_000
TRUE = Formula(Literal(True), Type("bool"), "true")
FALSE = Formula(Literal(False), Type("bool"), "false")


class Service:
    """A service that does what each tool declares, with a fault for each call in turn."""

    def __init__(self, plan: Plan, faults: list[str]) -> None:
        self.tools = {t.name: t for t in plan.tools}
        self.faults = faults
        self.applied: dict[str, int] = defaultdict(int)
        self.undone: dict[str, int] = defaultdict(int)
        self.keys: set[str] = set()
        self.clock = 0
        self.refused: set[str] = set()

    def net(self, thing: str) -> int:
        return self.applied[thing] - self.undone[thing]

    def keyed(self, call: Call) -> bool:
        idempotent = self.tools[call.tool].idempotent
        return idempotent is not None and idempotent.by == "key"

    def change(self, call: Call) -> None:
        t = self.tools[call.tool]
        thing = str(call.args["id"])
        if self.keyed(call):
            if call.key in self.keys:
                return
            self.keys.add(call.key)
        undoing = call.purpose == "undo"
        if t.idempotent is not None and t.idempotent.by == "naturally":
            if undoing and self.net(thing) == 0:
                return
            if not undoing and self.net(thing) == 1:
                return
        if undoing and self.net(thing) == 0:
            return
        (self.undone if undoing else self.applied)[thing] += 1

    def __call__(self, call: Call) -> Reply:
        if call.tool == "look":
            thing = str(call.args["id"])
            return Reply(Answer("returned", {"id": thing} if self.net(thing) > 0 else None))
        fault = self.faults.pop() if self.faults else "ok"
        if call.key in self.refused:
            return raised("Refused")  # a known key gives the first result
        if fault == "refuse" and (call.purpose == "undo" or call.key in self.keys):
            fault = "ok"

        def change() -> None:
            self.change(call)

        answer = Answer("returned", {"id": call.args["id"]})
        match fault:
            case "refuse":
                if self.keyed(call):
                    self.keys.add(call.key)
                    self.refused.add(call.key)
                return raised("Refused")
            case "transient":
                return raised("Transient")
            case "fail before":
                return raised("ConnectionError")
            case "lose":
                return Reply(raised("ConnectionError").answer, 1, change, 1)
            case "late":
                return Reply(answer, 40, change, 30)
            case "late beyond timeout":
                # A service that knows keys may have refused a later attempt by then: no answer.
                told = None if self.keyed(call) else answer
                return Reply(told, TIMEOUT + 3_000, change, TIMEOUT + 2_000)
            case _:
                return Reply(answer, 2, change, 1)


@st.composite
def tools(draw: st.DrawFn, name: str) -> Tool:
    """A tool as the language allows one: any mix of class, verify, idempotence and undos."""
    idempotent = draw(st.sampled_from([None, Idempotence(by="key"), Idempotence(by="naturally")]))
    irreversible = draw(st.integers(0, 4)) == 0
    blind = draw(st.booleans())
    undo = Undo(
        tool=f"un_{name}", args=(Argument(name="id", value=ref("id" if blind else "result.id")),)
    )
    verify = None
    if draw(st.booleans()):
        verify = Verify(tool="look", args=(Argument(name="id", value=ref("id")),))
    return tool(
        name,
        cls="irreversible" if irreversible else "reversible",
        corrective=Corrective(text=text("make good")) if irreversible else None,
        idempotent=idempotent,
        undos=() if irreversible else (undo,),
        verify=verify,
        verify_always=draw(st.booleans()),
        timeout=TIMEOUT,
        settle=SETTLE,
    )


@st.composite
def steps(draw: st.DrawFn, of: Tool) -> Statement:
    """A step that calls a tool, perhaps under a condition, accepted, or going on after failure."""
    condition = draw(st.sampled_from([None, None, TRUE, FALSE]))
    accepted = text("known") if of.irreversible and draw(st.booleans()) else None
    on_failure = "rollback"
    if draw(st.integers(0, 4)) == 0:
        on_failure = "continue"
    called = step(of, when=condition, accepted=accepted, on_failure=on_failure)
    if draw(st.integers(0, 5)) == 0:
        taken = draw(st.sampled_from([TRUE, FALSE]))
        return If(path=f"if {of.name}", condition=taken, then=(called,))
    return called


@st.composite
def sagas(draw: st.DrawFn) -> Plan:
    """A sequence of steps, perhaps a gate in it, some of the steps in a `parallel`."""
    size = draw(st.integers(1, 5))
    known = [draw(tools(f"t{k}")) for k in range(size)]
    made = [draw(steps(t)) for t in known]
    cut = draw(st.integers(0, size))
    body: list[Statement] = [*made[:cut]]
    if draw(st.integers(0, 3)) == 0:
        shows = (Argument(name="x", value=text("y")),)
        body.append(Gate(path="g", name="g", needs=1, group="ops", shows=shows))
    if made[cut:]:
        body.append(parallel(*made[cut:]))
    undos = [
        undo_tool(
            f"un_{t.name}",
            done=("NotFound",) if draw(st.booleans()) else (),
            timeout=TIMEOUT,
            settle=SETTLE,
        )
        for t in known
        if t.undos
    ]
    return plan(body, [*known, *undos, read()])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    saga=sagas(),
    faults=st.lists(st.sampled_from(FAULTS), max_size=14),
    crashes=st.lists(st.integers(0, 200), max_size=2, unique=True),
    cancel=st.one_of(st.none(), st.integers(0, 100)),
    backwards=st.booleans(),
)
def test_a_run_never_lies(
    saga: Plan, faults: list[str], crashes: list[int], cancel: int | None, backwards: bool
) -> None:
    service = Service(saga, list(faults))
    simulator = Simulator(saga, {}, service, groups={"ops": ["ann"]})
    for at in sorted(crashes):
        simulator.run(until=at)
        simulator.crash()
    if cancel is not None:
        simulator.run(until=cancel)
        with contextlib.suppress(Rejected):
            simulator.ask(Request("cancel", actor="someone"))
    simulator.run()
    assert_truth(simulator, service)
    assert_log(simulator)
    for _ in range(30):
        if simulator.status in views.FINAL:
            break
        answer(simulator, service, backwards)
        simulator.run()
        assert_truth(simulator, service)
    assert simulator.status in views.FINAL, "people answered truly, and it does not come to an end"
    assert_log(simulator)


def answer(simulator: Simulator, service: Service, backwards: bool) -> None:
    """Answers what is asked, truly: people look at the service, not at the log."""
    if simulator.status == "waiting":
        simulator.ask(Request("reject" if backwards else "approve", actor="ann", path="g"))
        return
    incident = views.open_incident(simulator.state)
    assert incident is not None, simulator.status
    there = service.net(incident.path) > 0
    match incident.cause:
        case "unknown" | "conflict" | "key_conflict":
            said = "done" if there else "skip"
        case "undo_failed" | "no_undo" | "undo_conflict":
            said = "skip" if there else "done"
        case "after_pivot" if "back" in incident.answers:
            said = "back"
        case _:
            said = incident.answers[0]
    value = {"id": incident.path} if said == "done" else None
    asked = Request("resolve", actor="ann", answer=said, value=value, reason="looked")
    simulator.ask(asked)


def assert_truth(simulator: Simulator, service: Service) -> None:
    """What the run says of itself is what the service says."""
    state, status = simulator.state, simulator.status
    unproven = {s.path for s in state.steps.values() if s.unproven}
    net = {path: service.net(path) for path in state.steps if path not in unproven}
    assert all(n <= 1 for n in net.values()), "an effect landed twice"
    if status not in views.FINAL:
        assert status in ("waiting", "escalated"), status
        return
    standing = set(views.standing(state))
    assert {path for path, n in net.items() if n} == standing - unproven, (status, net, standing)
    if status == "rolled_back":
        assert not standing
    if status == "partly_rolled_back":
        assert standing
    for path in standing if status != "succeeded" else ():
        s = state.steps[path]
        allowed = state.index.step(s.number).accepted or s.undo_phase == "left"
        assert allowed or state.root.accept_pivots, f"{path} stands and nobody said that it may"


def assert_log(simulator: Simulator) -> None:
    """What holds of every log: gap-free, intents before outcomes, no new work after closing."""
    events = simulator.events
    assert [e.n for e in events] == list(range(1, len(events) + 1))
    intents = {(e.path, e.direction, e.generation, e.attempt) for e in events if e.kind == "intent"}
    for e in events:
        if e.kind == "outcome" and e.direction in ("do", "undo"):
            assert (e.path, e.direction, e.generation, e.attempt) in intents
    closed = next((e.n for e in events if e.kind == "scope_closed"), None)
    if closed is not None:
        begun = {
            e.path for e in events if e.kind == "intent" and e.direction == "do" and e.n < closed
        }
        for e in events:
            if e.kind == "intent" and e.direction == "do" and e.n > closed:
                assert e.path in begun, "a forward call began after the scope had closed"
    state = begin(simulator.index, simulator.state.run_id)
    for e in events:
        apply(state, e)
    assert views.status_of_run(state) == simulator.status
    assert views.steps(state) == views.steps(simulator.state)
    assert views.effects(state) == views.effects(simulator.state)
    assert state.readiness == simulator.state.readiness
