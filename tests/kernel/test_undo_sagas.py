"""A saga as an undo: gone through call by call, taken up where it stood, never rolled back."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from sagalang.runtime.events import Event
from sagalang.runtime.formula import Compare, Formula, ListOf, Literal, Name, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.kernel.decide import begin
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.people import Rejected, Request
from sagalang.runtime.plan import (
    Argument,
    Each,
    If,
    Let,
    Node as Statement,
    Parameter,
    Plan,
    Requires,
    Step,
    Tool,
    Undo,
    UndoSaga,
    Verify,
)
from sagalang.runtime.simulator import Reply, Simulator

from .kit import (
    JSON,
    STR,
    World,
    called,
    each,
    parallel,
    plan,
    raised,
    read,
    ref,
    returned,
    step,
    text,
    tool,
    undo_saga,
    undo_tool,
)

UN_ONE, UN_TWO = undo_tool("un_one"), undo_tool("un_two")
A, B = tool("a"), tool("b")
LAST = tool("last")


def calls(of: Tool, name: str = "", **parts: Any) -> Step:
    """A step of a saga that is an undo: it has no undos of its own."""
    given: dict[str, Any] = {"args": (Argument(name="id", value=ref("id")),), "undos": ()}
    return step(of, name=name or of.name, **{**given, **parts})


ONE, TWO = calls(UN_ONE, "one"), calls(UN_TWO, "two")


def back(*body: Statement) -> UndoSaga:
    """`saga back(id: str) { }`."""
    return undo_saga("back", *body)


def undone_by_saga(name: str = "made", **parts: Any) -> Tool:
    """A tool that the saga `back` takes back."""
    undo = Undo(tool="back", args=(Argument(name="id", value=ref("result.id")),))
    return tool(name, undos=(undo,), **parts)


def a_plan(*body: Statement, made: Tool | None = None, inside: tuple[Tool, ...] = ()) -> Plan:
    """A step that the saga takes back, then one that is refused."""
    made = made or undone_by_saga()
    tools = [A, LAST, made, UN_ONE, UN_TWO, *inside]
    return plan([step(A), step(made), step(LAST)], tools, undo_sagas=(back(*body),))


def world_of() -> World:
    world = World()
    world.script("last", raised("Refused"))
    return world


def run(whole: Plan, world: World | None = None) -> Simulator:
    simulator = Simulator(whole, {}, world or world_of())
    simulator.run()
    return simulator


def intents(simulator: Simulator) -> list[Event]:
    return [e for e in simulator.events if e.kind == "intent" and e.direction == "undo"]


def statuses(simulator: Simulator) -> dict[str, str]:
    return {row["path"]: row["status"] for row in views.steps(simulator.state)}


def refolded(simulator: Simulator) -> dict[str, str]:
    state = begin(simulator.index, simulator.state.run_id)
    for event in simulator.events:
        apply(state, event)
    return {row["path"]: row["status"] for row in views.steps(state)}


def test_its_calls_are_undos_one_after_another_and_then_the_step_is_compensated() -> None:
    world = world_of()
    simulator = run(a_plan(ONE, TWO), world)
    assert simulator.status == "rolled_back"
    assert [name for name, _ in world.calls if name.startswith("un_")] == [
        "un_one",
        "un_two",
        "un_a",
    ]
    assert statuses(simulator) == {
        "a": "compensated",
        "made": "compensated",
        "made.undo.one": "succeeded",
        "made.undo.two": "succeeded",
        "last": "failed",
    }
    assert refolded(simulator) == statuses(simulator)


def test_each_call_has_an_intent_an_outcome_and_a_key_of_its_own() -> None:
    simulator = run(a_plan(ONE, TWO))
    found = [(e.path, e.generation, e.key[:5]) for e in intents(simulator)]
    assert found == [
        ("made.undo.one", 1, "COMP-"),
        ("made.undo.two", 1, "COMP-"),
        ("a", 1, "COMP-"),
    ]
    assert len({e.key for e in intents(simulator)}) == 3
    outcomes = [e.path for e in simulator.events if e.kind == "outcome" and e.direction == "undo"]
    assert outcomes == ["made.undo.one", "made.undo.two", "a"]
    again = run(a_plan(ONE, TWO))
    assert [e.key for e in intents(again)] == [e.key for e in intents(simulator)]


def test_its_argument_is_what_was_logged_with_the_intent_and_filled_by_the_outcome() -> None:
    world = world_of()
    simulator = run(a_plan(ONE), world)
    intent = next(e for e in simulator.events if e.kind == "intent" and e.path == "made")
    assert intent.undo is not None
    assert [(d.tool, d.complete) for d in intent.undo] == [("back", False)]
    begun = next(e for e in simulator.events if e.direction == "undo" and e.kind == "chosen")
    assert (begun.path, begun.status, begun.data["args"]) == ("made", "called", {"id": "made"})
    assert ("un_one", "made") in world.calls


@pytest.mark.parametrize("at", range(4))
def test_a_crash_at_any_moment_takes_it_up_where_it_stood(at: int) -> None:
    whole = a_plan(ONE, TWO)
    world = world_of()
    simulator = Simulator(whole, {}, world)
    simulator.react()
    while not intents(simulator):
        simulator.turn()
    for _ in range(at):
        simulator.turn()
    simulator.crash()
    assert simulator.run() == "rolled_back"
    # One crash repeats at most the call that was on its way, with its own key.
    undos = [name for name, _ in world.calls if name.startswith("un_")]
    assert len(undos) <= 4
    assert list(dict.fromkeys(undos)) == ["un_one", "un_two", "un_a"]
    assert len({e.key for e in intents(simulator)}) == 3
    assert world.net["made"] == 1 - 2, "each of the two once"


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize(
    ("answer", "status"), [("retry", "rolled_back"), ("done", "rolled_back"),
                           ("skip", "partly_rolled_back")]
)  # fmt: skip
def test_a_call_that_fails_for_good_stops_the_unwinding_there(
    at: int, answer: str, status: str
) -> None:
    world = world_of()
    name = ("un_one", "un_two")[at - 1]
    world.script(name, raised("Refused"))
    simulator = run(a_plan(ONE, TWO), world)
    path = f"made.undo.{('one', 'two')[at - 1]}"
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("undo_failed", path)
    assert incident.answers == ("retry", "done", "skip"), "half taken back is nothing to go on from"
    assert statuses(simulator)["made"] == "compensation_failed"
    assert statuses(simulator)[path] == "compensation_failed"
    assert "un_a" not in [name for name, _ in world.calls], "nothing skipped"
    simulator.crash()
    simulator.ask(Request("resolve", actor="ann", answer=answer, reason="by hand"))
    assert simulator.run() == status
    assert refolded(simulator) == statuses(simulator)
    undos = [name for name, _ in world.calls if name.startswith("un_")]
    if answer == "retry":
        assert undos.count(name) == 2, "with the same key"
        assert len({e.key for e in intents(simulator) if e.path == path}) == 1
    if answer == "skip":
        assert simulator.events[-1].data["standing"] == ["made"]
    assert undos[-1] == "un_a"


def test_a_call_that_is_transient_is_tried_again_by_itself() -> None:
    world = world_of()
    world.script("un_two", raised("Transient"), raised("ConnectionError"))
    simulator = run(a_plan(ONE, TWO), world)
    assert simulator.status == "rolled_back"
    assert [name for name, _ in world.calls].count("un_two") == 3


def with_a_lost_answer(done: tuple[str, ...] = ()) -> tuple[Plan, World]:
    """The first call of the undo gives a text to the second, has a verify, and loses its answer."""
    look = Verify(tool="found", args=(Argument(name="id", value=ref("id")),))
    gives = structs.replace(undo_tool("un_one", verify=look, done=done), result=STR)
    found = structs.replace(read("found"), result=JSON)
    body = (
        calls(gives, "one"),
        calls(UN_TWO, "two", args=(Argument(name="id", value=ref("one")),)),
    )
    world = world_of()
    world.script("un_one", world.lose)
    return a_plan(*body, inside=(gives, found)), world


def test_a_value_whose_answer_is_lost_is_what_the_calls_verify_gives() -> None:
    whole, world = with_a_lost_answer()
    world.script("found", returned("credit-7"))
    simulator = run(whole, world)
    assert simulator.status == "rolled_back"
    assert [thing for name, thing in world.calls if name.startswith("un_")][:2] == [
        "made",
        "credit-7",
    ]
    [verified] = [e for e in simulator.events if e.path == "made.undo.one" and e.kind == "verified"]
    assert (verified.status, verified.result) == ("applied", "credit-7")
    assert refolded(simulator) == statuses(simulator)


def test_what_is_so_already_has_the_value_that_the_verify_gives() -> None:
    whole, world = with_a_lost_answer(done=("Gone",))
    world.script("un_one", raised("Gone"))
    world.script("found", returned("credit-7"))
    simulator = run(whole, world)
    assert simulator.status == "rolled_back"
    assert ("un_two", "credit-7") in world.calls


def test_a_value_of_another_type_is_not_taken() -> None:
    whole, world = with_a_lost_answer()
    world.script("found", returned(True))
    simulator = run(whole, world)
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("undo_failed", "made.undo.two")
    assert "`one`" in incident.summary and "true" in incident.summary


def test_an_answer_that_came_is_not_replaced_by_what_its_verify_says() -> None:
    whole, world = with_a_lost_answer()
    world.script("un_one", returned("answer"))
    world.script("found", returned("credit-7"))
    simulator = run(whole, world)
    assert simulator.status == "rolled_back"
    assert "answer" in [thing for name, thing in world.calls if name == "un_two"]


def test_the_verify_of_the_action_says_in_the_end_whether_it_is_back() -> None:
    made = undone_by_saga(verify=True)
    world = world_of()
    # The first call takes the thing back as this service counts; the second changes another one.
    other = calls(UN_TWO, "two", args=(Argument(name="id", value=text("other")),))
    simulator = run(a_plan(ONE, other, made=made), world)
    assert simulator.status == "rolled_back"
    undone = next(e for e in simulator.events if e.status == "undone" and e.path == "made")
    assert undone.data["by"] == "verify"


def test_a_thing_that_is_still_there_after_it_all_is_for_people_and_may_be_gone_through_again() -> (
    None
):
    made = undone_by_saga(verify=True)
    world = world_of()
    world.script("un_one", returned({"id": "made"}))  # it says so, and does nothing
    simulator = run(a_plan(ONE, made=made), world)
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("undo_failed", "made")
    assert "applied" in incident.summary
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    assert simulator.run() == "rolled_back"
    ones = [e for e in intents(simulator) if e.path == "made.undo.one"]
    assert [e.attempt for e in ones] == [1, 2]
    assert len({e.key for e in ones}) == 1
    assert refolded(simulator) == statuses(simulator)


def test_a_step_that_is_back_already_needs_no_call_of_it() -> None:
    made = undone_by_saga(verify=True)
    world = world_of()

    def gone(call: Call) -> Reply:
        world.net["made"] = 0
        return raised("Refused")

    world.script("last", gone)
    simulator = run(a_plan(ONE, TWO, made=made), world)
    assert simulator.status == "rolled_back"
    assert not [e for e in intents(simulator) if e.path.startswith("made.")]


def test_values_conditions_branches_and_loops_stand_in_it() -> None:
    look = read()
    test = Compare("==", Name("id"), Literal("made"))
    same = Formula(test, Type("bool"), 'id == "made"')
    differs = Formula(Compare("!=", Name("id"), Literal("made")), Type("bool"), 'id != "made"')
    listed = Formula(ListOf((Literal("p"), Literal("q"))), JSON, "list")
    body: list[Statement] = [
        Let(path="alias", name="alias", value=ref("id")),
        Requires(path="requires#1", test=same),
        calls(look, "there"),
        If(
            path="if#1",
            condition=same,
            then=(calls(UN_ONE, "one", args=(Argument(name="id", value=ref("alias")),)),),
            otherwise=(calls(UN_TWO, "other"),),
        ),
        calls(UN_TWO, "never", when=differs),
        each("rest", listed, calls(UN_TWO, "two", args=(Argument(name="id", value=ref("x")),))),
        parallel(calls(UN_ONE, "left"), calls(UN_TWO, "right")),
        called(
            "inner",
            calls(UN_ONE, "deep", args=(Argument(name="id", value=ref("what")),)),
            args=(Argument(name="what", value=ref("alias")),),
            parameters=(Parameter(name="what", type=JSON),),
        ),
    ]
    simulator = run(a_plan(*body))
    assert simulator.status == "rolled_back"
    assert {path: s for path, s in statuses(simulator).items() if path.startswith("made.")} == {
        "made.undo.there": "succeeded",
        "made.undo.one": "succeeded",
        "made.undo.never": "skipped",
        "made.undo.rest[0].two": "succeeded",
        "made.undo.rest[1].two": "succeeded",
        "made.undo.left": "succeeded",
        "made.undo.right": "succeeded",
        "made.undo.inner": "succeeded",
        "made.undo.inner.deep": "succeeded",
    }
    assert len({e.key for e in intents(simulator)}) == len(intents(simulator)) == 7
    assert refolded(simulator) == statuses(simulator)


def test_a_condition_that_does_not_hold_asks_people_and_not_a_boundary() -> None:
    wrong = Formula(Literal(False), Type("bool"), "false")
    asks = Requires(path="requires#1", test=wrong, otherwise=text("too late"))
    simulator = run(a_plan(ONE, asks, TWO))
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("undo_failed", "made.undo.requires#1")
    assert "too late" in incident.summary
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    assert simulator.run() == "escalated"
    simulator.crash()
    simulator.ask(Request("resolve", actor="ann", answer="done"))
    assert simulator.run() == "rolled_back"
    assert refolded(simulator) == statuses(simulator)


def test_a_read_in_it_that_gives_no_answer_asks_people() -> None:
    world = world_of()
    world.script("look", *[raised("Away")] * 3)
    whole = a_plan(calls(structs.replace(read(), result=JSON), "there"), ONE)
    simulator = run(whole, world)
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert (incident.cause, incident.path) == ("undo_failed", "made.undo.there")
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    assert simulator.run() == "rolled_back"


def test_a_read_whose_value_is_needed_is_not_done_without_one() -> None:
    look = structs.replace(read("see"), result=STR)
    world = world_of()
    world.script("see", *[raised("Away")] * 3)
    use = calls(UN_ONE, "one", args=(Argument(name="id", value=ref("there")),))
    simulator = run(a_plan(calls(look, "there"), use, inside=(look,)), world)
    with pytest.raises(Rejected, match="--value"):
        simulator.ask(Request("resolve", actor="ann", answer="done"))
    simulator.ask(Request("resolve", actor="ann", answer="done", value="told"))
    assert simulator.run() == "rolled_back"
    assert ("un_one", "told") in world.calls


def test_what_is_undone_runs_again_in_the_next_generation_with_other_keys() -> None:
    world = world_of()
    world.script("un_a", raised("Refused"))
    simulator = run(a_plan(ONE), world)
    assert simulator.status == "escalated"
    world.script("last", raised("Refused"))
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "escalated"
    ones = [e for e in intents(simulator) if e.path == "made.undo.one"]
    assert [e.generation for e in ones] == [1, 2]
    assert len({e.key for e in ones}) == 2


def test_a_called_saga_is_taken_back_by_another_one() -> None:
    undo = Undo(tool="back", args=(Argument(name="id", value=text("all")),))
    inner = called("child", step(A), step(B), undos=(undo,))
    whole = plan([inner, step(LAST)], [A, B, LAST, UN_ONE, UN_TWO], undo_sagas=(back(ONE, TWO),))
    world = world_of()
    simulator = run(whole, world)
    assert simulator.status == "rolled_back"
    assert [call for call in world.calls if call[0].startswith("un_")] == [
        ("un_one", "all"),
        ("un_two", "all"),
    ]
    assert statuses(simulator)["child"] == "compensated"
    assert statuses(simulator)["child.a"] == "compensated"


def test_a_statement_may_have_the_word_that_stands_in_its_paths() -> None:
    undo = Undo(tool="back", args=(Argument(name="id", value=text("all")),))
    inner = called("child", step(A, name="undo"), undos=(undo,))
    whole = plan([inner, step(LAST)], [A, LAST, UN_ONE], undo_sagas=(back(ONE),))
    simulator = run(whole)
    assert simulator.status == "rolled_back"
    assert list(statuses(simulator)) == ["child", "child.undo", "child.undo_.one", "last"]


def test_a_freeze_and_a_cancel_do_not_cut_it_short() -> None:
    whole = a_plan(ONE, TWO)
    simulator = Simulator(whole, {}, world_of())
    simulator.react()
    while not intents(simulator):
        simulator.turn()
    simulator.ask(Request("freeze", actor="ann"))
    assert simulator.run() == "escalated"
    assert [e.path for e in intents(simulator)] == ["made.undo.one"]
    simulator.ask(Request("resolve", actor="ann", answer="back"))
    assert simulator.run() == "rolled_back"


def test_readiness_counts_the_effect_until_it_is_back_and_not_what_takes_it_back() -> None:
    simulator = run(a_plan(ONE, TWO))
    rows = views.effects(simulator.state)
    assert [(row["path"], row["status"], row.get("undo")) for row in rows] == [
        ("a", "undone", None),
        ("made", "undone", None),
    ]
    assert simulator.state.ready_den == 0


def test_an_each_of_steps_undone_side_by_side() -> None:
    made = undone_by_saga()
    listed = Formula(ListOf(tuple(Literal(k) for k in "pqr")), JSON, "list")
    inner = step(made, name="made", args=(Argument(name="id", value=ref("x")),))
    loop: Each = each("many", listed, inner, at_once=3, undo_at_once=3)
    whole = plan([loop, step(LAST)], [LAST, made, UN_ONE, UN_TWO], undo_sagas=(back(ONE, TWO),))
    simulator = run(whole)
    assert simulator.status == "rolled_back"
    order = [e.path for e in intents(simulator)]
    assert order[:3] == [f"many[{k}].made.undo.one" for k in (2, 1, 0)]
    assert sorted(order[3:]) == [f"many[{k}].made.undo.two" for k in range(3)]
