"""An unknown outcome: asked, waited for, repeated or escalated, never guessed (cases 7, 10, 11)."""

from __future__ import annotations

from typing import Any

import pytest

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import Argument, Idempotence, Undo
from sagalang.runtime.simulator import Reply, Simulator

from .kit import World, plan, raised, ref, returned, step, tool, undo_tool

KEYED = Idempotence(by="key")


def one(world: World, **parts: Any) -> Simulator:
    """A saga of one step `b` between two others."""
    a, b, c = tool("a"), tool("b", **parts), tool("c")
    return Simulator(plan([step(a), step(b), step(c)], [a, b, c]), {}, world)


def at(simulator: Simulator, call: tuple[str, str]) -> None:
    """Goes on until a call has been made, before its answer is recorded."""
    world = simulator.world
    assert isinstance(world, World)
    while call not in world.calls:
        simulator.run(until=simulator.now + 1)
        assert simulator.now < 10_000


@pytest.mark.parametrize(
    ("parts", "honours", "applied", "status", "calls"),
    [
        ({"verify": True}, True, True, "succeeded", 1),
        ({"verify": True, "idempotent": KEYED}, True, True, "succeeded", 1),
        ({"verify": True, "idempotent": KEYED}, True, False, "succeeded", 2),
        ({"idempotent": KEYED}, True, True, "succeeded", 2),
        ({"idempotent": KEYED}, True, False, "succeeded", 2),
        ({}, False, True, "escalated", 1),
        ({}, False, False, "escalated", 1),
        ({"verify": True}, False, False, "succeeded", 2),
    ],
)
def test_killed_between_the_effect_and_its_record(
    parts: dict[str, Any], honours: bool, applied: bool, status: str, calls: int
) -> None:
    world = World(honours_keys=honours)
    if not applied:
        world.script("b", Reply(None))
    simulator = one(world, **parts)
    at(simulator, ("b", "b"))
    simulator.crash()
    assert simulator.run() == status
    assert [name for name, _ in world.calls].count("b") == calls
    assert world.net["b"] == (1 if applied or status == "succeeded" else 0)
    if status == "succeeded":
        assert simulator.state.steps["b"].result == {"id": "b"}


def late(world: World, lands: int) -> Any:
    """A call that is carried out after `lands` milliseconds and answers after that."""

    def reply(call: Call) -> Reply:
        def effect() -> None:
            world.apply(call)

        return Reply(Answer("returned", {"id": "b"}), lands + 1, effect, lands)

    return reply


def test_a_timeout_is_unknown_and_an_absent_inside_the_window_proves_nothing() -> None:
    world = World()
    world.script("b", late(world, 8_000))
    simulator = one(world, verify=True, timeout=5_000, settle=30_000)
    simulator.run(until=7_500)
    assert views.steps(simulator.state)[1]["status"] == "unknown"
    assert ("look", "b") in world.calls
    assert simulator.run() == "succeeded"
    assert world.net["b"] == 1
    assert any(e.kind == "late" for e in simulator.events)


def test_what_lands_after_its_settle_time_is_found_and_escalated() -> None:
    world = World()
    world.script("b", late(world, 60_000))
    world.script("c", raised("Refused"))
    simulator = one(world, verify=True, timeout=5_000, settle=30_000)
    b_retries = simulator.index.step(1)
    assert b_retries.name == "b"
    simulator.run(until=50_000)
    assert simulator.state.steps["b"].do.number == 2
    simulator.run()
    assert simulator.status == "escalated" or "unproven" in str(views.effects(simulator.state))


def test_an_attempt_that_lands_after_the_call_was_made_again_is_asked_of_people() -> None:
    """A verify that finds the effect says nothing about how often it is there."""
    world = World()
    world.script("b", late(world, 60_000), late(world, 70_000))
    simulator = one(world, verify=True, timeout=5_000, settle=30_000)
    assert simulator.run() == "escalated"
    assert simulator.state.steps["b"].do.number == 2
    incident = views.open_incident(simulator.state)
    assert incident is not None and (incident.cause, incident.path) == ("late", "b")


def test_nothing_to_undo_settles_nothing_while_the_call_may_still_land() -> None:
    world = World()
    world.script("b", late(world, 10_000))
    undo = Undo(tool="un_b", args=(Argument(name="id", value=ref("id")),))
    b = tool("b", undos=(undo,), timeout=5_000, settle=30_000)
    un_b = undo_tool("un_b", done=("NotFound",))
    simulator = Simulator(plan([step(b)], [b, un_b]), {}, world)
    simulator.run(until=34_000)
    assert ("un_b", "b") not in world.calls
    assert simulator.run() == "rolled_back"
    assert world.net["b"] == 0


