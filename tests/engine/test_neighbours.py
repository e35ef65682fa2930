"""Runs of one log that touch one resource: allowed, waited for, or laid before people."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest

from sagalang.runtime import Log, Run, Saga
from sagalang.runtime.journal import Reader

from .childkit import Children
from .enginekit import World, at_end, hold, kinds, saga, until

GATE = 'gate go needs "ops" shows id'


def text(rule: str, *, impact: int = 1, more: str = "") -> str:
    """Two tools on resources of one kind, and a saga that uses them in turn."""

    def one(name: str) -> str:
        return f"""
tool {name}(id: str) -> str {{
  call python "{name}" (id, key: key)
  effect place(id) reversible impact {impact}
  idempotent by key
  {rule}
  undo undo_{name}(id)
}}
tool undo_{name}(id: str) -> json {{
  call python "undo_{name}" (id, key: key)
  effect place restoring idempotent by key
  retry 5 times every 10ms..20ms timeout 5s settle 0ms
}}"""

    return (
        one("a")
        + one("b")
        + f"""
saga s(id: str, other: str = "none") -> str {{
  step first = a(id)
  {more}
  step second = b(other)
  return second
}}"""
    )


@pytest.fixture(autouse=True)
def groups(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada"]\n')


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def held(world: World) -> Iterator[threading.Event]:
    """Stops the first call of `b` until it is set."""
    entered, leave = threading.Event(), threading.Event()
    world.before["b"] = hold(entered, leave)
    yield leave
    leave.set()


def made(world: World, rule: str, **more: object) -> Saga:
    return saga(text(rule, **more), world.add("a", "b"))  # type: ignore[arg-type]


def surveyed(run: Run) -> list[object]:
    """What each look of a run found."""
    return [e["data"]["runs"] for e in run.events() if e["status"] == "surveyed"]


def test_a_run_waits_until_the_other_one_is_over_and_says_so(
    log: Log, world: World, held: threading.Event
) -> None:
    s = made(world, "between runs wait")
    one = s.start(log, run_id="one", id="x", other="y")
    until(lambda: "b" in world.names())
    two = s.start(log, run_id="two", id="x", other="z")
    until(lambda: bool(two.waiting_for))
    assert two.status == "running", "it goes on by itself"
    [row] = two.waiting_for
    assert (row["kind"], row["path"], row["needs"]) == ("run", "first", "run one")
    assert world.names().count("a") == 1
    world.before.clear()
    held.set()
    assert (at_end(one), at_end(two)) == ("succeeded", "succeeded")
    assert surveyed(two) == [["one"], [], []]


def test_a_run_that_waits_for_another_can_stand_before_people_meanwhile(
    log: Log, world: World, held: threading.Event
) -> None:
    """Who waits for it is told, however long the other run takes."""
    one = made(world, "between runs wait").start(log, run_id="one", id="x", other="y")
    until(lambda: "b" in world.names())

    def lost(id: str, key: str) -> str:
        raise RuntimeError("the line went dead")

    unsure = """
