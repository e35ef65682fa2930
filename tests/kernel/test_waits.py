"""Signals that are waited for, and sleeps."""

from __future__ import annotations

from typing import Any

import pytest

from sagalang.runtime.formula import Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import Node as Statement
from sagalang.runtime.simulator import Simulator

from .kit import World, each, plan, ref, returns, scope, sleep, step, wait
from .test_frames import A, B, C, D, items, replay, result, run, statuses


def waiting(**parts: Any) -> tuple[World, Simulator]:
    world = World()
    body: list[Statement] = [step(A), wait("w", **parts), step(B), returns(ref("w"))]
    simulator = Simulator(plan(body, [A, B, C, D]), {}, world)
    simulator.run(until=100)
    return world, simulator


def signal(simulator: Simulator, value: Any, path: str = "w") -> None:
    simulator.ask(Request("signal", actor="shop", path=path, value=value))


def test_a_run_waits_for_its_signal_and_goes_on_with_it() -> None:
    world, simulator = waiting()
    assert simulator.status == "waiting"
    rows = views.waiting_for(simulator.state)
    assert [(r["kind"], r["path"], r["needs"], r["until"]) for r in rows] == [
        ("signal", "w", "str", None)
    ]
    replay(simulator)
    signal(simulator, "paid")
    assert simulator.run() == "succeeded"
    assert result(simulator) == "paid"
    assert ("b", "b") in world.calls
    replay(simulator)


def test_a_signal_of_another_type_is_refused() -> None:
    _, simulator = waiting(type=Type("int"))
    with pytest.raises(Rejected, match="the signal for `w` does not fit"):
        signal(simulator, "paid")
    assert simulator.status == "waiting"


def test_a_signal_before_its_turn_is_kept() -> None:
    world = World()
    body: list[Statement] = [step(A), sleep(1_000), wait("w"), returns(ref("w"))]
    simulator = Simulator(plan(body, [A]), {}, world)
    simulator.run(until=100)
    signal(simulator, "early")
    simulator.crash()
    assert simulator.run() == "succeeded"
    assert result(simulator) == "early"


def test_one_wait_takes_one_signal() -> None:
    _, simulator = waiting()
    signal(simulator, "one")
    with pytest.raises(Rejected, match="has its signal already"):
        signal(simulator, "two")


def test_nothing_waits_where_nothing_waits() -> None:
    _, simulator = waiting()
    with pytest.raises(Rejected, match=r"nothing waits at `x`\. Waiting now: `w`\."):
        signal(simulator, "one", "x")
    signal(simulator, "one")
    simulator.run()
    with pytest.raises(Rejected, match="the run is over"):
        signal(simulator, "one")


@pytest.mark.parametrize(
    ("otherwise", "status"), [("rollback", "rolled_back"), ("continue", "succeeded")]
)
def test_a_wait_that_lapses_does_as_its_else_says(otherwise: str, status: str) -> None:
    world, simulator = waiting(within=1_000, otherwise=otherwise)
    assert simulator.run() == status
    if status == "succeeded":
        assert result(simulator) is None
    else:
        assert world.undone() == ["a"]
        assert simulator.state.error.type == "Lapsed"


@pytest.mark.parametrize(
    ("answer", "value", "status"),
    [("done", "late", "succeeded"), ("back", None, "rolled_back")],
)
def test_people_are_asked_when_its_else_says_so(answer: str, value: Any, status: str) -> None:
    _, simulator = waiting(within=1_000, otherwise="escalate")
    assert simulator.run() == "escalated"
    simulator.ask(Request("resolve", actor="ann", answer=answer, value=value))
    assert simulator.run() == status
    if value:
        assert result(simulator) == value


def test_a_wait_that_lapsed_can_wait_once_more() -> None:
    _, simulator = waiting(within=1_000, otherwise="escalate")
    simulator.run()
    with pytest.raises(Rejected, match="give it with --value"):
        simulator.ask(Request("resolve", actor="ann", answer="done"))
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    simulator.run(until=simulator.now + 10)
    assert simulator.status == "waiting"
    signal(simulator, "paid")
    assert simulator.run() == "succeeded"


def test_each_item_waits_for_a_signal_of_its_own() -> None:
    body: list[Statement] = [
        each("e", items("p", "q"), wait("w"), returns(ref("w")), by=ref("x"), at_once=2),
        returns(ref("e")),
    ]
    simulator = run(body)
    assert simulator.status == "waiting"
    assert [row["path"] for row in views.waiting_for(simulator.state)] == ['e["p"].w', 'e["q"].w']
    now = 'Waiting now: `e["p"].w`, `e["q"].w`. Did you mean `e["p"].w`?'
    for path, said in (
        ("w", f"nothing waits at `w`. {now}"),
        ("e[*].w", f"nothing waits at `e[*].w`: name the item in the brackets. {now}"),
        ('e["r"].w', f'nothing waits at `e["r"].w`: `e` has the items "p", "q". {now}'),
    ):
        with pytest.raises(Rejected) as caught:
            signal(simulator, "one", path)
        assert str(caught.value) == said
    signal(simulator, "one", 'e["q"].w')
    signal(simulator, "two", 'e["p"].w')
    assert simulator.run() == "succeeded"
    assert result(simulator) == ["two", "one"]


def test_a_wait_in_a_scope_that_went_back_takes_no_signal() -> None:
    body: list[Statement] = [
        scope("s", step(A), wait("w", within=1_000), otherwise=[sleep(5_000), step(B)])
    ]
    simulator = Simulator(plan(body, [A, B]), {}, World())
    simulator.run(until=3_000)
    with pytest.raises(Rejected, match="waits no more"):
        signal(simulator, "late", "s.w")
    assert simulator.run() == "succeeded"
    assert statuses(simulator) == {"s.a": "compensated", "s.else.b": "succeeded"}


def test_a_sleep_is_a_timer_that_outlives_its_process() -> None:
    world = World()
    simulator = Simulator(plan([step(A), sleep(10_000), step(B)], [A, B]), {}, world)
    simulator.run(until=4_000)
    assert simulator.status == "running", "nobody is waited for"
    rows = views.waiting_for(simulator.state)
    assert [(row["kind"], row["path"]) for row in rows] == [("timer", "sleep#1")]
    simulator.crash()
    simulator.run(until=9_000)
    assert ("b", "b") not in world.calls
    assert simulator.run() == "succeeded"
    assert 10_000 <= simulator.now < 10_100


def test_a_run_that_is_cancelled_waits_no_more() -> None:
    world, simulator = waiting()
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert world.undone() == ["a"]
    assert not views.waiting_for(simulator.state)
