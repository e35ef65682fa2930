"""Called sagas: atomic where they are called, undone among the caller's effects, or by one undo."""

from __future__ import annotations

import pytest

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import Argument, Node as Statement, Parameter, Undo
from sagalang.runtime.simulator import Simulator

from .kit import (
    JSON,
    World,
    called,
    each,
    equal,
    item,
    parallel,
    plan,
    raised,
    ref,
    returns,
    scope,
    sleep,
    step,
    text,
    tool,
)
from .test_frames import A, B, C, D, failing_on, items, replay, result, run, statuses

ARGS = (Argument(name="what", value=text("a thing")),)


def test_a_called_saga_sees_its_parameters_and_nothing_of_the_caller() -> None:
    child = called(
        "child",
        step(B, args=(Argument(name="id", value=ref("what")),)),
        returns(ref("what")),
        args=ARGS,
        parameters=(Parameter(name="what", type=JSON),),
    )
    simulator = run([child, returns(ref("child"))])
    assert result(simulator) == "a thing"
    assert list(statuses(simulator)) == ["child", "child.b"]
    blind = called("child", step(B, args=(Argument(name="id", value=ref("a.id")),)))
    simulator = run([step(A), blind])
    assert simulator.status == "rolled_back"
    assert "a has no value" in simulator.state.error.message


def test_its_failure_rolls_it_back_first_and_then_counts_as_a_refusal() -> None:
    world = World()
    world.script("c", raised("Refused"))
    simulator = run([step(A), called("child", step(B), step(C)), step(D)], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "a"]
    assert [e.path for e in simulator.events if e.kind == "scope_closed"] == ["child", ""]
    assert statuses(simulator)["child"] == "failed"


def test_the_call_goes_on_without_it_where_its_else_says_so() -> None:
    world = World()
    world.script("c", raised("Refused"))
    body: list[Statement] = [
        step(A),
        called("child", step(B), step(C), on_failure="continue"),
        returns(ref("child")),
    ]
    simulator = run(body, world)
    assert simulator.status == "succeeded"
    assert result(simulator) is None
    assert world.undone() == ["b"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [("retry", "succeeded"), ("skip", "succeeded"), ("done", "succeeded"), ("back", "rolled_back")],
)
def test_people_are_asked_where_its_else_says_so(answer: str, status: str) -> None:
    world = World()
    world.script("c", raised("Refused"))
    body: list[Statement] = [
        step(A),
        called("child", step(B), step(C), on_failure="escalate"),
        step(D),
    ]
    simulator = run(body, world)
    assert simulator.status == "escalated"
    assert world.undone() == ["b"]
    simulator.ask(Request("resolve", actor="ann", answer=answer))
    assert simulator.run() == status
    if answer == "retry":
        keys = {e.key for e in simulator.events if e.kind == "intent" and e.path == "child.b"}
        assert len(keys) == 3, "two generations and an undo"
        assert world.net["b"] == 1


