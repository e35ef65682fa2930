"""Agents: each call a child step, answered from the log, undone when nobody asks for it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs

from sagalang.runtime.formula import Type
from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Call
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import (
    Agent,
    AgentCall,
    AgentTool,
    Binding,
    Node as Statement,
    Plan,
    Retry,
    Tool,
)
from sagalang.runtime.simulator import AgentScript, Reply, Simulator
from sagalang.runtime.tooling import Refused

from .kit import JSON, World, each, plan, raised, read, scope, step, text, tool

GROUPS = {"leads": ("lea",)}
Script = Callable[[], AgentScript]


class Office(World):
    """A service beside which an agent works: each attempt follows the next of its scripts."""

    def __init__(self, *scripts: Script) -> None:
        super().__init__()
        self.agent = list(scripts)
        self.attempts = 0

    def __call__(self, call: Call) -> Reply:
        if call.tool != "buyer":
            return super().__call__(call)
        self.attempts += 1
        script = self.agent.pop(0) if len(self.agent) > 1 else self.agent[0]
        return Reply(None, 10, agent=script())


def buying(*names: str, result: Any = "bought", then: type[Exception] | None = None) -> Script:
    """An agent that makes some calls, each with its own name as `id`, and gives a result."""

    def script() -> AgentScript:
        found: list[Any] = []
        for name in names:
            kind, _, thing = name.partition(":")
            found.append((yield kind, {"id": thing or kind}))
        if then is not None:
            raise then("as scripted")
        return result if result is not None else found

    return script


def saga(
    *tools: Tool,
    needs: str = "",
    at_most: int | None = None,
    attempts: int = 3,
    last: str = "last",
    on_failure: Any = "rollback",
    **parts: Any,
) -> Plan:
    """A saga of an agent that may use some tools, and a step behind it."""
    agent = Agent(
        name="buyer",
        parameters=(),
        result=JSON,
        call=Binding(target="world:buyer", args=()),
        uses=tuple(AgentTool(tool=t.name, needs=needs) for t in tools),
        at_most=at_most,
        retry=Retry(attempts=attempts, low=10, high=20),
    )
    call = AgentCall(
        path="buyer",
        name="buyer",
        agent="buyer",
        args=(),
        type=JSON,
        on_failure=on_failure,
        timeout=60_000,
        settle=60_000,
        retry=agent.retry,
    )
    body: list[Statement] = [call, step(tool(last))]
    return plan(body, [*tools, tool(last)], agents=(agent,), **parts)


def run(office: Office, plan: Plan, **parts: Any) -> Simulator:
    """Runs it until only people can go on."""
    simulator = Simulator(plan, {}, office, groups=GROUPS, actor="zoe", **parts)
    simulator.run()
    return simulator


def rows(simulator: Simulator) -> dict[str, str]:
    """The steps and their statuses."""
    return {row["path"]: row["status"] for row in views.steps(simulator.state)}


def test_each_call_is_a_child_step_with_intent_key_and_undo() -> None:
    office = Office(buying("charge", "ship", result=None))
    simulator = run(office, saga(tool("charge"), tool("ship")))
    assert simulator.status == "succeeded"
    assert rows(simulator) == {
        "buyer": "succeeded",
        "buyer[1]": "succeeded",
        "buyer[2]": "succeeded",
        "last": "succeeded",
    }
    intents = [e for e in simulator.events if e.kind == "intent" and e.path == "buyer[1]"]
    assert len(intents) == 1 and intents[0].key and intents[0].undo
    assert simulator.state.values["buyer"] == [{"id": "charge"}, {"id": "ship"}]


def test_a_failure_behind_the_agent_undoes_its_calls_newest_first() -> None:
    office = Office(buying("charge:a", "charge:b", "ship"))
    office.script("last", raised("Refused"))
    simulator = run(office, saga(tool("charge"), tool("ship")))
    assert simulator.status == "rolled_back"
    assert office.undone() == ["ship", "b", "a"]


def test_a_refused_call_is_the_agent_s_to_handle() -> None:
    def script() -> AgentScript:
        try:
            yield "charge", {"id": "x"}
        except Refused as no:
            yield "ship", {"id": "y"}
            return str(no)
        return "not refused"

    office = Office(script)
    office.script("charge", raised("Refused"))
    simulator = run(office, saga(tool("charge"), tool("ship")))
    assert simulator.status == "succeeded"
    assert simulator.state.values["buyer"] == "Refused: as scripted"
    assert rows(simulator)["buyer[1]"] == "failed"


def test_an_unknown_call_is_settled_before_the_agent_gets_an_answer() -> None:
    office = Office(buying("charge", "ship"))
    office.script("charge", office.lose)
    simulator = run(office, saga(tool("charge", verify=True), tool("ship")))
    assert simulator.status == "succeeded"
    order = [(name, thing) for name, thing in office.calls if name in ("charge", "look", "ship")]
    assert order == [("charge", "charge"), ("look", "charge"), ("ship", "ship")]


def test_a_tool_that_is_not_listed_is_refused_and_nothing_is_called() -> None:
    told: list[str] = []

    def script() -> AgentScript:
        for name, given in (
            ("last", {"id": "x"}),
            ("charge", {"di": "x"}),
            ("charge", {}),
            ("charge", {"id": 7}),
        ):
            try:
                yield name, given
            except Refused as no:
                told.append(str(no))

    office = Office(script)
    simulator = run(office, saga(tool("charge")))
    assert simulator.status == "succeeded"
    assert told[0] == "`buyer` may not use `last`; it may use charge"
    assert told[1] == "`charge` has no parameter `di`; it takes id: str"
    assert "`charge` is not called" in told[2] and "id" in told[2]
    assert told[3] == "`charge` is not called: id must be str, and is 7"
    assert [name for name, _ in office.calls] == ["last"]


def test_at_most_so_many_calls_over_all_attempts() -> None:
    told: list[str] = []

    def script() -> AgentScript:
        for thing in "abcd":
            try:
                yield "charge", {"id": thing}
            except Refused as no:
                told.append(str(no))

    first = buying("charge:a", "charge:x", then=RuntimeError)
    simulator = run(Office(first, script), saga(tool("charge"), at_most=3))
    assert simulator.status == "succeeded"
    assert told == ["`buyer` has made its 3 calls: no other is made"] * 2
    assert rows(simulator)["buyer[3]"] == "succeeded"


def test_a_further_attempt_is_answered_from_the_log() -> None:
    first = buying("charge:a", "ship:b", then=RuntimeError)
    office = Office(first, buying("charge:a", "ship:b", result=None))
    simulator = run(office, saga(tool("charge"), tool("ship")))
    assert simulator.status == "succeeded" and office.attempts == 2
    assert office.calls.count(("charge", "a")) == 1
    assert simulator.state.values["buyer"] == [{"id": "a"}, {"id": "b"}]


def test_one_earlier_call_answers_one_call_and_no_second() -> None:
    first = buying("charge:a", then=RuntimeError)
    office = Office(first, buying("charge:a", "charge:a"))
    simulator = run(office, saga(tool("charge")))
    assert simulator.status == "succeeded"
    assert office.calls.count(("charge", "a")) == 2
    assert office.net["a"] == 2, "it was asked for twice, by one attempt"


def test_what_a_successful_attempt_did_not_claim_is_undone() -> None:
    first = buying("charge:a", "charge:b", "charge:c", then=RuntimeError)
    office = Office(first, buying("charge:b"))
    simulator = run(office, saga(tool("charge")))
    assert simulator.status == "succeeded"
    assert office.undone() == ["c", "a"]
    assert (office.net["a"], office.net["b"], office.net["c"]) == (0, 1, 0)
    undone = [e.n for e in simulator.events if e.status == "undone"]
    [last] = [e.n for e in simulator.events if (e.kind, e.path) == ("intent", "last")]
    assert max(undone) < last, "what is not kept is back before the saga goes on"


def test_an_agent_that_fails_for_good_is_rolled_back_with_its_scope() -> None:
    office = Office(buying("charge:a", "ship:b", then=RuntimeError))
    simulator = run(office, saga(tool("charge"), tool("ship"), attempts=2))
    assert simulator.status == "rolled_back" and office.attempts == 2
    assert office.undone() == ["b", "a"]
    assert office.calls.count(("charge", "a")) == 1


def test_an_agent_that_refuses_is_not_called_again() -> None:
    office = Office(buying("charge:a", then=Refused))
    simulator = run(office, saga(tool("charge")))
    assert simulator.status == "rolled_back" and office.attempts == 1
    assert office.undone() == ["a"]


def test_an_agent_that_may_fail_leaves_nothing_behind() -> None:
    office = Office(buying("charge:a", "charge:b", then=Refused))
    simulator = run(office, saga(tool("charge"), on_failure="continue"))
    assert simulator.status == "succeeded"
    assert office.undone() == ["b", "a"]
    assert simulator.state.values["buyer"] is None


def test_reads_are_calls_too_and_have_nothing_to_undo() -> None:
    office = Office(buying("look:x", "charge:a", result=None))
    simulator = run(office, saga(read(), tool("charge")))
    assert simulator.status == "succeeded"
    assert simulator.state.values["buyer"] == [None, {"id": "a"}]


def test_a_result_of_another_type_is_a_failed_attempt() -> None:
    office = Office(buying("charge:a", result="no number"), buying("charge:a", result=7))
    given = saga(tool("charge"))
    agent = structs.replace(given.agents[0], result=Type("int"))
    simulator = run(office, structs.replace(given, agents=(agent,)))
    assert simulator.status == "succeeded" and office.attempts == 2
    assert simulator.state.values["buyer"] == 7
    assert office.net["a"] == 1


# --- inside bodies ------------------------------------------------------------------------------


def within(make: Callable[[Statement], Statement], *tools: Tool) -> Plan:
    """The saga of an agent that stands in another body."""
    flat = saga(*tools)
    agent, last = flat.body
    return structs.replace(flat, body=(make(agent), last))


def test_in_a_scope_its_calls_are_undone_before_the_else() -> None:
    office = Office(buying("charge:a", "charge:b", then=Refused))
    given = within(
        lambda agent: scope("buying", agent, otherwise=[step(tool("ship"))]),
        tool("charge"),
        tool("ship"),
    )
    simulator = run(office, given)
    assert simulator.status == "succeeded"
    assert office.undone() == ["b", "a"]
    assert office.calls.index(("ship", "ship")) > office.calls.index(("un_charge", "a"))


def test_in_an_item_that_is_tolerated_only_its_own_calls_are_undone() -> None:
    scripts = [buying("charge:a"), buying("charge:b", then=Refused), buying("charge:c")]
    office = Office(*scripts)
    given = within(lambda agent: each("shops", text([1, 2, 3]), agent, tolerate=1), tool("charge"))
    simulator = run(office, given)
    assert simulator.status == "succeeded"
    assert office.undone() == ["b"]
    assert rows(simulator)["shops[1].buyer[1]"] == "compensated"
    assert rows(simulator)["shops[2].buyer[1]"] == "succeeded"


def test_what_fails_behind_a_loop_undoes_the_calls_of_all_its_agents() -> None:
    office = Office(buying("charge:a", "ship:b"))
    office.script("last", raised("Refused"))
    given = within(lambda agent: each("shops", text([1, 2]), agent), tool("charge"), tool("ship"))
    simulator = run(office, given)
    assert simulator.status == "rolled_back"
    assert office.undone() == ["b", "a", "b", "a"]


# --- people --------------------------------------------------------------------------------------


def test_a_tool_with_a_group_waits_for_its_own_gate_which_shows_its_arguments() -> None:
    office = Office(buying("order:a", "order:b"))
    simulator = run(office, saga(tool("order", cls="irreversible"), needs="leads"))
    assert simulator.status == "waiting"
    [row] = views.waiting_for(simulator.state)
    assert (row["path"], row["needs"]) == ("buyer[1].gate", "1 of leads")
    assert row["shows"] == {"call": "order", "arguments": {"id": "a"}}
    simulator.ask(Request("approve", actor="lea", path="buyer[1].gate"))
    assert simulator.run() == "waiting"
    assert [w["path"] for w in views.waiting_for(simulator.state)] == ["buyer[2].gate"]
    simulator.ask(Request("approve", actor="lea", path="buyer[2].gate"))
    assert simulator.run() == "succeeded"
    assert (office.net["a"], office.net["b"]) == (1, 1)


def test_a_rejected_call_is_refused_to_the_agent() -> None:
    def script() -> AgentScript:
        try:
            yield "order", {"id": "a"}
        except Refused as no:
            return str(no)

    simulator = run(Office(script), saga(tool("order", cls="irreversible"), needs="leads"))
    simulator.ask(Request("reject", actor="lea", path="buyer[1].gate", note="too dear"))
    assert simulator.run() == "succeeded"
    assert simulator.state.values["buyer"] == "Rejected: lea rejected `buyer[1].gate`: too dear"


def test_an_approval_outlives_the_process_and_the_agent_is_called_only_then() -> None:
    office = Office(buying("order:a"))
    simulator = run(office, saga(tool("order", cls="irreversible"), needs="leads"))
    simulator.crash()
    assert simulator.run() == "waiting"
    assert office.attempts == 1, "nothing is to be found out before people have decided"
    simulator.ask(Request("approve", actor="lea", path="buyer[1].gate"))
    assert simulator.run() == "succeeded"
    assert office.attempts == 2 and office.net["a"] == 1


# --- faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", range(0, 60, 3))
def test_a_crash_at_any_time_does_nothing_twice(at: int) -> None:
    office = Office(buying("charge:a", "ship:b", "charge:c", result=None))
    simulator = Simulator(saga(tool("charge", verify=True), tool("ship", verify=True)), {}, office)
    simulator.run(until=at)
    simulator.crash()
    assert simulator.run() == "succeeded"
    assert {thing: office.net[thing] for thing in "abc"} == {"a": 1, "b": 1, "c": 1}
    assert not [s for s in simulator.state.steps.values() if s.phase == "undone"]


@pytest.mark.parametrize("at", range(17))
def test_cancelling_refuses_further_calls_and_undoes_those_made(at: int) -> None:
    office = Office(buying("charge:a", "ship:b", "charge:c"))
    simulator = Simulator(saga(tool("charge"), tool("ship")), {}, office)
    simulator.run(until=at)
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert not any(office.net.values())


def test_going_forward_again_calls_the_agent_anew_and_does_nothing_twice() -> None:
    office = Office(buying("charge:a", "ship:b"))
    office.script("last", raised("Refused"))
    office.script("un_charge", *[raised("Refused")] * 9)
    simulator = run(office, saga(tool("charge"), tool("ship")))
    incident = views.open_incident(simulator.state)
    assert incident is not None and (incident.cause, incident.path) == ("undo_failed", "buyer[1]")
    assert (office.net["a"], office.net["b"]) == (1, 0)
    simulator.ask(Request("resolve", actor="ann", answer="forward"))
    assert simulator.run() == "succeeded"
    assert office.attempts == 2
    assert (office.net["a"], office.net["b"]) == (1, 1)
    assert office.calls.count(("charge", "a")) == 1, "it was never undone: it is claimed"


def test_the_log_alone_gives_the_same_state() -> None:
    first = buying("charge:a", "charge:b", then=RuntimeError)
    simulator = run(Office(first, buying("charge:b", "ship:c")), saga(tool("charge"), tool("ship")))

    def seen() -> tuple[Any, ...]:
        state = simulator.state
        return views.steps(state), views.effects(state), simulator.status, state.readiness

    before = seen()
    simulator.crash()
    assert seen() == before
