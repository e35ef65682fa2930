"""Agents in scenarios: what one calls, in which order, and what becomes of each call."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.compiler.pipeline import compile
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.files import FileReader
from sagalang.runtime.rehearsal.rehearse import rehearse

from .programs import played, told, wrong
from .test_bodies import TOOLS

CORPUS = Path(__file__).parents[1] / "corpus" / "ok" / "purchasing.saga"

SAGA = """
agent helper(goal: str) -> list[str] {
  call python "agents:helper"
  may use page, book, tell needs "desk" at most 3 calls
  transient with Busy
  retry 2 times
  timeout 1m
}
saga trip(goal: str = "a tour", cities: list[str] = ["Rome", "Oslo"]) -> list[str] {
  step plan = planner(goal)
  requires goal != "bad" else "it is not good"
  return plan
}
saga trips(goals: list[str] = ["a", "b"]) -> list[list[str]] {
  each many = goal in goals by goal {
    step plan = planner(goal)
    return plan
  }
  return many
}
saga help(goal: str = "tell") -> list[str] {
  step plan = helper(goal) else continue
  return default(plan, ["nothing"])
}
"""
PROGRAM = TOOLS + SAGA


def scenario(saga: str, *lines: str) -> str:
    """A scenario of some lines."""
    return "\n".join((f'scenario "it" for {saga} {{', *lines, "}"))


TWO = ('mock plan calls book("Rome")', 'mock plan calls book("Oslo")')


def test_the_scenarios_of_the_corpus_pass_and_use_all_their_lines() -> None:
    made = compile(Source(str(CORPUS), CORPUS.read_text("utf-8")), FileReader())
    assert made.ok, render(made.diagnostics, made.sources)
    assert len(made.scenarios) == 6
    for each in made.scenarios:
        rehearsal = rehearse(each)
        assert (rehearsal.shortfalls, rehearsal.unused) == ((), ()), rehearsal.title


def test_its_calls_are_steps_one_after_another_and_then_it_answers() -> None:
    text = scenario("trip", *TWO, 'mock plan = ["Rome"]', 'expect result ["Rome"]')
    assert told(text, PROGRAM) == [
        "plan: `planner` is called",
        "plan[1]: the agent calls `book`",
        "plan[1]: `book` is called",
        "plan[1]: answers",
        "plan[2]: the agent calls `book`",
        "plan[2]: `book` is called",
        "plan[2]: answers",
        "plan: answers",
        ": the run is succeeded",
    ]


def test_what_it_called_is_taken_back_in_reverse() -> None:
    back = ("expect rolled back", "expect undone plan[2], plan[1]", "expect done plan")
    told(scenario("trip", 'given goal = "bad"', *TWO, *back), PROGRAM)


def test_a_refused_call_ends_the_agent_unless_it_goes_on() -> None:
    full = 'fail plan[1] with "Full"'
    ends = ("expect rolled back", "expect undone plan")
    rehearsal = played(scenario("trip", *TWO, full, *ends), PROGRAM)
    assert [one.happened for one in rehearsal.shortfalls] == [
        "nothing was undone; `plan` failed (Refused)"
    ]
    # The second call was never made, and that is said.
    assert [line.source for line in rehearsal.unused] == [TWO[1]]
    goes_on = (f"{TWO[0]} else continue", TWO[1])
    told(scenario("trip", *goes_on, full, "expect succeeded", "expect done plan[2]"), PROGRAM)


@pytest.mark.parametrize(
    "line",
    [
        "crash plan before call",
        "crash plan[1] before call",
        "crash plan[1] after call",
        "crash plan[2] after call",
        "crash plan after call",
    ],
)
def test_a_process_that_dies_makes_no_call_twice(line: str) -> None:
    timeline = told(
        scenario("trip", *TWO, line, "expect succeeded", "expect done plan[1], plan[2]"), PROGRAM
    )
    asked = [one for one in timeline if one.endswith("the agent calls `book`")]
    assert asked == [f"plan[{n}]: the agent calls `book`" for n in (1, 2)]
    assert sum(one.startswith("plan: `planner` is called") for one in timeline) == 2
    # Each call that had its answer before is answered from the log; the others are made once more.
    made = [one for one in timeline if one.split(", ")[0].endswith("`book` is called")]
    assert len(made) == (3 if line == "crash plan[1] before call" else 2), timeline


def test_each_attempt_makes_the_same_calls_and_is_answered_from_the_log() -> None:
    timeline = told(
        scenario("help", *TWO, 'fail plan with "Busy" 1 times', "expect succeeded"), PROGRAM
    )
    again = "the agent makes this call again: it is answered from the log"
    assert [one for one in timeline if one.endswith(again)] == [
        f"plan[1]: {again}",
        f"plan[2]: {again}",
    ]
    assert sum(one.endswith(": `book` is called") for one in timeline) == 2


@pytest.mark.parametrize("line", ["lose plan", "timeout plan"])
def test_an_answer_of_its_own_that_does_not_come_is_tried_again(line: str) -> None:
    timeline = told(scenario("help", *TWO, line, "expect succeeded"), PROGRAM)
    assert "plan: `helper` is called, attempt 2" in timeline
    assert sum(one.endswith(": `book` is called") for one in timeline) == 2


def test_when_all_its_attempts_are_used_up_its_calls_go_back() -> None:
    lines = ('fail plan with "Busy"', "expect succeeded", "expect undone plan[2], plan[1]")
    told(scenario("help", *TWO, *lines, 'expect result ["nothing"]'), PROGRAM)


def test_somebody_agrees_to_a_call_or_does_not() -> None:
    tells = ('mock plan calls book("Rome")', 'mock plan calls tell("hello")')
    agreed = 'approve plan[2].gate by "ann"'
    told(scenario("help", *tells, agreed, "expect succeeded", "expect done plan[2]"), PROGRAM)
    rejected = ("reject plan[2].gate", "expect not called plan[2]", "expect undone plan[1]")
    told(scenario("help", *tells, *rejected), PROGRAM)
    told(scenario("help", *tells, "expect waiting", "expect not called plan[2]"), PROGRAM)


def test_more_calls_than_it_may_make_are_refused() -> None:
    four = [f'mock plan calls book("{city}")' for city in ("Rome", "Oslo", "Bonn", "Kyiv")]
    back = ("expect undone plan[3], plan[2], plan[1]", "expect not called plan[4]")
    told(scenario("help", *four, *back), PROGRAM)
    four[3] += " else continue"
    told(scenario("help", *four, "expect done plan[3]", 'expect result ["x"]',
                  'mock plan = ["x"]'), PROGRAM)  # fmt: skip


def test_a_call_may_be_a_read_with_a_mock_and_an_effect_may_be_unknown() -> None:
    lines = (
        'mock plan calls page(cursor: "first")',
        'mock plan[1] = { names: ["Rome"], next: none }',
        'mock plan calls book("Rome")',
        "timeout plan[2] landing after 1s",
        'mock plan = ["Rome"]',
        "expect done plan[1], plan[2]",
        'expect result ["Rome"]',
    )
    timeline = told(scenario("help", *lines), PROGRAM)
    assert "plan[2]: verify: it is there" in timeline


def test_an_undo_of_a_call_may_be_refused() -> None:
    lines = ('given goal = "bad"', *TWO, "refuse undo plan[1]", "expect escalated")
    told(scenario("trip", *lines, "expect undone plan[2]"), PROGRAM)


def test_agents_in_items_have_their_own_calls() -> None:
    lines = (
        'mock many["a"].plan calls book("Rome")',
        'mock many["b"].plan calls book("Oslo")',
        'mock many["b"].plan calls book("Bonn")',
        'fail many["b"].plan[2] with "Full"',
        "expect rolled back",
        'expect undone many["b"].plan[1], many["a"].plan[1]',
    )
    told(scenario("trips", *lines), PROGRAM)


def test_without_a_line_about_its_calls_it_calls_nothing() -> None:
    timeline = told(scenario("trip", "expect succeeded"), PROGRAM)
    assert timeline == ["plan: `planner` is called", "plan: answers", ": the run is succeeded"]
    assert wrong(scenario("trip", "expect undone plan"), PROGRAM) == [
        ("undone plan", "nothing was undone; `plan` was carried out")
    ]
