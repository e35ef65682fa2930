"""Unordered steps that meet on one resource: one after another, unless they commute (R506)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.plan import Argument, Effect, Step, Tool
from sagalang.runtime.simulator import Reply, Simulator

from .kit import World, parallel, plan, raised, ref, returned, step, text, tool


def of(called: Tool, name: str, thing: str, **parts: Any) -> Step:
    """A step that calls a tool on a thing."""
    return step(called, name=name, args=(Argument(name="id", value=text(thing)),), **parts)


class Busy(World):
    """A service that notes which things are touched by two calls at one time."""

    def __init__(self) -> None:
        super().__init__()
        self.now: dict[str, int] = {}
        self.met: set[str] = set()
        self.most = 0

    def __call__(self, call: Call) -> Reply:
        if call.tool == "look":
            return returned(None)
        thing = str(call.args["id"])
        self.calls.append((call.path, thing))
        self.now[thing] = self.now.get(thing, 0) + 1
        if self.now[thing] > 1:
            self.met.add(thing)
        self.most = max(self.most, sum(self.now.values()))
        scripted = self.scripts.get(call.path)
        reply = scripted.pop(0) if scripted else returned(takes=100)
        assert isinstance(reply, Reply)

        def leave() -> None:
            self.now[thing] -= 1

        return Reply(reply.answer, reply.takes, leave, reply.takes)


def run(steps: Sequence[Step], tools: Sequence[Tool], **scripts: Any) -> tuple[Busy, Simulator]:
    """Runs steps beside each other."""
    world = Busy()
    for path, replies in scripts.items():
        world.script(path, *replies)
    simulator = Simulator(plan([parallel(*steps)], tools), {}, world)
    simulator.run()
    return world, simulator


def test_equal_resources_are_touched_one_after_another_in_the_order_of_the_plan() -> None:
    a = tool("a")
    world, simulator = run([of(a, "x", "t"), of(a, "y", "t"), of(a, "z", "t")], [a])
    assert simulator.status == "succeeded"
    assert world.met == set()
    assert [path for path, _ in world.calls] == ["x", "y", "z"]


def test_distinct_resources_are_touched_at_one_time() -> None:
    a = tool("a")
    world, simulator = run([of(a, "x", "s"), of(a, "y", "t")], [a])
    assert simulator.status == "succeeded"
    assert world.most == 2


@pytest.mark.parametrize("commutes", [True, False])
def test_calls_of_a_tool_that_commutes_may_meet(commutes: bool) -> None:
    a = tool("a", commutes=commutes)
    world, _ = run([of(a, "x", "t"), of(a, "y", "t")], [a])
    assert (world.met == {"t"}) is commutes


@pytest.mark.parametrize("side", ["a", "b"])
def test_two_tools_that_commute_may_meet_whichever_says_so(side: str) -> None:
    a = tool("a", commutes_with=("b",) if side == "a" else ())
    b = tool("b", commutes_with=("a",) if side == "b" else ())
    world, _ = run([of(a, "x", "t"), of(b, "y", "t")], [a, b])
    assert world.met == {"t"}


def test_a_tool_that_commutes_with_itself_does_not_commute_with_others() -> None:
    a, b = tool("a", commutes=True), tool("b", commutes=True)
    world, _ = run([of(a, "x", "t"), of(b, "y", "t")], [a, b])
    assert world.met == set()


@pytest.mark.parametrize("turned", [False, True])
def test_a_whole_kind_meets_each_of_its_things(turned: bool) -> None:
    whole = tool("whole", effects=(Effect(kind="thing", effect_class="reversible"),))
    part = tool("part")
    steps = [of(whole, "w", "s"), of(part, "p", "t"), of(part, "q", "u")]
    world, simulator = run(steps[::-1] if turned else steps, [whole, part])
    assert simulator.status == "succeeded"
    assert [path for path, _ in world.calls] == (["q", "p", "w"] if turned else ["w", "p", "q"])
    assert world.most == 2, "the things of a kind do not meet each other"


def test_another_kind_with_the_same_id_is_another_resource() -> None:
    def kind(name: str) -> Tool:
        effect = Effect(kind=name, ids=(ref("id"),), effect_class="reversible")
        return tool(name, effects=(effect,))

    a, b = kind("a"), kind("b")
    world, _ = run([of(a, "x", "t"), of(b, "y", "t")], [a, b])
    assert world.most == 2


def test_an_unknown_outcome_holds_its_resource_until_it_is_settled() -> None:
    a, b = tool("a", verify=True), tool("b")
    lost = raised("ConnectionError", takes=100)
    world, simulator = run([of(a, "x", "t"), of(b, "y", "t")], [a, b], x=[lost])
    assert simulator.status == "succeeded"
    [begun] = [e.elapsed for e in simulator.events if (e.kind, e.path) == ("intent", "y")]
    assert begun >= 5_000, "until then the lost call could still land"
    assert world.met == set()


def test_a_call_that_failed_lets_the_next_one_go() -> None:
    a = tool("a")
    x = of(a, "x", "t", on_failure="continue")
    world, simulator = run([x, of(a, "y", "t")], [a], x=[raised("Refused", takes=50)])
    assert simulator.status == "succeeded"
    assert [path for path, _ in world.calls] == ["x", "y"]


def test_a_call_that_waits_to_be_tried_again_holds_nothing() -> None:
    a = tool("a")
    steps = [of(a, "x", "t"), of(a, "y", "t")]
    world, simulator = run(steps, [a], x=[raised("Transient", takes=10)])
    assert simulator.status == "succeeded"
    assert world.met == set()


@pytest.mark.parametrize("at", range(0, 400, 50))
def test_a_crash_changes_nothing_of_it(at: int) -> None:
    a = tool("a", settle=1, verify=True)
    world = Busy()
    steps = [of(a, name, "t") for name in "xyz"]
    simulator = Simulator(plan([parallel(*steps)], [a]), {}, world)
    simulator.run(until=at)
    simulator.crash()
    assert simulator.run() == "succeeded"
    assert {path for path, _ in world.calls} == {"x", "y", "z"}
