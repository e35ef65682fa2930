"""Scopes and loops: what runs, what is rolled back alone, what goes on after it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import pytest
from msgspec import structs

from sagalang.runtime.formula import Formula, ListOf, Literal
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.forking import fork
from sagalang.runtime.plan import Let, Node as Statement
from sagalang.runtime.simulator import Simulator
from sagalang.runtime.values import Record, decode

from .kit import (
    JSON,
    World,
    each,
    first,
    following,
    item,
    parallel,
    plan,
    raised,
    ref,
    repeat,
    returned,
    returns,
    scope,
    step,
    text,
    tool,
)

A, B, C, D = (tool(name) for name in "abcd")


def run(body: Sequence[Statement], world: World | None = None, **parts: Any) -> Simulator:
    used = parts.pop("tools", [A, B, C, D])
    simulator = Simulator(plan(body, used, **parts), {}, world or World())
    simulator.run()
    replay(simulator)
    return simulator


def replay(simulator: Simulator) -> None:
    """The same events give the same state and the same commands."""
    before = (views.steps(simulator.state), simulator.status, sorted(simulator.state.agenda))
    simulator.crash()
    assert (views.steps(simulator.state), simulator.status) == before[:2]


def items(*names: str) -> Formula:
    return Formula(ListOf(tuple(Literal(name) for name in names)), JSON, "items")


def statuses(simulator: Simulator) -> dict[str, str]:
    return {row["path"]: row["status"] for row in views.steps(simulator.state)}


def result(simulator: Simulator) -> Any:
    return decode(simulator.state.result)


# --- scope ---------------------------------------------------------------------------------------


def test_a_scope_is_a_record_of_its_steps_outside() -> None:
    simulator = run([scope("s", step(A), step(B)), returns(ref("s.b.id"))])
    assert simulator.status == "succeeded"
    assert result(simulator) == "b"
    assert statuses(simulator) == {"s.a": "succeeded", "s.b": "succeeded"}


def test_a_failed_scope_is_rolled_back_alone_and_its_else_runs() -> None:
    world = World()
    world.script("c", raised("Refused"))
    body: list[Statement] = [
        step(A),
        scope("s", step(B), step(C), otherwise=[step(D)]),
        returns(ref("s")),
    ]
    simulator = run(body, world)
    assert simulator.status == "succeeded"
    assert world.undone() == ["b"]
    assert statuses(simulator) == {
        "a": "succeeded",
        "s.b": "compensated",
        "s.c": "failed",
        "s.else.d": "succeeded",
    }
    assert result(simulator) == Record("s.record", {"b": None, "c": None, "d": {"id": "d"}})
    closed = [e.path for e in simulator.events if e.kind == "scope_closed"]
    assert closed == ["s"]


def test_an_empty_else_goes_on_without() -> None:
    world = World()
    world.script("b", raised("Refused"))
    simulator = run([step(A), scope("s", step(B), otherwise=[]), step(C)], world)
    assert simulator.status == "succeeded"
    assert world.calls == [("a", "a"), ("b", "b"), ("c", "c")]


def test_without_else_the_failure_goes_outwards() -> None:
    world = World()
    world.script("c", raised("Refused"))
    simulator = run([step(A), scope("s", step(B), step(C)), step(D)], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "a"]
    closed = [e.path for e in simulator.events if e.kind == "scope_closed"]
    assert closed == ["s", ""]
    assert simulator.state.error.type == "Refused"


def test_an_else_that_fails_goes_outwards() -> None:
    world = World()
    world.script("b", raised("Refused"))
    world.script("d", raised("Refused"))
    body: list[Statement] = [step(A), scope("s", step(B), otherwise=[step(C), step(D)])]
    simulator = run(body, world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["c", "a"]


def test_a_scope_inside_a_scope_fails_into_the_nearest_else() -> None:
    world = World()
    world.script("c", raised("Refused"))
    inner = scope("t", step(B), step(C))
    simulator = run([scope("s", step(A), inner, otherwise=[step(D)])], world)
    assert simulator.status == "succeeded"
    assert world.undone() == ["b", "a"]
    assert statuses(simulator)["s.else.d"] == "succeeded"


def test_a_scope_reads_what_stands_outside() -> None:
    inside = structs.replace(step(B), args=(structs.replace(step(B).args[0], value=ref("a.id")),))
    simulator = run([step(A), scope("s", inside)])
    assert simulator.status == "succeeded"
    assert ("b", "a") in simulator.world.calls  # type: ignore[attr-defined]


# --- each ----------------------------------------------------------------------------------------


def test_each_gives_the_list_of_its_returns_in_item_order() -> None:
    body: list[Statement] = [
        each("e", items("p", "q"), item("a", A), returns(ref("a.id"))),
        returns(ref("e")),
    ]
    simulator = run(body)
    assert result(simulator) == ["p", "q"]
    assert list(statuses(simulator)) == ["e[0].a", "e[1].a"]


def test_an_item_is_named_by_its_key() -> None:
    body: list[Statement] = [each("e", items("p", 'say "q"'), item("a", A), by=ref("x"))]
    simulator = run(body)
    assert list(statuses(simulator)) == ['e["p"].a', 'e["say \\"q\\""].a']


def test_two_items_with_one_key_fail_before_anything_is_called() -> None:
    world = World()
    simulator = run([each("e", items("p", "p"), item("a", A), by=ref("x"))], world)
    assert simulator.status == "rolled_back"
    assert not world.calls
    assert 'the same key "p"' in simulator.state.error.message


def test_so_many_items_run_at_one_time_as_the_saga_says() -> None:
    open_now, most = 0, 0
    body: list[Statement] = [each("e", items(*"pqrst"), item("a", A), at_once=2)]
    simulator = run(body)
    for event in simulator.events:
        if event.direction == "do":
            open_now += {"intent": 1, "outcome": -1}.get(event.kind, 0)
            most = max(most, open_now)
    assert most == 2
    begun = [e.path for e in simulator.events if e.kind == "intent"]
    assert begun == [f"e[{k}].a" for k in range(5)]


def test_an_empty_each_gives_an_empty_list() -> None:
    simulator = run([each("e", items(), item("a", A)), returns(ref("e"))])
    assert result(simulator) == []


def failing_on(world: World, *things: str) -> None:
    def reply(call: Any) -> Any:
        if call.args["id"] in things:
            return raised("Refused")
        return world.well(call)

    world.script("b", *[reply] * 50)


def test_an_item_that_fails_takes_the_whole_back() -> None:
    world = World()
    failing_on(world, "q")
    simulator = run([each("e", items("p", "q", "r"), item("a", A), item("b", B))], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["q", "p", "p"]
    assert ("a", "r") not in world.calls


def test_a_tolerated_item_is_rolled_back_alone_and_gives_none() -> None:
    world = World()
    failing_on(world, "q")
    body: list[Statement] = [
        each(
            "e", items("p", "q", "r"), item("a", A), item("b", B), returns(ref("b.id")), tolerate=1
        ),
        returns(ref("e")),
    ]
    simulator = run(body, world)
    assert simulator.status == "succeeded"
    assert result(simulator) == ["p", None, "r"]
    assert world.undone() == ["q"]


def test_one_failure_more_than_tolerated_goes_outwards() -> None:
    world = World()
    failing_on(world, "q", "r")
    body: list[Statement] = [each("e", items(*"pqrs"), item("a", A), item("b", B), tolerate=1)]
    simulator = run(body, world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["q", "r", "p", "p"]
    assert ("a", "s") not in world.calls


@pytest.mark.parametrize(("width", "most"), [(1, 1), (3, 3)])
def test_items_are_undone_so_many_at_one_time(width: int, most: int) -> None:
    world = World()
    world.script("c", raised("Refused"))
    body: list[Statement] = [
        each("e", items(*"pqrst"), item("a", A), item("b", B), undo_at_once=width),
        step(C),
    ]
    simulator = run(body, world)
    assert simulator.status == "rolled_back"
    now = seen = 0
    lanes: dict[str, list[str]] = {}
    for event in simulator.events:
        if event.direction == "undo" and event.kind in ("intent", "outcome"):
            now += 1 if event.kind == "intent" else -1
            seen = max(seen, now)
        if event.direction == "undo" and event.kind == "intent":
            lanes.setdefault(event.path.split(".")[0], []).append(event.path.split(".")[1])
    assert seen == most
    assert all(order == ["b", "a"] for order in lanes.values())


# --- first ---------------------------------------------------------------------------------------


def test_the_first_item_that_succeeds_is_the_value() -> None:
    world = World()
    failing_on(world, "p")
    body: list[Statement] = [
        first("f", items("p", "q", "r"), item("a", A), item("b", B), returns(ref("x"))),
        returns(ref("f")),
    ]
    simulator = run(body, world)
    assert result(simulator) == "q"
    assert world.undone() == ["p"]
    assert ("a", "r") not in world.calls


def test_a_first_that_finds_nobody_fails() -> None:
    world = World()
    failing_on(world, "p", "q")
    simulator = run([step(C), first("f", items("p", "q"), item("a", A), item("b", B))], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["p", "q", "c"]
    assert "none of 2 items" in simulator.state.error.message


def test_a_first_over_nothing_fails() -> None:
    simulator = run([step(C), first("f", items(), item("a", A))])
    assert simulator.status == "rolled_back"
    assert "none of 0 items" in simulator.state.error.message


# --- repeat --------------------------------------------------------------------------------------


def rounds(limit: int, world: World) -> Simulator:
    body: list[Statement] = [
        repeat(
            "r", text("p"), item("a", A), returns(ref("x")), following(ref("a.more")), limit=limit
        ),
        returns(ref("r")),
    ]
    return run(body, world)


def test_repeat_goes_on_until_next_is_none() -> None:
    world = World()
    world.script("a", returned({"more": "q"}), returned({"more": "r"}), returned({"more": None}))
    simulator = rounds(3, world)
    assert result(simulator) == ["p", "q", "r"]
    assert list(statuses(simulator)) == ["r[0].a", "r[1].a", "r[2].a"]


def test_a_round_too_many_fails() -> None:
    world = World()
    world.script("a", *[returned({"more": "q"})] * 3)
    simulator = rounds(2, world)
    assert simulator.status == "rolled_back"
    assert "not done after 2 rounds" in simulator.state.error.message
    assert len(world.undone()) == 2


# --- together ------------------------------------------------------------------------------------


def test_an_outer_failure_lets_an_inner_rollback_finish_first() -> None:
    world = World()
    world.script("b", raised("Refused", takes=10))
    world.script("c", raised("Refused", takes=12))
    slow = tool("a", undos=A.undos)
    inner = scope("s", step(A), step(B), otherwise=[step(D)])
    world.script("un_a", lambda call: world.well(call, 100))
    simulator = run([parallel(inner, step(C))], world, tools=[slow, B, C, D])
    assert simulator.status == "rolled_back"
    assert world.undone() == ["a"]
    assert ("d", "d") not in world.calls


def test_values_of_an_item_are_its_own() -> None:
    let = Let(path="y", name="y", value=ref("x"))
    body: list[Statement] = [
        each("e", items("p", "q"), let, returns(ref("y")), at_once=2),
        returns(ref("e")),
    ]
    assert result(run(body)) == ["p", "q"]


def work(size: int, *, failing: bool, **parts: Any) -> int:
    """How many functions are called while an `each` of so many items is run (and taken back)."""
    world = World()
    names = [f"k{k}" for k in range(size)]
    world.script("b" if failing else "c", *[raised("Refused")] * size)
    body: list[Statement] = [each("e", items(*names), item("a", A), item("b", B), **parts), step(C)]
    simulator = Simulator(plan(body, [A, B, C]), {}, world)
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        simulator.run()
    finally:
        sys.setprofile(None)
    assert simulator.status == ("succeeded" if failing else "rolled_back")
    return calls


@pytest.mark.parametrize(
    ("failing", "parts"),
    [
        (False, {"at_once": 1}),
        (False, {"at_once": 50, "undo_at_once": 50}),
        (True, {"at_once": 50, "tolerate": 1_000}),
        (True, {"at_once": 1, "tolerate": 1_000}),
    ],
)
def test_twice_as_many_items_are_twice_the_work(failing: bool, parts: dict[str, int]) -> None:
    once, twice = (work(size, failing=failing, **parts) for size in (60, 120))
    assert twice < 2.05 * once


def test_a_fork_goes_its_own_way() -> None:
    world = World()
    world.script("b", lambda call: world.well(call, 100))
    body: list[Statement] = [
        each("e", items("p", "q"), item("a", A), item("b", B), returns(ref("x"))),
        returns(ref("e")),
    ]
    simulator = Simulator(plan(body, [A, B]), {}, world)
    simulator.run(until=50)
    forked = fork(simulator.state)
    assert simulator.run() == "succeeded"
    assert forked.steps["e[0].b"].phase == "called"
    assert (
        forked.steps["e[0].b"].frame is forked.frames["e[0]"] is not simulator.state.frames["e[0]"]
    )
    assert forked.frames["e[0]"].parent is forked.root
