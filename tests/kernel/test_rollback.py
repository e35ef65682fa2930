"""Rolling back: order, siblings, undos that fail, crashes in the middle (cases 1, 2, 4, 5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.simulator import Reply, Simulator

from .kit import Rule, World, parallel, plan, raised, returned, step, tool


def events(simulator: Simulator, kind: str, **match: Any) -> list[Event]:
    return [
        e
        for e in simulator.events
        if e.kind == kind and all(getattr(e, k) == v for k, v in match.items())
    ]


def after(world: World, takes: int) -> Rule:
    """A call that is carried out at once and answers after `takes` milliseconds."""

    def reply(call: Call) -> Reply:
        return world.well(call, takes)

    return reply


def case_1(right_takes: int) -> tuple[World, Simulator]:
    names = ("l1", "l2", "r1", "j")
    tools = [tool(n) for n in names]
    l1, l2, r1, j = tools
    body = [parallel(step(l1), step(l2, waits=["l1"]), step(r1), step(j, waits=["l2", "r1"]))]
    world = World()
    world.script("l1", after(world, 100))
    world.script("l2", after(world, 300))
    world.script("r1", after(world, right_takes))
    world.script("j", raised("Refused"))
    for name in ("un_l1", "un_l2", "un_r1"):
        world.script(name, after(world, 100))
    return world, Simulator(plan(body, tools), {}, world)


def test_undos_run_in_the_reverse_order_of_confirmation() -> None:
    world, simulator = case_1(right_takes=250)
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["l2", "r1", "l1"]


def test_the_order_is_that_of_the_log_not_of_the_text() -> None:
    world, simulator = case_1(right_takes=50)
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["l2", "l1", "r1"]


def test_never_two_undos_at_once() -> None:
    _, simulator = case_1(right_takes=250)
    simulator.run()
    open_now = 0
    for event in simulator.events:
        if event.direction == "undo" and event.kind in ("intent", "outcome"):
            open_now += 1 if event.kind == "intent" else -1
            assert open_now <= 1


def test_a_rollback_that_is_interrupted_goes_on_where_it_was() -> None:
    world, simulator = case_1(right_takes=250)
    while not events(simulator, "chosen", path="l2", status="undone"):
        simulator.run(until=simulator.now + 1)
    simulator.crash()
    assert simulator.run() == "rolled_back"
    assert list(dict.fromkeys(world.undone())) == ["l2", "r1", "l1"]
    assert all(net == 0 for net in world.net.values())


Behaviour = Callable[[World], Reply | Rule]


def slow(world: World) -> Rule:
    return after(world, 200)


def losing(world: World) -> Rule:
    return world.lose


def sibling(x: Behaviour, slots: int | None = None, **parts: Any) -> tuple[World, Simulator]:
    a, b, z = tool("x", **parts), tool("y"), tool("z")
    body = [parallel(step(a), step(b), step(z, waits=["x"]))]
    world = World()
    world.script("x", x(world))
    world.script("y", raised("Refused", takes=50))
    return world, Simulator(plan(body, [a, b, z]), {}, world, slots=slots)


def test_a_running_sibling_settles_before_anything_is_undone() -> None:
    world, simulator = sibling(slow)
    assert simulator.run() == "rolled_back"
    settled = events(simulator, "outcome", path="x", direction="do")[0].n
    assert all(e.n > settled for e in events(simulator, "intent", direction="undo"))
    assert ("z", "z") not in world.calls
    assert world.net["x"] == 0


def test_a_sibling_that_has_no_slot_yet_never_starts() -> None:
    a, b = tool("y"), tool("x")
    world = World()
    world.script("y", raised("Refused", takes=50))
    simulator = Simulator(plan([parallel(step(a), step(b))], [a, b]), {}, world, slots=1)
    assert simulator.run() == "rolled_back"
    assert world.calls == [("y", "y")]
    assert {s["path"]: s["status"] for s in views.steps(simulator.state)}["x"] == "skipped"


def test_an_error_of_a_sibling_is_no_proof_that_nothing_happened() -> None:
    world, simulator = sibling(losing, verify=True)
    assert simulator.run() == "rolled_back"
    assert ("un_x", "x") in world.calls
    assert world.net["x"] == 0


def four(undo_b: list[Reply], **parts: Any) -> tuple[World, Simulator]:
    tools = [tool(n, **parts) for n in "abcd"]
    world = World()
    world.script("d", raised("Refused"))
    world.script("un_b", *undo_b)
    return world, Simulator(plan([step(t) for t in tools], tools), {}, world)


@pytest.mark.parametrize(
    ("answers", "tries"),
    [([raised("Refused")] * 9, 1), ([raised("Transient")] * 9, 3)],
    ids=["refused for good", "transient for ever"],
)
def test_an_undo_that_fails_stops_the_unwinding_there(answers: list[Reply], tries: int) -> None:
    world, simulator = four(answers)
    assert simulator.run() == "escalated"
    assert world.undone() == ["c", *["b"] * tries]
    keys = {e.key for e in events(simulator, "intent", path="b", direction="undo")}
    assert len(keys) == 1 and keys.pop().startswith("COMP-")
    states = {s["path"]: s["status"] for s in views.steps(simulator.state)}
    assert states == {
        "a": "succeeded",
        "b": "compensation_failed",
        "c": "compensated",
        "d": "failed",
    }
    before = len(simulator.events)
    for _ in range(3):
        simulator.crash()
        assert simulator.run() == "escalated"
    assert len(simulator.events) == before


@pytest.mark.parametrize(
    ("answer", "reason", "status", "net_b"),
    [
        ("retry", "", "rolled_back", 0),
        ("done", "", "rolled_back", 1),
        ("skip", "it may stay", "partly_rolled_back", 1),
    ],
)
def test_people_answer_a_failed_undo(answer: str, reason: str, status: str, net_b: int) -> None:
    world, simulator = four([raised("Refused")])
    simulator.run()
    simulator.ask(Request("resolve", actor="ann", path="b", answer=answer, reason=reason))
    assert simulator.run() == status
    assert world.net["a"] == world.net["c"] == 0
    assert world.net["b"] == net_b
    assert events(simulator, "resolved")[0].actor == "ann"


def test_a_word_that_an_undo_was_done_by_hand_is_checked_where_it_can_be() -> None:
    world, simulator = four([raised("Refused")] * 9, verify=True, consistent=500)
    assert simulator.run() == "escalated"
    said = Request("resolve", actor="ann", path="b", answer="done")
    simulator.ask(said)
    begun = simulator.now
    assert simulator.run() == "escalated", "it is still there"
    assert simulator.now - begun >= 500, "a read that lags might not have known yet"
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "undo_failed"
    assert incident.summary == "`b` was undone by hand, but its verify says `applied` all the same"
    assert [name for name, _ in world.calls].count("un_b") == 1, "people's work is not done over"
    assert world.net["b"] == world.net["a"] == 1
    for _ in range(2):
        simulator.crash()
        assert simulator.run() == "escalated"

    # Now it has really been done; then the unwinding goes on.
    world.net["b"] = 0
    simulator.ask(said)
    assert simulator.run() == "rolled_back"
    assert world.net["a"] == 0
    assert world.undone() == ["c", "b", "a"]


def test_a_word_about_an_undo_is_taken_where_the_verify_says_nothing() -> None:
    world, simulator = four([raised("Refused")], verify=True)
    simulator.run()
    world.script("look", *[raised("Down")] * 9)
    simulator.ask(Request("resolve", actor="ann", path="b", answer="done"))
    assert simulator.run() == "rolled_back"


def test_an_undo_that_crashed_after_it_landed_is_not_done_twice() -> None:
    tools = [tool(n, verify=True) for n in "abc"]
    d = tool("d")
    for honours_keys in (True, False):
        world = World(honours_keys=honours_keys)
        world.script("d", raised("Refused"))
        simulator = Simulator(plan([step(t) for t in [*tools, d]], [*tools, d]), {}, world)
        while ("un_b", "b") not in world.calls:
            simulator.run(until=simulator.now + 1)
            if simulator.now > 50:
                break
        assert not events(simulator, "outcome", path="b", direction="undo")
        simulator.crash()
        assert simulator.run() == "rolled_back"
        assert world.undone() == ["c", "b", "a"]
        calls = len(world.calls)
        simulator.crash()
        assert simulator.run() == "rolled_back"
        assert len(world.calls) == calls


def test_a_step_that_goes_on_after_failure_is_no_failure_of_the_saga() -> None:
    a, b = tool("a"), tool("b")
    world = World()
    world.script("a", raised("Refused"))
    simulator = Simulator(plan([step(a, on_failure="continue"), step(b)], [a, b]), {}, world)
    assert simulator.run() == "succeeded"
    assert world.net == {"b": 1}


def test_rolling_back_many_steps_is_linear_in_events() -> None:
    def count(size: int) -> int:
        tools = [tool(f"t{k}") for k in range(size)] + [tool("last")]
        world = World()
        world.script("last", raised("Refused"))
        simulator = Simulator(plan([step(t) for t in tools], tools), {}, world)
        assert simulator.run() == "rolled_back"
        assert world.undone() == [f"t{k}" for k in reversed(range(size))]
        return len(simulator.events)

    assert count(200) - count(100) == count(300) - count(200)


def test_an_undo_that_its_verify_does_not_see_says_so() -> None:
    a, b = tool("a", verify=True), tool("b")
    world = World()
    world.script("b", raised("Refused"))
    world.script("un_a", *[returned("ok")] * 9)
    simulator = Simulator(plan([step(a), step(b)], [a, b]), {}, world)
    assert simulator.run() == "escalated"
    asked = views.open_incident(simulator.state)
    assert asked is not None
    assert asked.summary.endswith("it answered, and its verify says `applied` all the same")
