"""Case 14: items are steps of their own, for undo and for a restart; the join runs once."""

from __future__ import annotations

from typing import Any

import pytest

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.plan import Plan
from sagalang.runtime.simulator import Reply, Simulator

from ..compiler.programs import compiled
from ..kernel.kit import raised, returned

SAGA = """
edition 2026
tool look(item: int) -> str? { call python "world:look" effect none retry forever }
tool make(item: int) -> str {
  call python "world:make" (item, idempotency_key: key)
  effect thing(item) reversible
  idempotent by key
  fails with Refused
  retry 2 times every 10ms..10ms
  timeout 1s settle 1s
  verify look(item)
  undo drop(item)
}
tool drop(item: int) -> json {
  call python "world:drop" (item, idempotency_key: key)
  effect thing restoring
  idempotent by key
  fails with Refused
  retry 3 times every 10ms..10ms
  timeout 1s settle 1s
}
tool join_up(parts: list[str]) -> str {
  call python "world:join" (parts, idempotency_key: key)
  effect whole reversible
  idempotent by key
  retry forever every 10ms..10ms
  undo drop(0)
}
saga s14(items: list[int]) -> str {
  each made = item in items by item at most 2 at once {
    step one = make(item)
    return one
  }
  step whole = join_up(made)
  return whole
}
"""


class World:
    """What is there, and every call that was made; `slow` items take longer than others."""

    def __init__(self, refuse: int = 0, keep: int = 0, slow: int = 0) -> None:
        self.refuse, self.keep, self.slow = refuse, keep, slow
        self.there: set[int] = set()
        self.keys: set[str] = set()
        self.made: list[int] = []
        self.undone: list[int] = []
        self.joined: list[list[str]] = []

    def __call__(self, call: Call) -> Reply:
        item = int(call.args.get("item", 0))
        match call.tool:
            case "look":
                return returned(f"part {item}" if item in self.there else None)
            case "make" if item == self.refuse:
                return raised("Refused", takes=5)
            case "make":
                if call.key not in self.keys:
                    self.keys.add(call.key)
                    self.there.add(item)
                    self.made.append(item)
                return returned(f"part {item}", takes=60 if item == self.slow else 3)
            case "drop" if item == self.keep:
                return raised("Refused")
            case "drop":
                self.there.discard(item)
                self.undone.append(item)
                return returned({})
            case _:
                if call.key not in self.keys:
                    self.keys.add(call.key)
                    self.joined.append(list(call.args["parts"]))
                return returned("whole")


@pytest.fixture(scope="module")
def plan() -> Plan:
    return compiled(SAGA).plans["s14"]


def started(plan: Plan, world: World, count: int) -> Simulator:
    return Simulator(plan, {"items": list(range(1, count + 1))}, world)


def statuses(simulator: Simulator) -> dict[str, Any]:
    return {row["path"]: row["status"] for row in views.steps(simulator.state)}


def test_what_is_in_flight_settles_and_all_goes_back_in_reverse(plan: Plan) -> None:
    world = World(refuse=3, slow=4)
    simulator = started(plan, world, 5)
    assert simulator.run() == "rolled_back"
    assert sorted(world.made) == [1, 2, 4]
    assert world.undone == [4, 2, 1]
    assert world.there == set()
    found = statuses(simulator)
    assert found["made[3].one"] == "failed"
    assert "made[5].one" not in found or found["made[5].one"] == "skipped"
    assert found["whole"] == "skipped"
    assert world.joined == []


@pytest.mark.parametrize("at", range(0, 70, 3))
def test_a_restart_repeats_nothing_and_joins_once(plan: Plan, at: int) -> None:
    world = World(slow=2)
    simulator = started(plan, world, 5)
    simulator.run(until=at)
    simulator.crash()
    assert simulator.run() == "succeeded"
    assert sorted(world.made) == [1, 2, 3, 4, 5]
    assert world.joined == [[f"part {number}" for number in range(1, 6)]]


def test_an_empty_list_joins_nothing_once(plan: Plan) -> None:
    world = World()
    assert started(plan, world, 0).run() == "succeeded"
    assert world.joined == [[]]


def test_five_hundred_items_are_fixed_when_they_begin(plan: Plan) -> None:
    world = World()
    simulator = started(plan, world, 500)
    assert simulator.run() == "succeeded"
    assert len(world.joined[0]) == 500
    fixed = [e for e in simulator.events if e.path == "made" and e.status == "items"]
    assert len(fixed) == 1
    assert fixed[0].result == list(range(1, 501))


def test_a_refused_undo_names_its_item_and_leaves_what_is_before_it(plan: Plan) -> None:
    world = World(refuse=3, keep=2)
    simulator = started(plan, world, 5)
    assert simulator.run() == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert incident.path == "made[2].one"
    assert statuses(simulator)["made[2].one"] == "compensation_failed"
    assert 1 in world.there