tool c(id: str) -> str {
  call python "c" (id, key: key)
  effect seat(id) reversible
  on unknown escalate
  undo undo_a(id)
}
saga s(id: str) -> str {
  parallel {
    step first = a(id)
    step sure = c(id)
  }
  return first
}"""
    both = text("between runs wait").partition("saga s(")[0] + unsure
    two = saga(both, world.functions | {"c": lost}).start(log, run_id="two", id="x")
    assert at_end(two) == "escalated"
    assert ("run", "run one") in [(row["kind"], row["needs"]) for row in two.waiting_for]
    held.set()
    assert at_end(one) == "succeeded"


def test_other_things_are_no_reason_to_wait(log: Log, world: World, held: threading.Event) -> None:
    s = made(world, "between runs wait")
    one = s.start(log, run_id="one", id="x", other="y")
    until(lambda: "b" in world.names())
    world.before.clear()
    assert at_end(s.start(log, run_id="two", id="p", other="q")) == "succeeded"
    held.set()
    assert at_end(one) == "succeeded"


def test_a_tool_that_says_escalate_asks_people_who_may_let_it_go_on(
    log: Log, world: World, held: threading.Event
) -> None:
    s = made(world, "between runs escalate")
    one = s.start(log, run_id="one", id="x", other="y")
    until(lambda: "b" in world.names())
    world.before.clear()
    two = s.start(log, run_id="two", id="x", other="z")
    assert at_end(two) == "escalated"
    incident = two.to_json()["incident"]
    assert (incident["cause"], incident["path"]) == ("between_runs", "first")
    assert "place(x) is touched by one, which is not over" in incident["summary"]
    assert incident["answers"] == ["retry", "forward", "back"]
    two.resolve("first", "retry", by="ada")
    assert at_end(two) == "escalated", "it looked again, and the other one is still there"
    two.resolve("first", "forward", by="ada")
    assert at_end(two) == "succeeded"
    held.set()
    assert at_end(one) == "succeeded"


@pytest.mark.parametrize(
    ("rule", "impact", "looks"),
    [("", 7, True), ("", 6, False), ("commutes", 7, False), ("between runs allow", 9, False)],
)
def test_what_holds_where_nothing_is_said(
    log: Log, world: World, held: threading.Event, rule: str, impact: int, looks: bool
) -> None:
    s = made(world, rule, impact=impact)
    one = s.start(log, run_id="one", id="x", other="y")
    until(lambda: "b" in world.names())
    world.before.clear()
    two = s.start(log, run_id="two", id="x", other="z")
    assert at_end(two) == ("escalated" if looks else "succeeded")
    assert bool([k for k in kinds(two, "chosen") if k[3] == "announced"]) is looks
    held.set()
    assert at_end(one) == "succeeded"


def test_an_effect_that_was_undone_is_in_nobody_s_way(log: Log, world: World) -> None:
    s = made(world, "between runs wait", more=GATE)
    one = s.start(log, run_id="one", id="x", other="y")
    assert at_end(one) == "waiting"
    one.cancel(by="ada")
    assert at_end(one) == "cancelled"
    two = s.start(log, run_id="two", id="x", other="z")
    assert at_end(two) == "waiting"
    assert surveyed(two) == [[]]


def test_a_run_that_was_over_is_in_the_way_while_it_is_taken_back(log: Log, world: World) -> None:
    """Also when the first look of a process was at a time when it was over."""
    s = made(world, "between runs wait")
    one = s.start(log, run_id="one", id="x", other="y")
    assert at_end(one) == "succeeded"
    log.close()
    assert at_end(s.start(log, run_id="two", id="p", other="q")) == "succeeded"
    entered, leave = threading.Event(), threading.Event()
    world.before["-a"] = hold(entered, leave)
    one.roll_back(by="ada")
    assert entered.wait(20)
    three = s.start(log, run_id="three", id="x", other="z")
    until(lambda: bool(three.waiting_for) or three.status == "succeeded")
    assert [row["needs"] for row in three.waiting_for] == ["run one"]
    leave.set()
    assert (at_end(one), at_end(three)) == ("rolled_back", "succeeded")
    assert world.names() == ["a", "b", "a", "b", "-b", "-a", "a", "b"]


def test_a_run_that_another_living_process_owns_is_waited_for(log: Log, world: World) -> None:
    children = Children(log.path.parent, text("between runs wait"))
    (children.folder / "other.py").write_text(OTHER)
    process = children.start(program="other.py")
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "b"
    two = made(world, "between runs wait").start(log, run_id="two", id="x", other="z")
    until(lambda: bool(two.waiting_for))
    assert [(row["path"], row["needs"]) for row in two.waiting_for] == [("first", "run one")]
    assert Reader(log.path).owner_of("one").pid == process.pid
    assert world.names() == []
    (children.folder / "leave").touch()
    out, err = process.communicate(timeout=60)
    assert (out.strip(), err) == ("succeeded", "")
    assert at_end(two) == "succeeded"


def test_two_processes_on_one_resource_come_one_after_the_other(log: Log) -> None:
    children = Children(log.path.parent, text("between runs wait"))
    (children.folder / "many.py").write_text(MANY)
    both = [children.start(program="many.py", NAME=name) for name in ("p", "q")]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert (json.loads(out), err) == (["succeeded"] * 4, "")
    inside = [line.split()[1] for line in (children.folder / "inside").read_text().splitlines()]
    assert inside == ["in", "out"] * 8


OTHER = '''
"""Stays in the call of `b` until a file is there, and says that it is in it."""

import os, time

import msgspec
from sagalang.runtime import Log, Saga
from sagalang.runtime.plan import Plan

import world


def b(id, key):
    print("b", flush=True)
    while not os.path.exists("leave"):
        time.sleep(0.02)
    return world.b(id, key)


plan = msgspec.json.decode(open("plan.json", "rb").read(), type=Plan)
with Log("test.duckdb") as log:
    run = Saga(plan, {**vars(world), "b": b}).start(log, run_id="one", id="x", other="y")
    print(run.wait(60).status)
'''

MANY = '''
"""Starts four runs on one resource, and writes down when a run is between its two calls."""

import json, os

import msgspec
from sagalang.runtime import Log, Saga
from sagalang.runtime.plan import Plan

import world


def note(word, id):
    with open("inside", "a") as file:
        file.write(f"{id} {word}\\n")


def a(id, key):
    note("in", id)
    return world.a(id, key)


def b(id, key):
    found = world.b(id, key)
    note("out", id)
    return found


plan = msgspec.json.decode(open("plan.json", "rb").read(), type=Plan)
saga = Saga(plan, {**vars(world), "a": a, "b": b})
with Log("test.duckdb") as log:
    runs = [
        saga.start(log, run_id=os.environ["NAME"] + str(k), id="x", other="x") for k in range(4)
    ]
    print(json.dumps([run.wait(90).status for run in runs]))
'''


def test_a_run_that_nobody_owns_any_more_is_waited_for_too(log: Log, world: World) -> None:
    s = made(world, "between runs escalate", more=GATE)
    assert at_end(s.start(log, run_id="one", id="x", other="y")) == "waiting"
    log.close()
    two = s.start(log, run_id="two", id="x", other="z")
    assert at_end(two) == "escalated"
    assert "touched by one" in two.to_json()["incident"]["summary"]


def test_of_two_runs_that_wait_for_each_other_the_younger_asks_people(
    log: Log, world: World
) -> None:
    s = made(world, "between runs wait", more=GATE)
    one = s.start(log, run_id="one", id="x", other="y")
    two = s.start(log, run_id="two", id="y", other="x")
    assert (at_end(one), at_end(two)) == ("waiting", "waiting")
    one.approve("go", by="ada")
    until(lambda: bool(surveyed(one)) and surveyed(one)[-1] != [])
    two.approve("go", by="ada")
    assert at_end(two) == "escalated"
    assert "would wait for ever" in two.to_json()["incident"]["summary"]
    assert one.status == "running"
    two.resolve("second", "back", by="ada")
    assert (at_end(two), at_end(one)) == ("rolled_back", "succeeded")
    assert world.net("a") == 1


def test_many_runs_on_one_resource_come_one_after_another(log: Log, world: World) -> None:
    inside: list[int] = []
    most: list[int] = []

    def enter() -> None:
        inside.append(1)
        most.append(len(inside))

    world.before["a"] = enter
    world.after["b"] = inside.clear
    s = made(world, "between runs wait")
    runs = [s.start(log, run_id=f"r{k}", id="x", other="x") for k in range(6)]
    assert {at_end(run) for run in runs} == {"succeeded"}
    assert max(most) == 1
