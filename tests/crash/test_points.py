"""A process dies at each named failure point; another takes the run up; the service is the judge.

The same points with a world in a file, with keys and without: tests/engine/test_crashes.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.runtime import failpoints

from .bench import Bench
from .stories import STORIES, judge, play

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "failpoints.md"
SIDES = ("before", "after")


def both(*names: str) -> list[str]:
    """Both sides of each point."""
    return [f"{name}.{side}" for name in names for side in SIDES]


POINTS: dict[str, list[str]] = {
    "all goes well": [
        *both("run_started", "chosen", "intent", "outcome", "checkpointed", "run_finished"),
        *both("call", "read.call", "commit", "blob", "checkpoint"),
        *("commit.begun", "commit.written"),
    ],
    "an answer is lost": both("verified", "verify.call"),
    "the service is busy": both("timer_set", "timer_due"),
    "the last step is refused": both("scope_closed", "undo.intent", "undo.outcome", "undo.call"),
    "a gate is approved": both("gate_opened", "decided"),
    "the run is cancelled": both("cancel_requested"),
    "the run is frozen": both("frozen"),
    "an undo is refused": both("escalated", "resolved"),
    "an accepted mail is taken back in words": both(
        "corrective.intent", "corrective.outcome", "corrective.call"
    ),
    "an answer comes late": both("late"),
}
"""For each point a story in which a process passes it."""

ELSEWHERE = {*both("take", "attempt_lost", "post")}
"""Points of a second process; their tests stand below."""

LATER = {*both("signalled")}
"""Points of the statement `wait`, which is not carried out yet."""


def test_no_point_is_left_out() -> None:
    named = [point for points in POINTS.values() for point in points]
    assert len(named) == len(set(named))
    assert {*named} | ELSEWHERE | LATER == {*failpoints.NAMES}


def test_every_point_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in failpoints.NAMES if f"`{name.rpartition('.')[0]}`" not in text] == []
    assert "`commit.begun`" in text and "`commit.written`" in text


@pytest.mark.parametrize(
    ("story", "point"),
    [pytest.param(story, point, id=point) for story, points in POINTS.items() for point in points],
)
def test_killed_at_each_point(bench: Bench, story: str, point: str) -> None:
    STORIES[story].prepare(bench)
    told = play(bench, STORIES[story], point)
    assert sum(done.killed for done in told) == 1, [done.err for done in told]
    judge(bench, STORIES[story])


# Where a kind of event comes several times, the first time is one case among others.
FURTHER = [
    ("all goes well", "call.after:ship"),
    ("all goes well", "outcome.before:mail"),
    ("all goes well", "commit.written:6"),
    ("an answer is lost", "verify.call.before:ship"),
    ("an answer is lost", "verified.before:ship"),
    ("the last step is refused", "outcome.before:ship"),
    ("the last step is refused", "undo.call.after:pay"),
    ("the last step is refused", "undo.outcome.before:pay"),
    ("the last step is refused", "run_finished.before"),
    ("an answer of an undo is lost", "undo.call.after:pay"),
    ("an answer of an undo is lost", "undo.outcome.before:pay"),
    ("a gate is approved", "intent.before:ship"),
    ("a gate is approved", "call.after:ship"),
    ("the run is cancelled", "undo.call.after:hold"),
    ("the run is frozen", "resolved.after"),
    ("an undo is refused", "undo.outcome.before:pay"),
    ("an accepted mail is taken back in words", "undo.call.after:pay"),
]


@pytest.mark.parametrize(("story", "point"), FURTHER, ids=[f"{s}: {p}" for s, p in FURTHER])
def test_killed_later(bench: Bench, story: str, point: str) -> None:
    STORIES[story].prepare(bench)
    told = play(bench, STORIES[story], point)
    assert sum(done.killed for done in told) == 1, [done.err for done in told]
    judge(bench, STORIES[story])


@pytest.mark.parametrize("point", both("take", "attempt_lost"))
def test_killed_again_while_it_is_taken_up(bench: Bench, point: str) -> None:
    story = STORIES["all goes well"]
    story.prepare(bench)
    begin = story.lines()[0]
    assert bench.saga(*begin, failpoint="call.after:pay").killed
    assert bench.saga(*begin, failpoint=point).killed
    assert bench.saga(*begin).code == 0
    judge(bench, story)


@pytest.mark.parametrize("point", both("post"))
def test_whoever_asks_dies_and_asks_again(bench: Bench, point: str) -> None:
    """The owner lives and is at a call while somebody asks it to stop."""
    story = STORIES["the run is cancelled"]
    story.prepare(bench)
    bench.shop.switch("payments/charge", delay_answer=4.0)
    owner = bench.start(*story.lines()[0])
    bench.until("payments/charge", "applied")
    assert bench.saga("cancel", "r", failpoint=point).killed
    # What was posted before the death is decided: asking again changes nothing, and says so.
    assert bench.saga("cancel", "r").code == (0 if point == "post.before" else 1)
    assert owner.wait().code == 3
    judge(bench, story)
