"""Evidence: an outcome that no verify decides is weighed, taken, or laid before people."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from sagalang.runtime.formula import Field, Formula, Name, Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.plan import AcceptEvidence, Argument, Evidence, Plan, Retry, Tool, Verdict
from sagalang.runtime.simulator import Reply, Simulator

from .kit import JSON, World, equal, plan, raised, read, ref, returned, step, text, tool

ID = (Argument(name="id", value=ref("id")),)
SEEN, GONE = {"seen": "yes"}, {"seen": "no"}
NEITHER = {"seen": "perhaps"}


def witness(name: str, weight: str, *, gives: str = "", conflict: bool = False) -> Evidence:
    """A read whose `seen` says yes, no, or (with `conflict`) other."""
    given = Formula(Field(Name("it"), gives), JSON, f"it.{gives}") if gives else None
    lines = [
        Verdict(kind="applied", when=equal(ref("it.seen"), text("yes")), gives=given),
        Verdict(kind="absent", when=equal(ref("it.seen"), text("no"))),
    ]
    if conflict:
        lines.append(Verdict(kind="conflict", when=equal(ref("it.seen"), text("other"))))
    return Evidence(tool=name, args=ID, weight=weight, verdicts=tuple(lines))


MAIL, BOOK, LIST = witness("mail", "0.5"), witness("book", "0.3"), witness("list", "0.2")


def saga(*evidence: Evidence, least: str = "0.8", below: int = 5, **parts: Any) -> Plan:
    """A saga whose step `b` has evidence and no verify; nothing makes repeating it harmless."""
    accept = AcceptEvidence(least=least, below=below) if least else None
    b: Tool = tool("b", evidence=evidence, accept_evidence=accept, **parts)
    readers = [read(e.tool) for e in evidence]
    return plan([step(b), step(tool("c"))], [b, tool("c"), *readers])


def changed(plan: Plan, name: str, **parts: Any) -> Plan:
    """The plan with one of its tools changed."""
    tools = (structs.replace(t, **parts) if t.name == name else t for t in plan.tools)
    return structs.replace(plan, tools=tuple(tools))


def run(
    answers: dict[str, Any], plan: Plan, *, landed: bool = True, **scripts: Any
) -> tuple[World, Simulator]:
    """Loses the answer of `b`; the witnesses say what `answers` has for them."""
    world = World()
    world.script("b", world.lose if landed else raised("ConnectionError"))
    for name, said in answers.items():
        world.scripts[name] = [returned(said)] * 20
    for name, replies in scripts.items():
        world.script(name, *replies)
    simulator = Simulator(plan, {}, world)
    simulator.run()
    return world, simulator


def asked(world: World, name: str) -> int:
    """How often a tool was called."""
    return [tool for tool, _ in world.calls].count(name)


@pytest.mark.parametrize(
    ("mail", "book", "list", "status"),
    [
        (SEEN, SEEN, SEEN, "succeeded"),
        (SEEN, SEEN, GONE, "succeeded"),  # exactly 8/10
        (SEEN, GONE, SEEN, "escalated"),  # 7/10
        (SEEN, SEEN, NEITHER, "succeeded"),  # what fits nothing is no yes, and 8/10 suffices
        (SEEN, NEITHER, SEEN, "escalated"),
        (NEITHER, NEITHER, NEITHER, "escalated"),
    ],
)
def test_what_is_said_to_be_there_is_taken_at_the_declared_share(
    mail: Any, book: Any, list: Any, status: str
) -> None:
    answers = {"mail": mail, "book": book, "list": list}
    world, simulator = run(answers, saga(MAIL, BOOK, LIST))
    assert simulator.status == status
    assert asked(world, "b") == 1
    if status == "succeeded":
        assert simulator.state.steps["b"].unproven, "evidence is belief, not proof"
        assert views.effects(simulator.state)[0]["unproven"] is True
        assert simulator.events[-1].data["unproven"] == ["b"]


def test_shares_are_exact_fractions_and_not_floats() -> None:
    three = [witness(name, "0.1") for name in ("mail", "book", "list")]
    answers = {"mail": SEEN, "book": SEEN, "list": GONE}
    plan = saga(*three, least="0.66")
    assert run(answers, plan)[1].status == "succeeded"
    plan = saga(*three, least="0.67")
    assert run(answers, plan)[1].status == "escalated"


def test_the_shares_are_among_the_reasons_of_the_incident() -> None:
    answers = {"mail": SEEN, "book": GONE, "list": NEITHER}
    _, simulator = run(answers, saga(MAIL, BOOK, LIST))
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "unknown"
    assert incident.reasons[1:] == (
        "`mail` (weight 0.5) says applied",
        "`book` (weight 0.3) says absent",
        "`list` (weight 0.2) says neither",
        "evidence: 1/2 applied, 3/10 absent",
        "neither reaches 0.8",
    )


def test_an_effect_of_more_impact_is_left_to_people_with_what_the_evidence_says() -> None:
    plan = saga(MAIL, BOOK, below=5, impact=5)
    _world, simulator = run({"mail": SEEN, "book": SEEN}, plan)
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert "evidence: 1 applied, 0 absent" in incident.reasons
    assert "evidence is taken for effects of less impact than 5, and this one has 5" in (
        incident.reasons
    )


def test_evidence_that_nothing_accepts_is_asked_for_people() -> None:
    _world, simulator = run({"mail": SEEN}, saga(MAIL, least=""))
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None and "evidence: 1 applied, 0 absent" in incident.reasons


def test_where_only_people_settle_it_they_see_what_the_evidence_says() -> None:
    world, simulator = run({"mail": SEEN}, saga(MAIL, escalate_unknown=True))
    assert simulator.status == "escalated"
    assert asked(world, "b") == 1
    incident = views.open_incident(simulator.state)
    assert incident is not None and "evidence: 1 applied, 0 absent" in incident.reasons


def test_an_absent_before_the_settle_time_is_over_proves_nothing() -> None:
    """The effect lands late: the first answers say no, those after the settle time say yes."""
    b = saga(MAIL, BOOK, timeout=5_000, settle=30_000)
    scripts: dict[str, Any] = {
        "mail": [returned(GONE), returned(SEEN)],
        "book": [returned(GONE), returned(SEEN)],
    }
    world, simulator = run({}, b, **scripts)
    assert simulator.status == "succeeded"
    assert asked(world, "mail") == 2 and asked(world, "b") == 1
    assert simulator.now >= 30_000


def test_what_is_said_to_be_absent_when_nothing_can_land_is_called_again() -> None:
    world, simulator = run({"mail": GONE, "book": GONE}, saga(MAIL, BOOK), landed=False)
    assert simulator.status == "succeeded"
    assert asked(world, "b") == 2
    assert world.net["b"] == 1
    weighed = [e for e in simulator.events if "weighed" in e.data]
    assert [(e.kind, e.status) for e in weighed] == [("verified", "absent")]
    assert weighed[0].elapsed >= 5_000


def test_a_witness_that_gives_no_answer_has_a_budget_and_does_not_count() -> None:
    forever = Retry(attempts=None, low=10, high=20)
    plan = changed(saga(MAIL, BOOK), "book", retry=forever)
    world, simulator = run({"mail": SEEN}, plan, book=[raised("OSError")] * 50)
    assert simulator.status == "succeeded"
    assert asked(world, "book") == 5


def test_when_no_witness_answers_people_are_asked() -> None:
    _world, simulator = run({}, saga(MAIL), mail=[raised("OSError")] * 9)
    assert simulator.status == "escalated"
    incident = views.open_incident(simulator.state)
    assert incident is not None
    assert incident.reasons[1:] == ("`mail` (weight 0.5) gave no answer",)


def test_one_witness_of_a_conflict_is_enough_to_ask_people() -> None:
    plan = saga(MAIL, witness("book", "0.1", conflict=True))
    _, simulator = run({"mail": SEEN, "book": {"seen": "other"}}, plan)
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "conflict"


def test_the_result_is_what_the_heaviest_witness_gives() -> None:
    plan = saga(
        MAIL, witness("book", "0.3", gives="id"), witness("list", "0.2", gives="id"), least="0.5"
    )
    answers = {
        "mail": SEEN,
        "book": {"seen": "yes", "id": "from the book"},
        "list": {"seen": "yes", "id": "from the list"},
    }
    _, simulator = run(answers, plan)
    assert simulator.state.steps["b"].result == "from the book"


def test_a_verify_that_decides_is_believed_before_any_witness() -> None:
    world, simulator = run({"mail": GONE}, saga(MAIL, verify=True))
    assert simulator.status == "succeeded"
    assert asked(world, "mail") == 0
    assert not simulator.state.steps["b"].unproven


def test_evidence_settles_what_is_unknown_while_rolling_back() -> None:
    plan = saga(MAIL, BOOK)
    world, simulator = run({"mail": SEEN, "book": SEEN}, plan, c=[raised("Refused")])
    assert simulator.status == "rolled_back"
    assert world.net["b"] == 0 and world.undone() == ["b"]


@pytest.mark.parametrize("at", range(0, 5_400, 300))
def test_a_crash_while_witnesses_are_asked_changes_nothing(at: int) -> None:
    world = World()
    world.script("b", raised("ConnectionError"))
    for name in ("mail", "book"):
        world.scripts[name] = [slow(GONE)] * 40
    simulator = Simulator(saga(MAIL, BOOK), {}, world)
    simulator.run(until=at)
    simulator.crash()
    assert simulator.run() == "succeeded"
    assert world.net["b"] == 1


def slow(said: Any) -> Any:
    """An answer that takes its time."""

    def reply(call: Call) -> Reply:
        return returned(said, takes=250)

    return reply


def test_the_result_of_another_type_is_not_available() -> None:
    plan = changed(saga(MAIL), "b", result=Type("int"))
    _, simulator = run({"mail": SEEN}, plan)
    assert simulator.status == "succeeded"
    assert simulator.state.steps["b"].unavailable
