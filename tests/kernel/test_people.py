"""Gates, cancellation, freezing and going forward again (field cases 16, 17, 35, 37)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from sagalang.runtime.formula import Formula, ListOf, Literal, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import Argument, Corrective, Gate, Node as Statement
from sagalang.runtime.simulator import Simulator

from . import kit
from .kit import World, parallel, plan, raised, step, text, tool

GROUPS = {"ops": ("ann", "bob", "cyd")}


def gate(name: str = "g", **parts: Any) -> Gate:
    shows = (Argument(name="what", value=text("a thing")),)
    return Gate(
        path=name, name=name, needs=parts.pop("needs", 1), group="ops", shows=shows, **parts
    )


def run(body: list[Statement], world: World, **parts: Any) -> Simulator:
    tools = [parts.pop(k) for k in list(parts) if k.startswith("tool_")]
    simulator = Simulator(plan(body, tools, **parts), {}, world, actor="zoe", groups=GROUPS)
    simulator.run()
    return simulator


def gated(**parts: Any) -> tuple[World, Simulator]:
    a, b, c = (tool(n) for n in "abc")
    body: list[Statement] = [step(a), gate("g1", **parts), step(b), gate("g2"), step(c)]
    world = World()
    return world, run(body, world, tool_a=a, tool_b=b, tool_c=c)


def test_a_run_waits_at_a_gate_and_says_for_whom() -> None:
    world, simulator = gated()
    assert simulator.status == "waiting"
    waiting = views.waiting_for(simulator.state)
    assert [(w["path"], w["needs"], w["shows"]) for w in waiting] == [
        ("g1", "1 of ops", {"what": "a thing"})
    ]
    assert world.calls == [("a", "a")]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("g", "there is no gate `g`. Open now: `g1`; declared: `g2`. Did you mean `g1`?"),
        ("release", "there is no gate `release`. Open now: `g1`; declared: `g2`."),
    ],
)
def test_a_gate_that_is_none_is_told_where_the_run_waits(path: str, said: str) -> None:
    _, simulator = gated()
    with pytest.raises(Rejected) as caught:
        simulator.ask(Request("approve", actor="ann", path=path))
    assert str(caught.value) == said


def test_a_gate_of_an_item_is_named_with_its_item() -> None:
    values = Formula(ListOf((Literal("p"), Literal("q"))), Type("list", of=Type("str")), "items")
    body: list[Statement] = [kit.each("e", values, gate("g"), by=kit.ref("x"), at_once=2)]
    simulator = run(body, World())
    now = 'Open now: `e["p"].g`, `e["q"].g`. Did you mean `e["p"].g`?'
    for path, said in (
        ("e[*].g", f"there is no gate `e[*].g`: name the item in the brackets. {now}"),
        ('e["z"].g', f'there is no gate `e["z"].g`: `e` has the items "p", "q". {now}'),
    ):
        with pytest.raises(Rejected) as caught:
            simulator.ask(Request("approve", actor="ann", path=path))
        assert str(caught.value) == said


def test_one_approval_opens_one_gate() -> None:
    world, simulator = gated()
    simulator.ask(Request("approve", actor="ann", path="g1"))
    simulator.run()
    with pytest.raises(Rejected, match="already decided"):
        simulator.ask(Request("approve", actor="ann", path="g1"))
    assert simulator.status == "waiting"
    assert [name for name, _ in world.calls] == ["a", "b"]


def test_a_gate_that_is_not_open_stores_nothing_for_later() -> None:
    _, simulator = gated()
    with pytest.raises(Rejected, match="not open yet"):
        simulator.ask(Request("approve", actor="ann", path="g2"))


@pytest.mark.parametrize(
    ("actor", "why"),
    [("zoe", "does not belong"), ("", "nobody"), ("Ann", "does not belong"), ("ann ", "belong")],
)
def test_who_may_not_decide_is_refused_on_record(actor: str, why: str) -> None:
    world, simulator = gated()
    event = simulator.ask(Request("approve", actor=actor, path="g1"))
    assert event.status == "refused" and why in event.data["reason"]
    assert simulator.run() == "waiting"
    assert world.calls == [("a", "a")]


def test_a_quorum_counts_each_person_once_and_forgets_who_left() -> None:
    _, simulator = gated(needs=2)
    assert simulator.ask(Request("approve", actor="ann", path="g1")).status == "approved"
    assert simulator.ask(Request("approve", actor="ann", path="g1")).status == "refused"
    simulator.groups = {"ops": ("bob", "cyd")}
    refused = simulator.ask(Request("approve", actor="bob", path="g1"))
    assert refused.status == "refused" and "no longer belongs" in refused.data["reason"]
    simulator.groups = GROUPS
    assert simulator.ask(Request("approve", actor="bob", path="g1")).status == "approved"
    assert simulator.state.values["g1"] == {"approved": True, "by": ["ann", "bob"], "note": ""}


def test_a_gate_that_closed_half_approved_was_decided_by_nobody() -> None:
    _, simulator = gated(needs=2)
    simulator.ask(Request("approve", actor="ann", path="g1"))
    simulator.ask(Request("cancel", actor="bob"))
    assert simulator.run() == "cancelled"
    with pytest.raises(Rejected, match="`g1` is not open any more: the run has gone back"):
        simulator.ask(Request("approve", actor="bob", path="g1"))


def test_what_was_shown_binds_the_decision() -> None:
    _, simulator = gated()
    event = simulator.ask(Request("approve", actor="ann", path="g1", digest="something else"))
    assert event.status == "refused" and "changed" in event.data["reason"]


def test_a_rejection_rolls_back() -> None:
    world, simulator = gated()
    simulator.ask(Request("reject", actor="ann", path="g1", note="too much"))
    assert simulator.run() == "rolled_back"
    assert world.net["a"] == 0
    with pytest.raises(Rejected, match="already decided"):
        simulator.ask(Request("approve", actor="bob", path="g1"))


@pytest.mark.parametrize(
    ("otherwise", "status"),
    [("rollback", "rolled_back"), ("continue", "waiting"), ("escalate", "escalated")],
)
def test_a_gate_that_nobody_decides_lapses(otherwise: str, status: str) -> None:
    _, simulator = gated(within=86_400_000, otherwise=otherwise)
    assert simulator.status == status
    assert simulator.now >= 86_400_000


def test_a_waiting_run_survives_restarts_without_asking_again() -> None:
    world, simulator = gated(within=86_400_000)
    world, simulator = gated()
    for _ in range(3):
        simulator.crash()
        assert simulator.run() == "waiting"
    assert world.calls == [("a", "a")]
    assert sum(e.kind == "gate_opened" for e in simulator.events) == 1


def three() -> tuple[World, Simulator]:
    tools = [tool(n) for n in "abc"]
    world = World()
    world.script("b", lambda call: world.well(call, 3_000))
    return world, Simulator(plan([step(t) for t in tools], tools), {}, world)


def test_cancel_lets_the_call_settle_and_undoes_everything() -> None:
    world, simulator = three()
    simulator.run(until=500)
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.ask(Request("cancel", actor="ann")).status == "ignored"
    assert simulator.run() == "cancelled"
    assert world.undone() == ["b", "a"]
    assert ("c", "c") not in world.calls
    with pytest.raises(Rejected, match="already final"):
        simulator.ask(Request("cancel", actor="ann"))


def test_cancel_before_the_first_step_calls_nothing() -> None:
    world, simulator = three()
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert world.net["a"] in (0,)


def test_cancel_at_a_gate_closes_it() -> None:
    world, simulator = gated()
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert world.undone() == ["a"]


def test_cancel_during_a_rollback_changes_nothing() -> None:
    world, simulator = three()
    world.script("c", raised("Refused"))
    world.script("un_b", lambda call: world.well(call, 3_000))
    simulator.run(until=3_500)
    assert simulator.status == "compensating"
    assert simulator.ask(Request("cancel", actor="ann")).data["reason"] == "already rolling back"
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["b", "a"]


def test_a_deadline_stops_the_next_call_and_never_an_undo() -> None:
    a, b, c = (tool(n) for n in "abc")
    world = World()
    world.script("b", lambda call: world.well(call, 3_000))
    world.script("un_b", lambda call: world.well(call, 3_000))
    body: list[Statement] = [step(a), step(b), step(c)]
    simulator = run(body, world, tool_a=a, tool_b=b, tool_c=c, deadline=2_000)
    assert simulator.status == "rolled_back"
    assert world.undone() == ["b", "a"]


def pivoted(**parts: Any) -> tuple[World, Simulator]:
    a = tool("a")
    p = tool("p", cls="irreversible", corrective=Corrective(text=text("write again")))
    c = tool("c")
    world = World()
    world.script("c", raised("Refused"))
    return world, run([step(a), step(p, **parts), step(c)], world, tool_a=a, tool_p=p, tool_c=c)


def test_after_a_landed_pivot_people_are_asked() -> None:
    _, simulator = pivoted()
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "after_pivot"
    assert "`p`" in incident.summary


@pytest.mark.parametrize(
    ("answer", "status"), [("retry", "succeeded"), ("back", "partly_rolled_back")]
)
def test_people_go_forward_or_back_after_a_pivot(answer: str, status: str) -> None:
    world, simulator = pivoted()
    simulator.ask(Request("resolve", actor="ann", answer=answer))
    assert simulator.run() == status
    if answer == "retry":
        keys = {e.key for e in simulator.events if e.path == "c" and e.kind == "intent"}
        assert len(keys) == 2, "a retry after a refusal is a new generation with its own key"
    else:
        assert world.net == {"a": 0, "p": 1}
        due = [e for e in views.effects(simulator.state) if e["path"] == "p"]
        assert due[0]["status"] == "standing" and due[0]["corrective"] == "due"


def test_an_accepted_pivot_rolls_back_and_is_named() -> None:
    world, simulator = pivoted(accepted=text("the customer knows"))
    assert simulator.status == "partly_rolled_back"
    finished = simulator.events[-1]
    assert finished.data["standing"] == ["p"]
    assert world.net == {"a": 0, "p": 1}


def test_freeze_stops_without_undoing() -> None:
    world, simulator = three()
    simulator.run(until=500)
    simulator.ask(Request("freeze", actor="ann"))
    assert simulator.run() == "escalated"
    assert world.undone() == [] and ("c", "c") not in world.calls
    with pytest.raises(Rejected, match="frozen already"):
        simulator.ask(Request("freeze", actor="bob"))
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"


def test_a_succeeded_run_can_be_taken_back_whole() -> None:
    world, simulator = three()
    assert simulator.run() == "succeeded"
    simulator.ask(Request("roll_back", actor="ann"))
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["c", "b", "a"]


def test_undone_steps_run_again_in_the_next_generation() -> None:
    tools = [tool(n) for n in "abcd"]
    world = World()
    world.script("d", raised("Refused"))
    world.script("un_b", raised("Refused"))
    simulator = Simulator(plan([step(t) for t in tools], tools), {}, world)
    assert simulator.run() == "escalated"
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"
    assert all(world.net[name] == 1 for name in "acd")
    generations = {s.path: s.generation for s in simulator.state.steps.values()}
    assert generations["c"] == 2 and generations["a"] == 1


@pytest.mark.parametrize(("answer", "status"), [("back", "cancelled"), ("forward", "succeeded")])
def test_a_pivot_that_lands_while_the_run_is_cancelled_is_asked_of_people(
    answer: str, status: str
) -> None:
    a, p = tool("a"), tool("p", cls="irreversible", corrective=Corrective(text=text("write")))
    world = World()
    world.script("p", lambda call: world.well(call, 1_000))
    simulator = Simulator(plan([step(a), step(p)], [a, p]), {}, world)
    simulator.run(until=500)
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "escalated"
    assert world.undone() == []
    simulator.ask(Request("resolve", actor="ann", answer=answer))
    assert simulator.run() == status
    assert world.net["p"] == 1


def test_an_answer_about_one_step_forgives_no_other() -> None:
    a, b = tool("a"), tool("b")
    world = World()
    world.script("a", world.lose)
    world.script("b", raised("Refused", takes=5))
    simulator = Simulator(plan([parallel(step(a), step(b))], [a, b]), {}, world)
    assert simulator.run() == "escalated"
    simulator.ask(Request("resolve", actor="ann", path="a", answer="done", value={"id": "a"}))
    assert simulator.run() == "rolled_back"
    assert world.undone() == ["a"]


def test_a_gate_that_was_never_reached_says_that_the_run_is_over() -> None:
    a = tool("a")
    world = World()
    world.script("a", raised("Refused"))
    simulator = run([step(a), gate("g1")], world, tool_a=a)
    assert simulator.status == "rolled_back"
    with pytest.raises(Rejected, match=r"the run is over \(rolled back\), and never came to gate"):
        simulator.ask(Request("approve", actor="ann", path="g1"))


def test_done_gives_the_value_that_the_step_promises() -> None:
    typed, plain = structs.replace(tool("a"), result=Type("int")), tool("b")
    for of, refused in ((typed, True), (plain, False)):
        world = World()
        world.script(of.name, raised("ConnectionError"))
        simulator = run([step(of)], world, tool_x=of)
        assert simulator.status == "escalated"
        done = Request("resolve", actor="ann", path=of.name, answer="done")
        if refused:
            with pytest.raises(Rejected, match=r"what `a` gave \(int\): give it with --value"):
                simulator.ask(done)
            done = Request("resolve", actor="ann", path="a", answer="done", value=7)
        simulator.ask(done)
        assert simulator.run() == "succeeded"
