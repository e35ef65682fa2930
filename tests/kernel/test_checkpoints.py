"""Checkpoints that the kernel takes by itself: where, how often, and how one goes back to them."""

from __future__ import annotations

from typing import Any

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.formula import Formula, Literal
from sagalang.runtime.kernel.decide import begin, decide
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.kernel.sites import HIGH_IMPACT
from sagalang.runtime.plan import Checkpoint, Node as Statement
from sagalang.runtime.simulator import Simulator

from .kit import JSON, World, each, item, parallel, plan, raised, step, tool


def items(*names: str) -> Formula:
    return Formula(Literal(list(names)), JSON, repr(names))


def run(body: list[Statement], tools: list[Any], world: World | None = None) -> Simulator:
    simulator = Simulator(plan(body, tools), {}, world or World())
    simulator.run()
    return simulator


def taken(simulator: Simulator) -> list[Event]:
    return [event for event in simulator.events if event.kind == "checkpointed"]


def names(simulator: Simulator) -> list[str]:
    return [event.status for event in taken(simulator)]


def test_a_state_is_kept_before_the_call_of_a_step_of_high_impact() -> None:
    a, b = tool("a"), tool("b", impact=HIGH_IMPACT)
    simulator = run([step(a), step(b)], [a, b])
    (kept,) = taken(simulator)
    assert (kept.path, kept.status) == ("b.checkpoint", "before:b")
    assert kept.data == {"step": "b", "impact": HIGH_IMPACT}
    after = simulator.events[kept.n]
    assert (after.kind, after.path) == ("intent", "b")
    landed = simulator.events[kept.cause - 1]
    assert (landed.kind, landed.path) == ("outcome", "a")


@pytest.mark.parametrize(("impact", "kept"), [(HIGH_IMPACT - 1, []), (HIGH_IMPACT, ["before:b"])])
def test_the_limit_of_high_impact(impact: int, kept: list[str]) -> None:
    a, b = tool("a"), tool("b", impact=impact)
    assert names(run([step(a), step(b)], [a, b])) == kept


def test_none_where_nothing_has_landed_yet_or_since_the_last_one() -> None:
    a, b, c = tool("a", impact=9), tool("b", impact=9), tool("c", impact=9)
    assert names(run([step(a)], [a])) == []
    written = Checkpoint(path="paid", name="paid")
    assert names(run([step(a), written, step(b)], [a, b])) == ["paid"]
    beside = run([step(a), parallel(step(b), step(c))], [a, b, c])
    assert names(beside) == ["before:b"]


def test_each_checkpoint_names_the_one_before_it() -> None:
    a, b, c = tool("a"), tool("b", impact=9), tool("c", impact=9)
    first, second = taken(run([step(a), step(b), step(c)], [a, b, c]))
    assert "parent" not in first.data
    assert second.data["parent"] == first.n


def test_a_state_is_kept_before_a_call_that_takes_readiness_below_one_half() -> None:
    a, b, c, d = tool("a", impact=2), tool("b", impact=2, cls="irreversible"), tool("c"), tool("d")
    simulator = run([step(a), step(b)], [a, b])
    assert names(simulator) == [], "2 of 4 is not below one half"
    low = tool("b", impact=3, cls="irreversible")
    simulator = run([step(a), step(low), step(c), step(d)], [a, low, c, d])
    (kept,) = taken(simulator)
    assert kept.data == {"step": "b", "readiness": "0.4"}


def test_an_attempt_that_is_made_again_has_no_checkpoint_of_its_own() -> None:
    a, b = tool("a"), tool("b", impact=9, idempotent=None, verify=True)
    world = World()
    world.script("b", world.lose)
    simulator = run([step(a), step(b)], [a, b], world)
    assert names(simulator) == ["before:b"]


def test_every_item_of_high_impact_has_one_by_its_key() -> None:
    a, b = tool("a"), tool("b", impact=9)
    loop = each("picks", items("x", "y"), item("b", b))
    simulator = run([step(a), loop], [a, b])
    assert names(simulator) == ["before:picks[0].b", "before:picks[1].b"]


def test_back_to_it_undoes_what_came_after_it_and_forward_begins_there_again() -> None:
    a, b, c = tool("a"), tool("b", impact=9), tool("c")
    world = World()
    simulator = run([step(a), step(b), step(c)], [a, b, c], world)
    simulator.ask(Request("roll_back", actor="ann", to="before:b"))
    assert simulator.run() == "escalated"
    assert world.undone() == ["c", "b"]
    assert world.net == {"a": 1, "b": 0, "c": 0}
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"
    assert world.net == {"a": 1, "b": 1, "c": 1}


def test_who_names_no_checkpoint_is_told_which_there_are() -> None:
    a, b = tool("a"), tool("b", impact=9)
    simulator = run([step(a), step(b)], [a, b])
    with pytest.raises(Rejected, match="passed so far: before:b"):
        simulator.ask(Request("roll_back", actor="ann", to="before:a"))


def test_a_run_that_is_folded_again_behind_the_checkpoint_takes_no_second_one() -> None:
    a, b = tool("a"), tool("b", impact=9)
    simulator = run([step(a), step(b)], [a, b])
    (kept,) = taken(simulator)
    state = begin(simulator.state.index, simulator.state.run_id)
    for event in simulator.events[: kept.n]:
        apply(state, event)
    (command,) = decide(state)
    assert command.id == "b|do|1|1"


def test_what_runs_after_a_rollback_keeps_no_state() -> None:
    a, b, c = tool("a"), tool("b"), tool("c", impact=9)
    world = World()
    world.script("b", raised("Refused"))
    after = step(c, name="on rollback.sorry", on_failure="continue")
    simulator = Simulator(plan([step(a), step(b)], [a, b, c], on_rollback=(after,)), {}, world)
    assert simulator.run() == "rolled_back"
    assert ("c", "c") in world.calls or world.net["on rollback.sorry"] == 1
    assert names(simulator) == []
