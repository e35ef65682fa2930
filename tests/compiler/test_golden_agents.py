"""The golden module with an agent: what was recorded of one is played to it, forward and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime import Log, Run
from sagalang.runtime.engine.agents import ToolBox

from .test_golden_bodies import Part, World, golden, log, settled

__all__ = ["log"]

Recorded = tuple[str, dict[str, Any]]
"""One call that an agent made: a tool and its arguments."""

Load = Callable[..., tuple[Any, World]]
"""Gives the golden module, and the world around an agent's function."""

SHOES: tuple[Recorded, ...] = (
    ("search", {"words": "shoes"}),
    ("reserve", {"sku": "s-1"}),
    ("order", {"sku": "s-1"}),
)
SOCKS: tuple[Recorded, ...] = (("reserve", {"sku": "k-1"}), ("reserve", {"sku": "k-2"}))


class Shop(Part):
    def search(self, words: str) -> list[dict[str, object]]:
        self._world.tell("search", words)
        return [{"sku": "s-1", "price": Decimal("12.50")}]

    def order_of(self, sku: str) -> None: ...

    def reserve(self, sku: str, idempotency_key: str) -> None:
        self._world.tell("reserve", sku)

    def release(self, sku: str) -> None:
        self._world.tell("release", sku)

    def order(self, sku: str) -> dict[str, object]:
        self._world.tell("order", sku)
        return {"id": "o-1", "sku": sku}


class Post(Part):
    def search(self, sku: str) -> None: ...


def plays(recorded: Sequence[Recorded]) -> Callable[..., list[str]]:
    """Stands for an agent: makes the calls that were recorded, and gives what it reserved."""

    def buyer(goal: str, budget: Decimal, tools: ToolBox) -> list[str]:
        for tool, arguments in recorded:
            tools.call(tool, **arguments)
        return [arguments["sku"] for tool, arguments in recorded if tool == "reserve"]

    return buyer


@pytest.fixture
def load(log: Log, monkeypatch: pytest.MonkeyPatch) -> Load:
    (log.path.parent / "saga.toml").write_text('[groups]\nbuyers = ["ann"]\n', "utf-8")

    def loaded(buyer: Callable[..., list[str]], *refuses: tuple[str, ...]) -> tuple[Any, World]:
        world = World(monkeypatch, *refuses)
        world.modules(shop=Shop(world), mail=Post(world))
        agents = ModuleType("shop.agents")
        agents.__dict__["buyer"] = buyer
        monkeypatch.setitem(sys.modules, "shop.agents", agents)
        return golden("assistant_saga", monkeypatch), world

    return loaded


def status(run: Run, path: str) -> str:
    return next(str(row["status"]) for row in run.to_json()["steps"] if row["path"] == path)


def test_an_agent_buys_when_people_agree_to_what_cannot_be_taken_back(log: Log, load: Load) -> None:
    module, world = load(plays(SHOES))
    run = settled(module.restock.start(log, goals=["shoes"]))
    assert run.status == "waiting"
    assert world.calls == [("search", "shoes"), ("reserve", "s-1")]
    run.approve('bought["shoes"].buy[3].gate', by="ann")
    assert settled(run).result() == [["s-1"]]
    assert world.calls == [("search", "shoes"), ("reserve", "s-1"), ("order", "s-1")]
    for number in (1, 2, 3):
        assert status(run, f'bought["shoes"].buy[{number}]') == "succeeded"


def test_what_an_agent_did_is_taken_back_newest_first(log: Log, load: Load) -> None:
    module, world = load(plays(SOCKS))
    run = settled(module.restock.start(log, goals=["socks"]))
    assert run.result() == [["k-1", "k-2"]]
    run.roll_back(by="ann")
    assert settled(run).status == "rolled_back"
    assert world.calls[2:] == [("release", "k-2"), ("release", "k-1")]
    assert [row["status"] for row in run.effects] == ["undone", "undone"]


def test_a_run_that_is_cancelled_while_an_agent_waits_for_people_leaves_nothing(
    log: Log, load: Load
) -> None:
    module, world = load(plays(SHOES))
    run = settled(module.restock.start(log, goals=["shoes"]))
    run.cancel(by="ann", reason="too dear")
    assert settled(run).status == "cancelled"
    assert world.calls[2:] == [("release", "s-1")]


def test_an_agent_that_is_called_again_by_another_process_is_answered_from_the_log(
    log: Log, load: Load
) -> None:
    module, world = load(plays(SHOES))
    run = settled(module.restock.start(log, goals=["shoes"]))
    log.close()
    with Log(log.path) as again:
        taken = settled(again.resume(run.id, module.restock))
        assert taken.status == "waiting"
        taken.approve('bought["shoes"].buy[3].gate', by="ann")
        assert settled(taken).result() == [["s-1"]]
        assert taken.to_json()["steps"][0]["attempts"] == 2
    assert world.calls == [("search", "shoes"), ("reserve", "s-1"), ("order", "s-1")]


def test_a_tool_that_refuses_is_told_to_the_agent_and_its_failure_is_undone(
    log: Log, load: Load
) -> None:
    module, world = load(plays(SOCKS), ("reserve", "k-2"))
    run = settled(module.restock.start(log, goals=["socks"]))
    assert run.result() == [None], "its `else continue` goes on without it"
    assert world.calls == [("reserve", "k-1"), ("release", "k-1")]


def test_a_run_with_an_agent_folds_to_the_same_at_each_of_its_events(log: Log, load: Load) -> None:
    """Replaying calls no function: what the agent was told stands in the log."""
    module, world = load(plays(SOCKS))
    run = settled(module.restock.start(log, goals=["socks"]))
    made = list(world.calls)
    last = run.events()[-1]["n"]
    seen = [len(run.at(n).to_json()["effects"]) for n in range(1, last + 1)]
    assert seen == sorted(seen) and seen[-1] == 2
    assert run.at(last).to_json()["result"] == run.to_json()["result"]
    assert world.calls == made
