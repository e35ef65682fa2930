"""Agents as Python functions: they call their tools through `tools`, and each call is durable."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from sagalang.runtime import Log, Refused, Run
from sagalang.runtime.engine.agents import ToolBox
from sagalang.runtime.engine.errors import BindingFailed

from .enginekit import World, at_end, kinds, saga, tool, until

BUYING = (
    tool("pick")
    + tool("pay", verify=True, more="retry 3 times every 1ms..2ms timeout 5s settle 10ms")
    + """
tool book(id: str) -> str {
  call python "book" (id, key: key)
  effect book(id) irreversible corrective "Cancel the booking of {id}."
  idempotent by key
}
record Offer { id: str, price: decimal }
tool look(q: str) -> Offer { call python "look" effect none }
agent buyer(goal: str) -> str {
  call python "buyer"
  may use pick, pay, look, book needs "leads" at most 6 calls
  MORE
}
saga s() -> str {
  step bought = buyer("shoes")
  step last = pick("last")
  return bought
}"""
)


@pytest.fixture(autouse=True)
def groups(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nleads = ["lea"]\n')


def begin(log: Log, world: World, buyer: Callable[..., Any], more: str = "") -> Run:
    """Starts a run whose agent is a function."""

    def look(q: str) -> dict[str, Any]:
        return {"id": f"best {q}", "price": Decimal("12.50")}

    functions = {**world.add("pick", "pay", "book"), "look": look, "buyer": buyer}
    return saga(BUYING.replace("MORE", more), functions).start(log)


MONEY = (
    tool("pick")
    + """