def test_its_effects_are_undone_among_the_callers_newest_first() -> None:
    world = World()
    world.script("d", raised("Refused"))
    simulator = run([called("child", step(B), step(C)), step(A), step(D)], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["a", "c", "b"]


def replaced(*body: Statement) -> Statement:
    undo = Undo(tool="un_all", args=(Argument(name="id", value=ref("result.id")),))
    return called("child", *body, returns(ref("b")), undos=(undo,))


def test_an_undo_of_its_own_takes_the_whole_back_once() -> None:
    world = World()
    world.script("d", raised("Refused"))
    simulator = run([step(A), replaced(step(B), step(C)), step(D)], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "a"]
    assert [name for name, _ in world.calls if name.startswith("un_")] == ["un_all", "un_a"]
    effects = {row["path"]: row["status"] for row in views.effects(simulator.state)}
    assert effects == {"a": "undone", "child.b": "undone", "child.c": "undone"}
    keys = [e.key for e in simulator.events if e.kind == "intent" and e.path == "child"]
    called_with = next(e.key for e in simulator.events if e.status == "called")
    assert keys == [f"COMP-{called_with}"]


def test_before_it_has_completed_its_effects_are_undone_as_usual() -> None:
    world = World()
    world.script("c", raised("Refused"))
    simulator = run([step(A), replaced(step(B), step(C))], world)
    assert simulator.status == "rolled_back"
    assert [name for name, _ in world.calls if name.startswith("un_")] == ["un_b", "un_a"]


def test_its_own_deadline_fails_it_and_not_the_caller() -> None:
    world = World()
    child = called("child", step(B), sleep(5_000), step(C), deadline=1_000, on_failure="continue")
    simulator = run([step(A), child, step(D)], world)
    assert simulator.status == "succeeded"
    assert ("c", "c") not in world.calls
    assert world.undone() == ["b"]


def test_what_runs_after_its_rollback_counts_in_nothing() -> None:
    world = World()
    world.script("c", raised("Refused"))
    sorry = step(D, on_failure="continue")
    child = called("child", step(B), step(C), on_rollback=[sorry])
    simulator = run([step(A), child], world)
    assert simulator.status == "rolled_back"
    names = [name for name, _ in world.calls]
    assert names == ["a", "b", "c", "un_b", "d", "un_a"]
    assert statuses(simulator)["child.d"] == "succeeded"
    assert not views.standing(simulator.state)


def test_a_pivot_in_it_makes_the_call_a_pivot() -> None:
    world = World()
    pivot = tool("p", cls="irreversible")
    world.script("d", raised("Refused"))
    simulator = run([called("child", step(pivot)), step(D)], world, tools=[pivot, D])
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("after_pivot", "d")
    assert "`child.p`" in incident.summary


def test_a_loop_in_it_that_failed_over_a_pivot_goes_back_when_people_say_so() -> None:
    world = World()
    pivot = tool("b", cls="irreversible")
    failing_on(world, "r", "s")
    loop = each("e", items("q", "r", "s"), item("a", A), item("b", pivot), tolerate=1)
    whole = called("child", loop, on_failure="continue")
    simulator = run([whole, step(D)], world, tools=[pivot, A, D])
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("after_pivot", "child.e")
    simulator.ask(Request("resolve", actor="ann", answer="back"))
    assert simulator.run() == "succeeded"
    assert statuses(simulator)["child"] == "failed"
    assert statuses(simulator)["d"] == "succeeded"


def test_a_pivot_in_a_scope_keeps_that_from_being_closed() -> None:
    world = World()
    pivot = tool("p", cls="irreversible")
    world.script("d", raised("Refused"))
    body: list[Statement] = [step(A), scope("s", step(pivot), step(D), otherwise=[step(B)])]
    simulator = run(body, world, tools=[A, B, pivot, D])
    assert simulator.status == "escalated"
    simulator.ask(Request("resolve", actor="ann", answer="back"))
    assert simulator.run() == "succeeded"
    assert world.undone() == []
    assert statuses(simulator)["s.else.b"] == "succeeded"


def test_a_failure_without_an_else_asks_when_the_outside_holds_a_pivot() -> None:
    world = World()
    pivot = tool("p", cls="irreversible")
    world.script("b", raised("Refused"))
    body: list[Statement] = [step(pivot), scope("s", step(A), step(B))]
    simulator = run(body, world, tools=[A, B, pivot])
    assert simulator.status == "escalated"
    assert world.undone() == ["a"]
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"
    assert world.net["a"] == world.net["b"] == world.net["p"] == 1


# --- on rollback ---------------------------------------------------------------------------------


def test_on_rollback_runs_after_undos_and_correctives() -> None:
    world = World()
    world.script("c", raised("Refused"))
    sorry = step(D, on_failure="continue")
    simulator = run([step(A), step(C)], world, on_rollback=(sorry,))
    assert simulator.status == "rolled_back"
    assert [name for name, _ in world.calls] == ["a", "c", "un_a", "d"]
    assert list(statuses(simulator)) == ["a", "c", "d"]


def test_who_goes_forward_again_leaves_what_runs_on_rollback() -> None:
    """It is begun anew when the run goes back once more; until then nothing of it is called."""
    world = World()
    world.script("c", raised("Refused"), raised("Refused"))
    d = tool("d", transient=("Busy",))
    world.script("d", raised("Busy"))
    body = plan([step(A), step(C)], [A, C, d], on_rollback=(step(d, on_failure="continue"),))
    simulator = Simulator(body, {}, world)
    simulator.run(until=50)
    assert statuses(simulator)["d"] == "in_flight"
    simulator.ask(Request("freeze", actor="ann"))
    simulator.run()
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["a", "a"]
    calls = [name for name, _ in world.calls]
    assert calls[calls.index("a", 1) :][:3] == ["a", "c", "un_a"]
    assert set(calls[calls.index("a", 1) + 3 :]) == {"d"}
    replay(simulator)


def test_on_rollback_what_has_not_come_to_be_is_none() -> None:
    world = World()
    world.script("c", raised("Refused"))
    told, untold = (
        step(D, name=name, when=equal(ref(value), text(None)), on_failure="continue")
        for name, value in (("told", "c"), ("untold", "a"))
    )
    inner = called("child", step(A), step(C), on_rollback=(told, untold))
    simulator = run([inner], world)
    assert simulator.status == "rolled_back"
    assert statuses(simulator)["child.told"] == "succeeded"
    assert statuses(simulator)["child.untold"] == "skipped"


def test_on_rollback_is_retried_and_does_not_stop_the_run() -> None:
    world = World()
    world.script("c", raised("Refused"))
    world.script("d", *[raised("Transient")] * 3)
    sorry, more = step(D, on_failure="continue"), step(B, on_failure="continue")
    simulator = run([step(A), step(C)], world, on_rollback=(sorry, more))
    assert simulator.status == "rolled_back"
    assert [name for name, _ in world.calls][3:] == ["d", "d", "d", "b"]


def test_on_rollback_does_not_run_when_the_saga_succeeds() -> None:
    simulator = run([step(A)], on_rollback=(step(D, on_failure="continue"),))
    assert simulator.status == "succeeded"
    assert list(statuses(simulator)) == ["a"]


def test_it_is_told_that_the_run_was_cancelled() -> None:
    world = World()
    body: list[Statement] = [step(A), sleep(60_000), step(B)]
    undoing = plan(body, [A, B, D], on_rollback=(step(D, on_failure="continue"),))
    simulator = Simulator(undoing, {}, world)
    simulator.run(until=5_000)
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert [name for name, _ in world.calls] == ["a", "un_a", "d"]


def test_a_crash_in_the_aftermath_repeats_nothing_that_is_done() -> None:
    world = World()
    world.script("c", raised("Refused"))
    world.script("d", lambda call: world.well(call, 100))
    sorry = step(D, on_failure="continue")
    undoing = plan([step(A), step(C)], [A, C, D, B], on_rollback=(sorry,))
    simulator = Simulator(undoing, {}, world)
    while ("d", "d") not in world.calls:
        simulator.run(until=simulator.now + 1)
    simulator.crash()
    simulator.run()
    assert world.undone() == ["a"]
    assert world.net["d"] <= 1


def test_both_sides_of_a_parallel_are_undone_in_the_order_of_the_log() -> None:
    world = World()
    world.script("d", raised("Refused"))
    world.script("b", lambda call: world.well(call, 30))
    world.script("a", lambda call: world.well(call, 10))
    world.script("c", lambda call: world.well(call, 20))
    one = called("one", step(A), step(B))
    other = scope("other", step(C))
    simulator = run([parallel(one, other), step(D)], world)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "c", "a"]


def test_a_call_whose_effects_were_all_taken_back_is_compensated() -> None:
    world = World()
    world.script("d", raised("Refused"))
    simulator = run([called("child", step(B)), step(D)], world)
    assert statuses(simulator)["child"] == "compensated"


def test_who_sends_the_whole_back_is_not_asked_again_inside() -> None:
    world = World()
    pivot = tool("p", cls="irreversible")
    world.script("p", lambda call: world.well(call, 100))
    world.script("d", raised("Refused"))
    body: list[Statement] = [step(A), scope("s", parallel(step(pivot), step(D)))]
    simulator = Simulator(plan(body, [A, pivot, D]), {}, world)
    simulator.run(until=50)
    simulator.ask(Request("freeze", actor="ann"))
    assert simulator.run() == "escalated"
    simulator.ask(Request("resolve", actor="ann", answer="back"))
    assert simulator.run() == "partly_rolled_back"
    assert views.standing(simulator.state) == ["s.p"]
    assert world.undone() == ["a"]
