"""Other runs on one resource, as the kernel sees them: announced, looked for, waited for, asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sagalang.runtime.kernel import views
from sagalang.runtime.kernel.commands import Survey
from sagalang.runtime.kernel.neighbours import meets
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.simulator import Simulator

from .kit import World, plan, raised, step, tool


class Others:
    """The other runs: what a look finds `now`."""

    def __init__(self, now: Sequence[str], *, circle: bool = False) -> None:
        self.now = now
        self.circle = circle
        self.looks: list[Survey] = []

    def __call__(self, survey: Survey) -> tuple[Sequence[str], bool]:
        self.looks.append(survey)
        return self.now, self.circle and bool(self.now)


def run(others: Others, world: World | None = None, **parts: Any) -> Simulator:
    """A saga of two steps, the second of which cares for other runs."""
    a, b = tool("a"), tool("b", **parts)
    simulator = Simulator(plan([step(a), step(b)], [a, b]), {}, world or World())
    simulator.neighbours = others
    simulator.run()
    return simulator


def said(simulator: Simulator) -> list[tuple[str, str]]:
    """What was chosen, and where."""
    return [(e.path, e.status) for e in simulator.events if e.kind == "chosen"]


def test_what_a_call_will_touch_is_announced_before_anybody_looks() -> None:
    others = Others([])
    simulator = run(others, between_runs="wait")
    assert simulator.status == "succeeded"
    assert said(simulator) == [("b", "announced"), ("b", "surveyed")]
    assert [survey.resources for survey in others.looks] == [("thing(b)",)]


def test_nothing_is_looked_for_where_it_is_allowed() -> None:
    others = Others(["r2"])
    assert run(others).status == "succeeded"
    assert others.looks == []


def test_a_run_waits_and_goes_on_when_the_others_are_over() -> None:
    others = Others(["r2", "r3"])
    simulator = run(others, between_runs="wait")
    assert simulator.status == "running"
    assert [w["needs"] for w in views.waiting_for(simulator.state)] == ["run r2, r3"]
    others.now = ["r3"]
    simulator.look_around()
    simulator.run()
    assert simulator.status == "running"
    assert [w["needs"] for w in views.waiting_for(simulator.state)] == ["run r3"]
    others.now = []
    simulator.look_around()
    assert simulator.run() == "succeeded"
    assert {survey.known for survey in others.looks} == {(), ("r2", "r3"), ("r3",)}


@pytest.mark.parametrize("answer", ["retry", "forward", "back"])
def test_people_decide_whether_it_goes_on(answer: str) -> None:
    others = Others(["r2"])
    simulator = run(others, between_runs="escalate")
    assert simulator.status == "escalated"
    others.now = []
    simulator.ask(Request("resolve", actor="ann", answer=answer))
    assert simulator.run() == ("rolled_back" if answer == "back" else "succeeded")
    assert len(others.looks) == (2 if answer == "retry" else 1)


def test_a_wait_in_a_circle_is_laid_before_people() -> None:
    simulator = run(Others(["r2"], circle=True), between_runs="wait")
    incident = views.open_incident(simulator.state)
    assert incident is not None and incident.cause == "between_runs"
    assert "would wait for ever" in incident.summary


def test_a_further_attempt_does_not_look_again() -> None:
    world = World()
    world.script("b", raised("Transient"), raised("Transient"))
    others = Others([])
    assert run(others, world, between_runs="escalate").status == "succeeded"
    assert len(others.looks) == 1


def test_a_replay_never_looks_again() -> None:
    others = Others(["r2"])
    simulator = run(others, between_runs="escalate")
    simulator.crash()
    assert simulator.run() == "escalated"
    assert len(others.looks) == 1


def test_cancelling_ends_a_wait() -> None:
    simulator = run(Others(["r2"]), between_runs="wait")
    simulator.ask(Request("cancel", actor="ann"))
    assert simulator.run() == "cancelled"
    assert views.waiting_for(simulator.state) == []


@pytest.mark.parametrize(
    ("one", "other", "met"),
    [
        ("place(x)", "place(x)", True),
        ("place(x)", "place(y)", False),
        ("place(x)", "place", True),
        ("place", "place(x)", True),
        ("place", "place", True),
        ("place(x)", "placed(x)", False),
    ],
)
def test_a_whole_kind_meets_each_of_its_things(one: str, other: str, met: bool) -> None:
    assert meets(one, other) is met