def test_a_verify_that_lags_is_asked_until_it_has_caught_up() -> None:
    world = World(honours_keys=False)
    world.script("b", world.lose)
    seen = [returned(None)] * 4
    world.script("look", *seen)
    simulator = one(world, verify=True, consistent=20_000, settle=1_000, timeout=1_000)
    assert simulator.run() == "succeeded"
    assert [name for name, _ in world.calls].count("b") == 1
    absent = [e for e in simulator.events if e.kind == "verified" and e.status == "absent"]
    assert len(absent) == 4 and not any(e.data.get("conclusive") for e in absent)


def test_settling_and_lag_add_up() -> None:
    """What lands as the settle time ends is seen only when reads have caught up with that."""
    world = World(honours_keys=False)
    world.script("b", raised("ValueError"), raised("ValueError"), raised("ValueError"))
    world.script("look", *[returned(None)] * 90)
    simulator = one(world, verify=True, consistent=10_000, settle=10_000, timeout=1_000)
    simulator.run(until=19_000)
    assert not any(each.data.get("conclusive") for each in simulator.events)
    simulator.run(until=23_000)
    assert any(each.data.get("conclusive") for each in simulator.events)


@pytest.mark.parametrize("answer", [raised("ValueError"), returned(7)], ids=["error", "malformed"])
def test_a_verify_that_fails_is_no_verdict_and_is_bounded(answer: Reply) -> None:
    world = World(honours_keys=False)
    world.script("b", world.lose)
    world.script("look", *[raised("ValueError")] * 50)
    simulator = one(world, verify=True)
    assert simulator.run() == "escalated"
    looks = [e for e in simulator.events if e.kind == "verified" and "incident" not in e.data]
    assert len(looks) == 3 and {e.status for e in looks} == {"unknown"}


@pytest.mark.parametrize(
    ("answer", "status", "net"),
    [("done", "succeeded", 1), ("skip", "rolled_back", 1), ("retry", "succeeded", 2)],
)
def test_people_say_what_became_of_an_unknown_outcome(answer: str, status: str, net: int) -> None:
    world = World(honours_keys=False)
    world.script("b", world.lose)
    simulator = one(world)
    assert simulator.run() == "escalated"
    value = {"id": "b"} if answer == "done" else None
    simulator.ask(Request("resolve", actor="ann", path="b", answer=answer, value=value))
    assert simulator.run() == status
    assert world.net["b"] == net


def test_a_refusal_speaks_for_its_own_attempt() -> None:
    world = World(honours_keys=False)
    world.script("b", world.lose, raised("Refused"), raised("Refused"))
    simulator = one(world, idempotent=Idempotence(by="naturally"))
    simulator.run()
    assert simulator.status == "escalated"
    assert views.steps(simulator.state)[1]["status"] == "unknown"


def test_a_key_known_with_other_arguments_is_asked_of_people() -> None:
    world = World()
    world.script("b", raised("Conflict"))
    simulator = one(world, idempotent=KEYED)
    assert simulator.run() == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "key_conflict"


def test_a_key_that_has_expired_is_not_repeated() -> None:
    world = World()
    world.script("b", *[raised("ConnectionError")] * 9)
    brief = Idempotence(by="key", lifetime=400)
    simulator = one(world, idempotent=brief, retry=tool("x").retry.__class__(attempts=9, low=300))
    assert simulator.run() == "escalated"
    assert [name for name, _ in world.calls].count("b") < 4


def test_attempts_lost_with_their_owner_do_not_count_but_end() -> None:
    world = World()
    world.script("b", *[Reply(None)] * 9)
    simulator = one(world, idempotent=KEYED, retry=tool("x").retry.__class__(attempts=1))
    for number in range(1, 9):
        while [name for name, _ in world.calls].count("b") < number:
            simulator.run(until=simulator.now + 1)
            if simulator.status == "escalated":
                break
        simulator.crash()
    assert simulator.run() == "escalated"
    assert [name for name, _ in world.calls].count("b") == 4


def test_an_attempt_that_may_still_land_holds_the_undo_back() -> None:
    world = World(honours_keys=False)
    world.script("b", late(world, 3_000))
    natural = Idempotence(by="naturally")
    b = tool("b", idempotent=natural, verify=True, verify_always=True, timeout=1_000, settle=5_000)
    c = tool("c")
    world.script("c", raised("Refused"))
    simulator = Simulator(plan([step(b), step(c)], [b, c]), {}, world)
    assert simulator.run() == "rolled_back"
    undone = next(call for call in simulator.events if call.direction == "undo")
    assert undone.elapsed >= 6_000


def test_what_only_time_has_settled_is_named_to_the_end() -> None:
    world = World(honours_keys=False)
    world.script("b", raised("ConnectionError"))
    b, c = tool("b", verify=True, settle=1_000), tool("c")
    world.script("c", raised("Refused"))
    simulator = Simulator(plan([step(b), step(c)], [b, c]), {}, world)
    assert simulator.run() == "rolled_back"
    assert simulator.events[-1].data["unproven"] == ["b"]
    assert [e["status"] for e in views.effects(simulator.state)] == ["unproven"]
