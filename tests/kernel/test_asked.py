"""Gates that open by themselves: before a gated corrective, and below a guard."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import Argument, Corrective, Effect, Guard, Node as Statement, Plan
from sagalang.runtime.simulator import Simulator
from sagalang.runtime.values import encode

from .kit import World, parallel, plan, raised, read, ref, step, text, tool, undo_tool

GROUPS = {"ops": ("ann", "bob"), "leads": ("lea",)}
OPS = Corrective(tool="recall", args=(Argument(name="id", value=ref("id")),), needs="ops")


def ask(simulator: Simulator, verb: Any, path: str, actor: str = "ann", **more: Any) -> Any:
    """Decides, and lets the run go on."""
    event = simulator.ask(Request(verb, actor=actor, path=path, **more))
    simulator.run()
    return event


def shipped(corrective: Corrective = OPS, **parts: Any) -> tuple[World, Simulator]:
    """`a` is undone and `ship` is past undoing: it has a corrective, and `c` fails."""
    a, c = tool("a"), tool("c")
    ship = tool("ship", cls="irreversible", corrective=corrective, **parts)
    body = [step(a), step(ship, accepted=text("known")), step(c)]
    world = World()
    world.script("c", raised("Refused"))
    saga = plan(body, [a, ship, c, undo_tool("recall", fails=("Refused",))])
    simulator = Simulator(saga, {}, world, actor="zoe", groups=GROUPS)
    simulator.run()
    return world, simulator


# --- gated correctives ---------------------------------------------------------------------------


def test_a_gated_corrective_waits_after_the_undos_and_shows_its_arguments() -> None:
    world, simulator = shipped()
    assert simulator.status == "waiting"
    assert world.undone() == ["a"]
    [row] = views.waiting_for(simulator.state)
    assert (row["kind"], row["path"], row["needs"]) == ("gate", "ship.corrective", "1 of ops")
    assert row["shows"] == {"call": "recall", "arguments": {"id": "ship"}}
    assert ("recall", "ship") not in world.calls


def test_an_approved_corrective_is_called_once() -> None:
    world, simulator = shipped()
    ask(simulator, "approve", "ship.corrective")
    assert simulator.status == "partly_rolled_back"
    assert world.calls.count(("recall", "ship")) == 1
    assert views.effects(simulator.state)[1]["corrective"] == "taken"
    with pytest.raises(Rejected, match=r"already decided \(approved\) by ann"):
        ask(simulator, "approve", "ship.corrective", "bob")


def test_a_rejected_corrective_is_left_and_is_no_incident() -> None:
    world, simulator = shipped()
    event = ask(simulator, "reject", "ship.corrective", note="it is on the road")
    assert (event.actor, event.data["note"]) == ("ann", "it is on the road")
    assert simulator.status == "partly_rolled_back"
    assert ("recall", "ship") not in world.calls
    assert views.effects(simulator.state)[1]["corrective"] == "left"
    assert not simulator.state.incidents


@pytest.mark.parametrize(("actor", "why"), [("zoe", "belong"), ("lea", "belong"), ("", "nobody")])
def test_who_may_not_decide_on_a_corrective_is_refused_on_record(actor: str, why: str) -> None:
    _world, simulator = shipped()
    event = ask(simulator, "approve", "ship.corrective", actor)
    assert event.status == "refused" and why in event.data["reason"]
    assert simulator.status == "waiting"


def test_an_approval_of_something_else_is_refused() -> None:
    _, simulator = shipped()
    event = ask(simulator, "approve", "ship.corrective", digest="what I saw yesterday")
    assert event.status == "refused" and "look again" in event.data["reason"]


def test_a_corrective_that_fails_after_its_approval_is_an_incident_as_ever() -> None:
    world, simulator = shipped()
    world.scripts["recall"] = [raised("Refused")]
    ask(simulator, "approve", "ship.corrective")
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "corrective_failed"
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    assert simulator.run() == "partly_rolled_back"
    assert world.calls.count(("recall", "ship")) == 2, "it was approved, and somebody said again"


def test_the_second_corrective_of_a_tool_has_a_number() -> None:
    def effect(kind: str) -> Effect:
        return Effect(kind=kind, effect_class="irreversible", corrective=OPS)

    _, simulator = shipped(effects=(effect("parcel"), effect("label")))
    ask(simulator, "reject", "ship.corrective")
    assert [w["path"] for w in views.waiting_for(simulator.state)] == ["ship.corrective[2]"]
    ask(simulator, "approve", "ship.corrective[2]")
    statuses = [row["corrective"] for row in views.effects(simulator.state)[1:]]
    assert statuses == ["left", "taken"]


def test_a_waiting_corrective_survives_a_crash() -> None:
    world, simulator = shipped()
    simulator.crash()
    assert simulator.run() == "waiting"
    ask(simulator, "approve", "ship.corrective")
    assert simulator.status == "partly_rolled_back"
    assert world.calls.count(("recall", "ship")) == 1


# --- guards --------------------------------------------------------------------------------------


def guarded(
    least: str, body: list[Statement], tools: list[Any], world: World | None = None
) -> tuple[World, Simulator]:
    """A saga that asks the leads before its readiness falls below a bound."""
    world = world or World()
    bound = text(encode(Decimal(least)))
    saga: Plan = plan(body, tools, guards=(Guard(least=bound, group="leads"),))
    simulator = Simulator(saga, {}, world, actor="zoe", groups=GROUPS)
    simulator.run()
    return world, simulator


def reaching() -> tuple[list[Statement], list[Any]]:
    """Two reversible steps (impact 4 in all), one irreversible of impact 1, and one more."""
    a, b, d = tool("a", impact=2), tool("b", impact=2), tool("d")
    c = tool("c", cls="irreversible", impact=1)
    return [step(a), step(b), step(c, accepted=text("known")), step(d)], [a, b, c, d]


@pytest.mark.parametrize(("least", "status"), [("0.8", "succeeded"), ("0.81", "waiting")])
def test_a_guard_judges_the_state_with_the_call_exactly(least: str, status: str) -> None:
    _, simulator = guarded(least, *reaching())
    assert simulator.status == status


def test_a_guard_shows_the_call_and_the_readiness_that_it_would_leave() -> None:
    world, simulator = guarded("0.9", *reaching())
    assert [name for name, _ in world.calls] == ["a", "b"]
    [row] = views.waiting_for(simulator.state)
    assert (row["path"], row["needs"]) == ("c.guard", "1 of leads")
    assert row["shows"] == {
        "call": "c",
        "arguments": {"id": "c"},
        "readiness": "0.8",
        "least": "0.9",
    }


def test_each_call_below_the_guard_is_asked_for_itself() -> None:
    world, simulator = guarded("0.9", *reaching())
    ask(simulator, "approve", "c.guard", "lea")
    assert [w["path"] for w in views.waiting_for(simulator.state)] == ["d.guard"]
    assert views.waiting_for(simulator.state)[0]["shows"]["readiness"] == "5/6"
    ask(simulator, "approve", "d.guard", "lea")
    assert simulator.status == "succeeded"
    assert [name for name, _ in world.calls] == ["a", "b", "c", "d"]


def test_a_rejected_guard_fails_the_step_like_a_refusal() -> None:
    world, simulator = guarded("0.9", *reaching())
    ask(simulator, "reject", "c.guard", "lea", note="not today")
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "a"]
    assert simulator.state.error.message == "lea rejected `c.guard`: not today"


def test_a_rejected_guard_of_a_step_that_may_fail_goes_on() -> None:
    a, c = tool("a", impact=4), tool("c", cls="irreversible")
    body: list[Statement] = [
        step(a),
        step(c, accepted=text("known"), on_failure="continue"),
        step(tool("d")),
    ]
    world, simulator = guarded("0.9", body, [a, c, tool("d")])
    ask(simulator, "reject", "c.guard", "lea")
    assert simulator.status == "succeeded"
    assert [name for name, _ in world.calls] == ["a", "d"]


def test_two_calls_that_only_together_fall_below_are_not_both_let_through() -> None:
    """Each alone leaves 8 of 9; together they would leave 8 of 10."""
    a = tool("a", impact=8)
    p, q = (tool(name, cls="irreversible") for name in "pq")
    known = text("known")
    body: list[Statement] = [step(a), parallel(step(p, accepted=known), step(q, accepted=known))]
    world, simulator = guarded("0.85", body, [a, p, q])
    assert simulator.status == "waiting"
    assert [w["path"] for w in views.waiting_for(simulator.state)] == ["q.guard"]
    assert [name for name, _ in world.calls] == ["a", "p"]


def test_reads_are_not_guarded() -> None:
    look = read()
    _, simulator = guarded("1.0", [step(look)], [look])
    assert simulator.status == "succeeded"


def test_an_attempt_that_is_made_again_was_approved_already() -> None:
    world = World()
    world.script("c", raised("Transient"), raised("Transient"))
    _, simulator = guarded("0.9", *reaching(), world)
    ask(simulator, "approve", "c.guard", "lea")
    assert [name for name, _ in world.calls].count("c") == 3
    assert [w["path"] for w in views.waiting_for(simulator.state)] == ["d.guard"]


def test_cancelling_closes_a_guard_s_gate() -> None:
    _, simulator = guarded("0.9", *reaching())
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    with pytest.raises(Rejected, match="no longer asked"):
        ask(simulator, "approve", "c.guard", "lea")


def test_an_open_guard_survives_a_crash() -> None:
    world, simulator = guarded("0.9", *reaching())
    simulator.crash()
    assert simulator.run() == "waiting"
    ask(simulator, "approve", "c.guard", "lea")
    ask(simulator, "approve", "d.guard", "lea")
    assert simulator.status == "succeeded"
    assert [name for name, _ in world.calls] == ["a", "b", "c", "d"]