record Quote { price: decimal, until: date, note: str? = none }
tool look(budget: decimal, before: date? = none) -> Quote { call python "look" effect none }
agent buyer(goal: str) -> Quote {
  call python "buyer"
  may use look
}
saga s() -> Quote {
  step bought = buyer("shoes")
  return bought
}"""
)


def test_texts_of_an_agent_stand_for_what_json_has_no_form_for(log: Log) -> None:
    """What a model says is JSON: its decimals and dates are texts, in calls and in answers."""
    given: list[object] = []

    def look(budget: Decimal, before: date | None) -> dict[str, Any]:
        given.append((budget, before))
        return {"price": "12.50", "until": "2026-12-24"}

    def buyer(goal: str, tools: ToolBox) -> dict[str, Any]:
        offer = tools.call("look", budget="20.00", before="2026-12-01")
        assert (offer.price, offer.until) == (Decimal("12.50"), date(2026, 12, 24))
        # The same call, in other words of Python, is answered from the log.
        assert tools.call("look", budget=Decimal("20.00"), before=date(2026, 12, 1)) == offer
        with pytest.raises(Refused, match="budget must be decimal"):
            tools.call("look", budget=20.5)
        with pytest.raises(Refused, match=r'budget must be decimal \(such as "12.50"\)'):
            tools.call("look", budget="twenty")
        return {"price": "12.50", "until": "2026-12-24"}

    run = saga(MONEY, {**World().add("pick"), "look": look, "buyer": buyer}).start(log)
    result = run.result(60)
    assert (result.price, result.until) == (Decimal("12.50"), date(2026, 12, 24))
    assert given[0] == (Decimal("20.00"), date(2026, 12, 1))


@pytest.mark.parametrize("price", [12.5, "about 12", "NaN", True, b"12.50"])
def test_money_stays_exact_in_what_tools_give(log: Log, price: object) -> None:
    def look(budget: Decimal, before: date | None) -> dict[str, Any]:
        return {"price": price, "until": "2026-12-24"}

    def buyer(goal: str, tools: ToolBox) -> Any:
        return tools.call("look", budget="20.00")

    run = saga(MONEY, {**World().add("pick"), "look": look, "buyer": buyer}).start(log)
    assert at_end(run) == "rolled_back"
    error = run.to_json()["error"]
    assert "price must be decimal" in error["message"]


def test_an_agent_calls_its_tools_and_gets_what_they_give(log: Log) -> None:
    def buyer(goal: str, tools: ToolBox) -> str:
        offer = tools.call("look", q=goal)
        assert type(offer).__name__ == "Offer"
        assert tools.names == ("pick", "pay", "look", "book")
        return str(tools.call("pay", id=offer.id))

    world = World()
    run = begin(log, world, buyer)
    assert run.result(60) == "pay:best shoes"
    assert world.names() == ["pay", "pick"]
    steps = {row["path"]: row["status"] for row in run.to_json()["steps"]}
    assert list(steps) == ["bought", "bought[1]", "bought[2]", "last"]
    assert set(steps.values()) == {"succeeded"}
    assert [e["key"] for e in run.events() if e["path"] == "bought[2]" and e["kind"] == "intent"]


def test_an_agent_that_is_a_coroutine_awaits_its_calls_also_several_at_once(log: Log) -> None:
    async def buyer(goal: str, tools: ToolBox) -> str:
        calls: list[Any] = [tools.call("pick", id="a"), tools.call("pick", id="b")]
        found: list[str] = await asyncio.gather(*calls)
        return ", ".join(found)

    world = World()
    run = begin(log, world, buyer)
    assert run.result(60) == "pick:a, pick:b"
    assert world.net("pick") == 3


def test_a_refused_call_is_raised_in_the_agent(log: Log) -> None:
    told: list[str] = []

    def buyer(goal: str, tools: ToolBox) -> str:
        for name, given in (("undo_pay", {"id": "x"}), ("pay", {"ident": "x"}), ("pay", {})):
            try:
                tools.call(name, **given)
            except Refused as no:
                told.append(str(no))
        return "nothing"

    world = World()
    assert begin(log, world, buyer).result(60) == "nothing"
    assert told[0] == "`buyer` may not use `undo_pay`; it may use pick, pay, look, book"
    assert told[1] == "`pay` has no parameter `ident`; it takes id: str"
    assert "`pay` has no value for `id`" in told[2]
    assert world.names() == ["pick"]


def test_a_lost_answer_is_found_out_before_the_agent_hears_of_it(log: Log) -> None:
    def break_once() -> None:
        world.after.clear()
        raise OSError("the line went dead")

    def buyer(goal: str, tools: ToolBox) -> str:
        return str(tools.call("pay", id="x"))

    world = World()
    world.after["pay"] = break_once
    run = begin(log, world, buyer)
    assert run.result(60) == "pay:x"
    assert world.net("pay") == 1
    assert [k for k in kinds(run, "verified") if k[1] == "bought[1]"]


def test_a_further_attempt_does_not_repeat_what_was_done(log: Log) -> None:
    attempts: list[str] = []

    def buyer(goal: str, tools: ToolBox) -> str:
        attempts.append(goal)
        tools.call("pay", id="x")
        if len(attempts) == 1:
            tools.call("pick", id="unneeded")
            raise RuntimeError("the model said nonsense")
        return "done"

    world = World()
    run = begin(log, world, buyer, "retry 3 times every 1ms..2ms")
    assert run.result(60) == "done"
    assert world.names() == ["pay", "pick", "-pick", "pick"]
    assert run.to_json()["steps"][0]["attempts"] == 2


def test_an_agent_that_fails_is_undone(log: Log) -> None:
    def buyer(goal: str, tools: ToolBox) -> str:
        tools.call("pay", id="x")
        raise Refused("there are no shoes")

    world = World()
    run = begin(log, world, buyer)
    assert at_end(run) == "rolled_back"
    assert world.net("pay") == 0
    assert run.to_json()["error"]["message"] == "there are no shoes"


def test_a_call_that_needs_people_waits_and_its_agent_waits_with_it(log: Log) -> None:
    def buyer(goal: str, tools: ToolBox) -> str:
        return str(tools.call("book", id="x"))

    world = World()
    run = begin(log, world, buyer, "timeout 30s")
    assert at_end(run) == "waiting"
    assert run.waiting_for[0]["path"] == "bought[1].gate"
    assert run.waiting_for[0]["shows"] == {"call": "book", "arguments": {"id": "x"}}
    assert world.names() == []
    [left] = log.engine.waiting.left.values()
    assert log.engine.timeouts.next() is None, "its own time stands still"
    assert 0 < left <= 30_000
    run.approve("bought[1].gate", by="lea")
    assert run.result(60) == "book:x"
    assert run.to_json()["steps"][0]["attempts"] == 1


def test_a_rejected_call_is_refused(log: Log) -> None:
    def buyer(goal: str, tools: ToolBox) -> str:
        try:
            tools.call("book", id="x")
        except Refused as no:
            return str(no)
        return ""

    run = begin(log, World(), buyer)
    assert at_end(run) == "waiting"
    run.reject("bought[1].gate", by="lea", note="too dear")
    assert run.result(60) == "Rejected: lea rejected `bought[1].gate`: too dear"


def test_closing_the_log_interrupts_an_agent_that_waits_and_it_goes_on_later(log: Log) -> None:
    ended: list[str] = []

    def buyer(goal: str, tools: ToolBox) -> str:
        try:
            tools.call("pay", id="x")
            return str(tools.call("book", id="y"))
        except Exception:
            return "an agent must not take this for an answer"
        finally:
            ended.append("ended")

    world = World()
    run = begin(log, world, buyer)
    assert at_end(run) == "waiting"
    log.close()
    assert ended == ["ended"]
    assert run.status == "waiting", "people are still asked"
    run.approve("bought[2].gate", by="lea")
    assert run.result(60) == "book:y"
    assert world.names() == ["pay", "book", "pick"]
    assert ended == ["ended", "ended"]


def test_an_attempt_that_takes_too_long_calls_nothing_afterwards(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    after: list[str] = []

    def buyer(goal: str, tools: ToolBox) -> str:
        if not entered.is_set():
            entered.set()
            leave.wait(60)
            try:
                tools.call("pick", id="too late")
            except BaseException as error:
                after.append(type(error).__name__)
                raise
        return "second"

    world = World()
    run = begin(log, world, buyer, "timeout 300ms retry 20 times every 1ms..2ms")
    assert run.result(60) == "second"
    leave.set()
    until(lambda: bool(after))
    assert after == ["Interrupted"]
    assert world.names() == ["pick"]


def test_agents_that_wait_leave_their_tools_the_slots(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text(
        '[groups]\nleads = ["lea"]\n[limits]\nsync = 1\nasync = 1\n'
    )

    def buyer(goal: str, tools: ToolBox) -> str:
        return str(tools.call("pay", id="x"))

    assert begin(log, World(), buyer).result(60) == "pay:x"


def test_an_agent_without_the_parameter_has_no_tools(log: Log) -> None:
    def buyer(goal: str) -> str:
        return f"thought about {goal}"

    run = begin(log, World(), buyer)
    assert run.result(60) == "thought about shoes"


def test_an_agent_whose_function_takes_other_arguments_is_refused(log: Log) -> None:
    def buyer(aim: str, tools: ToolBox) -> str:
        return aim

    with pytest.raises(BindingFailed, match=r"the agent `buyer` cannot be called"):
        begin(log, World(), buyer)
