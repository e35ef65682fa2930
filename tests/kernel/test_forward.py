"""Going forward: reads, conditions, what is remembered and expected, correctives, keys."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from sagalang.runtime.formula import Apply, Field, Formula, Literal, Name, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.keys import forward_key, undo_key
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import (
    Argument,
    Checkpoint,
    Condition,
    Corrective,
    Expecting,
    If,
    Let,
    Node as Statement,
    Remember,
    Requires,
    Retry,
    Return,
    Undo,
    Until,
)
from sagalang.runtime.simulator import Simulator

from .kit import JSON, World, equal, parallel, plan, raised, read, ref, returned, step, text, tool

TRUE = Formula(Literal(True), Type("bool"), "true")
FALSE = Formula(Literal(False), Type("bool"), "false")


def run(
    body: list[Statement], tools: list[Any], world: World | None = None, **parts: Any
) -> Simulator:
    simulator = Simulator(plan(body, tools, **parts), {}, world or World())
    simulator.run()
    return simulator


def called(simulator: Simulator) -> list[str]:
    return [call.tool for call in simulator.calls]


def test_values_go_from_step_to_step_and_out() -> None:
    a, b = tool("a"), tool("b")
    second = step(b, args=(Argument(name="id", value=ref("a.id")),))
    body: list[Statement] = [
        step(a),
        Let(path="n", name="n", value=ref("a.id")),
        second,
        Return(path="return#1", value=ref("n")),
    ]
    simulator = run(body, [a, b])
    assert simulator.status == "succeeded"
    assert simulator.state.result == "a"
    assert simulator.calls[1].args == {"id": "a"}


def test_a_step_whose_when_is_false_is_skipped_and_none() -> None:
    a, b = tool("a"), tool("b")
    skipped = step(a, when=FALSE)
    simulator = run([skipped, step(b), Return(path="return#1", value=ref("a"))], [a, b])
    assert called(simulator) == ["b"]
    assert simulator.state.result is None
    assert views.steps(simulator.state)[0]["status"] == "skipped"


@pytest.mark.parametrize(("condition", "ran"), [(TRUE, "a"), (FALSE, "b")])
def test_one_branch_runs_and_the_choice_is_logged(condition: Formula, ran: str) -> None:
    a, b, c = tool("a"), tool("b"), tool("c")
    body: list[Statement] = [
        If(
            path="if#1",
            condition=condition,
            then=(step(a, name="x"),),
            otherwise=(step(b, name="x"),),
        ),
        step(c, args=(Argument(name="id", value=ref("x.id")),)),
    ]
    simulator = run(body, [a, b, c])
    assert called(simulator) == [ran, "c"]
    assert [e.status for e in simulator.events if e.path == "if#1"] == [
        "then" if ran == "a" else "else"
    ]


def test_a_requirement_that_does_not_hold_rolls_back_with_its_text() -> None:
    a, b = tool("a"), tool("b")
    body: list[Statement] = [
        step(a),
        Requires(path="requires#1", test=FALSE, otherwise=text("not today")),
        step(b),
    ]
    simulator = run(body, [a, b])
    assert simulator.status == "rolled_back"
    assert simulator.state.error.message == "not today"
    assert called(simulator) == ["a", "un_a"]


def test_an_argument_that_cannot_be_computed_fails_the_step_before_its_intent() -> None:
    a, b = tool("a"), tool("b")
    bad = step(b, args=(Argument(name="id", value=ref("a.id.deeper")),))
    simulator = run([step(a), bad], [a, b])
    assert simulator.status == "rolled_back"
    assert not [e for e in simulator.events if e.kind == "intent" and e.path == "b"]


def test_a_tools_requires_refuses_before_the_call() -> None:
    a = tool("a", requires=(Condition(test=equal(ref("id"), text("z")), otherwise=text("only z")),))
    simulator = run([step(a)], [a])
    assert simulator.status == "rolled_back"
    assert called(simulator) == []
    assert simulator.state.error.message == "only z"


def test_a_broken_ensures_undoes_its_own_step_first() -> None:
    a = tool("a")
    b = tool("b", ensures=(Condition(test=equal(ref("result.id"), text("z"))),))
    simulator = run([step(a), step(b)], [a, b])
    assert simulator.status == "rolled_back"
    assert called(simulator) == ["a", "b", "un_b", "un_a"]


def test_a_broken_ensures_of_an_irreversible_step_is_asked_of_people() -> None:
    b = tool("b", cls="irreversible", ensures=(Condition(test=equal(ref("result.id"), text("z"))),))
    simulator = run([step(b)], [b])
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "ensures"
    simulator.ask(Request("resolve", actor="ann", answer="done"))
    assert simulator.run() == "succeeded"


def test_what_is_remembered_is_read_before_and_used_by_the_undo() -> None:
    before = Remember(
        name="before", tool="look", args=(Argument(name="id", value=ref("id")),), type=JSON
    )
    undo = Undo(tool="un_a", args=(Argument(name="id", value=ref("before.id")),))
    a, b = tool("a", remember=(before,), undos=(undo,)), tool("b")
    world = World()
    world.script("look", returned({"id": "earlier"}))
    world.script("b", raised("Refused"))
    simulator = run([step(a), step(b)], [a, b], world)
    assert simulator.status == "rolled_back"
    undone = [call for call in simulator.calls if call.tool == "un_a"]
    assert undone[0].args == {"id": "earlier"}


def test_a_read_that_answers_wrongly_is_named() -> None:
    before = Remember(
        name="before", tool="look", args=(Argument(name="id", value=ref("id")),), type=JSON
    )
    a = tool("a", remember=(before,))
    world = World()
    world.script("look", *[returned({1: "no text"})] * 9)
    simulator = run([step(a)], [a], world)
    assert simulator.status == "rolled_back"
    error = simulator.state.error
    assert error is not None
    assert error.message.startswith("the answer of `look`: ")


def test_what_must_be_there_before_and_is_not_fails_the_step() -> None:
    before = Remember(
        name="before",
        tool="look",
        args=(Argument(name="id", value=ref("id")),),
        type=JSON,
        otherwise=text("no such thing"),
        required=True,
    )
    a = tool("a", remember=(before,))
    simulator = run([step(a)], [a])
    assert simulator.status == "rolled_back"
    assert simulator.state.error.message == "no such thing"
    assert called(simulator) == ["look"]


def polled(world: World, within: int = 10_000) -> Simulator:
    look = read()
    waiting = step(
        look,
        name="ready",
        until=Until(test=equal(ref("it.id"), text("ready")), every=1_000, within=within),
    )
    return Simulator(plan([waiting], [look]), {}, world)


def test_a_read_is_polled_until_its_answer_fits() -> None:
    world = World()
    world.script("look", returned(None), returned({"id": "not yet"}), returned({"id": "ready"}))
    simulator = polled(world)
    assert simulator.run() == "succeeded"
    assert called(simulator) == ["look"] * 3
    assert 2_000 <= simulator.events[-1].elapsed < 3_000
    assert simulator.events[-1].kind == "run_finished"


def test_polling_ends_in_time() -> None:
    simulator = polled(World(), within=5_000)
    assert simulator.run() == "rolled_back"
    assert 5_000 <= simulator.events[-1].elapsed < 7_000


def test_a_read_is_repeated_after_any_error() -> None:
    look = read()
    world = World()
    world.script("look", raised("ValueError"), raised("OSError"))
    simulator = run([step(look, name="x")], [look], world)
    assert simulator.status == "succeeded"
    assert called(simulator) == ["look"] * 3


def drift(second: Any) -> Simulator:
    look, a = read(), tool("a")
    expecting = Expecting(
        tool="look", args=(Argument(name="id", value=text("k")),), field=("id",), since="before"
    )
    world = World()
    world.script("look", returned({"id": "v1"}), second)
    before = step(look, name="before", args=(Argument(name="id", value=text("k")),))
    return run([before, step(a, expecting=expecting)], [look, a], world)


def test_what_is_expected_unchanged_is_read_again_just_before_the_call() -> None:
    assert drift(returned({"id": "v1", "other": 2})).status == "succeeded"


def test_drift_escalates_and_people_decide() -> None:
    simulator = drift(returned({"id": "v2"}))
    assert simulator.status == "escalated"
    assert called(simulator) == ["look", "look"]
    simulator.ask(Request("resolve", actor="ann", answer="back"))
    assert simulator.run() == "rolled_back"


def test_a_baseline_is_read_directly_after_the_step_that_is_named() -> None:
    a, b, c, look = tool("a"), tool("b"), tool("c"), read()
    expecting = Expecting(
        tool="look", args=(Argument(name="id", value=text("k")),), field=(), since="a"
    )
    world = World()
    world.script("look", returned({"id": "v1"}), returned({"id": "v1"}))
    simulator = run([step(a), step(b), step(c, expecting=expecting)], [a, b, c, look], world)
    assert simulator.status == "succeeded"
    assert called(simulator) == ["a", "look", "b", "look", "c"]


def accepted(corrective: Corrective, world: World) -> Simulator:
    p = tool("p", cls="irreversible", corrective=corrective)
    c, fix = tool("c"), tool("fix")
    world.script("c", raised("Refused"))
    body: list[Statement] = [step(p, accepted=text("known")), step(c)]
    return run(body, [p, c, fix], world)


def test_a_corrective_is_called_after_the_undos() -> None:
    call = Corrective(tool="fix", args=(Argument(name="id", value=ref("id")),))
    simulator = accepted(call, World())
    assert simulator.status == "partly_rolled_back"
    assert called(simulator) == ["p", "c", "fix"]
    assert views.effects(simulator.state)[0]["corrective"] == "taken"


def test_a_corrective_may_use_what_the_step_gave() -> None:
    price = Formula(
        Apply("str", (Field(Name("result"), "price"),)), Type("str"), "str(result.price)"
    )
    call = Corrective(tool="fix", args=(Argument(name="id", value=price),))
    world = World()
    world.script("p", returned({"id": "p", "price": Decimal("1.50")}))
    simulator = accepted(call, world)
    assert simulator.status == "partly_rolled_back"
    assert [c.args for c in simulator.calls if c.tool == "fix"] == [{"id": "1.50"}]


def test_a_failed_corrective_is_an_incident_that_people_close() -> None:
    world = World()
    world.script("fix", raised("Refused"))
    call = Corrective(tool="fix", args=(Argument(name="id", value=ref("id")),))
    simulator = accepted(call, world)
    assert simulator.status == "escalated"
    simulator.ask(Request("resolve", actor="ann", answer="retry"))
    assert simulator.run() == "partly_rolled_back"


def test_a_corrective_in_words_is_on_record_as_due() -> None:
    simulator = accepted(Corrective(text=text("write again")), World())
    assert views.effects(simulator.state)[0]["corrective"] == "due"
    due = [e for e in simulator.events if e.status == "corrective_due"]
    assert due[0].data["text"] == "write again"


def test_keys_are_of_the_run_the_path_and_the_generation_alone() -> None:
    assert forward_key("r", "a", 1) == forward_key("r", "a", 1)
    keys = {forward_key("r", "a", 1), forward_key("r", "a", 2), forward_key("r", "b", 1)}
    assert len({*keys, forward_key("s", "a", 1), forward_key("ra", "", 1)}) == 5
    assert len(forward_key("r" * 10_000, "p" * 10_000, 1)) <= 255
    assert undo_key("k", 0) == "COMP-k" and undo_key("k", 1) != undo_key("k", 0)


def test_every_attempt_sends_the_same_key_and_arguments() -> None:
    a = tool("a", retry=Retry(attempts=3, low=10, high=10))
    world = World()
    world.script("a", raised("Transient"), raised("Transient"))
    simulator = run([step(a)], [a], world)
    assert {(c.key, str(c.args)) for c in simulator.calls} == {
        (forward_key("simulated", "a", 1), "{'id': 'a'}")
    }
    assert len(simulator.calls) == 3


def test_readiness_falls_with_what_cannot_be_taken_back() -> None:
    a = tool("a", impact=1)
    m = tool("m", cls="irreversible", impact=3)
    simulator = run([step(a), step(m)], [a, m])
    assert simulator.state.readiness == (2, 8)
    ratios = [e.readiness for e in simulator.events if e.readiness]
    assert ratios[0] == (1, 1)


def test_two_independent_steps_run_at_the_same_time() -> None:
    tools = [tool(n) for n in "abcd"]
    a, b, c, d = (step(t) for t in tools)
    world = World()
    for name in "ab":
        world.script(name, lambda call: world.well(call, 100))
    body: list[Statement] = [parallel(a, b), Checkpoint(path="half", name="half"), c, d]
    simulator = run(body, tools, world)
    assert simulator.status == "succeeded"
    assert simulator.events[-1].elapsed < 150
    assert "half" in simulator.state.checkpoints


def test_back_to_a_checkpoint_undoes_what_came_after_it_and_waits_for_people() -> None:
    tools = [tool(n) for n in "ab"]
    a, b = (step(t) for t in tools)
    world = World()
    simulator = run([a, Checkpoint(path="half", name="half"), b], tools, world)
    simulator.ask(Request("roll_back", actor="ann", to="half"))
    assert simulator.run() == "escalated"
    assert world.undone() == ["b"]
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"
    assert world.net == {"a": 1, "b": 1}
