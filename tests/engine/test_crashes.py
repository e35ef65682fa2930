"""A process is killed at each named point; another takes the run up; the world is the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sagalang.runtime import failpoints

from .childkit import Children
from .enginekit import tool

pytestmark = pytest.mark.slow

QUICK = "retry 3 times every 1ms..2ms timeout 5s settle 20ms"


def program(*, keys: bool, verify: bool, bad: bool = False) -> str:
    """Two effects and a read of what they gave; `bad` rolls them back."""
    how = "by key" if keys else ""
    steps = 'step a = a("1") step b = b(a) step c = c(b)'
    more = "retry never timeout 5s settle 20ms" if not (keys or verify) else QUICK
    return (
        tool("a", more=QUICK, verify=True)
        + tool("b", idempotent=how, verify=verify, more=more)
        + tool("c", more=QUICK)
        + f"saga s() -> str {{ {steps} {'requires false' if bad else ''} return c }}"
    )


POINTS = {
    "K1 before the intent is durable": "intent.before:b",
    "K2 after the intent, before the call": "call.before:b",
    "K3 applied, no answer": "call.after:b",
    "K4 answered, the outcome not durable": "outcome.before:b",
}


@pytest.mark.parametrize("point", POINTS.values(), ids=list(POINTS))
@pytest.mark.parametrize("way", ["verify", "keys", "neither"])
def test_killed_between_the_effect_and_the_record_of_it(
    tmp_path: Path, way: str, point: str
) -> None:
    text = program(keys=way == "keys", verify=way == "verify")
    children = Children(tmp_path, text, honours=way == "keys")
    assert children.run(point) is None
    shown = children.run()
    assert shown is not None
    applied = point in ("call.after:b", "outcome.before:b")
    assert children.done("b") <= 1
    if way == "neither" and not point.startswith("intent.before"):
        assert shown["status"] == "escalated"
        assert children.calls().count("b") == (1 if applied else 0)
        return
    assert shown["status"] == "succeeded", shown
    assert shown["result"] == "c-of-b-1"
    assert children.done("b") == 1
    assert len(children.keys("b")) == 1
    repeated = way == "keys" and applied
    assert children.calls().count("b") == (2 if repeated else 1)


def everything_holds(children: Children, shown: dict[str, Any]) -> None:
    """What must hold after any crash: nothing doubled, no gap, undos only after the last intent."""
    events = shown["events"]
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    for name in "ab":
        assert children.net(name) in (0, 1)
    intents = [(e["n"], e["direction"]) for e in events if e["kind"] == "intent"]
    first_undo = min((n for n, direction in intents if direction == "undo"), default=10**9)
    assert all(n < first_undo for n, direction in intents if direction == "do")
    keys = {(e["path"], e["direction"]): e["key"] for e in events if e["kind"] == "intent"}
    for path in "ab":
        assert children.keys(path) <= {keys.get((path, "do"))}
        assert children.keys(f"-{path}") <= {keys.get((path, "undo"))}


REACHED = [
    name
    for name in failpoints.NAMES
    if name.rpartition(".")[0]
    in (
        "run_started", "chosen", "intent", "undo.intent", "outcome", "undo.outcome", "verified",
        "scope_closed", "run_finished", "call", "undo.call", "verify.call", "commit",
    )
]  # fmt: skip


@pytest.mark.parametrize("point", [*REACHED, *(f"commit.begun:{n}" for n in range(2, 9))])
def test_killed_anywhere_a_run_is_rolled_back_whole(tmp_path: Path, point: str) -> None:
    children = Children(tmp_path, program(keys=True, verify=True, bad=True))
    assert children.run(point) is None
    shown = children.run()
    assert shown is not None
    assert shown["status"] == "rolled_back", shown
    assert [children.net(name) for name in "ab"] == [0, 0]
    everything_holds(children, shown)
    count = len(children.calls())
    assert children.run() is not None
    assert len(children.calls()) == count


@pytest.mark.parametrize(
    "point", ["attempt_lost.before", "attempt_lost.after", "take.before", "take.after"]
)
def test_killed_again_while_it_is_taken_up(tmp_path: Path, point: str) -> None:
    children = Children(tmp_path, program(keys=True, verify=False))
    assert children.run("call.after:b") is None
    assert children.run(point) is None
    shown = children.run()
    assert shown is not None and shown["status"] == "succeeded"
    assert children.done("b") == 1
    everything_holds(children, shown)


def test_killed_in_the_middle_of_an_undo_and_twice(tmp_path: Path) -> None:
    children = Children(tmp_path, program(keys=True, verify=True, bad=True))
    assert children.run("undo.call.after:b") is None
    assert children.run("undo.call.before:a") is None
    shown = children.run()
    assert shown is not None and shown["status"] == "rolled_back"
    assert [children.net(name) for name in "ab"] == [0, 0]
    everything_holds(children, shown)


BETWEEN = (
    "undo.intent.before:a.undo.one",
    "undo.call.after:a.undo.one",
    "undo.outcome.before:a.undo.one",
    "undo.outcome.after:a.undo.one",
    "undo.call.before:a.undo.two",
    "undo.call.after:a.undo.two",
)


@pytest.mark.parametrize("point", BETWEEN)
def test_killed_between_two_calls_of_a_saga_that_is_an_undo(tmp_path: Path, point: str) -> None:
    text = (
        tool("a", more=QUICK).replace("undo undo_a(id)", "undo back(id)")
        + tool("b", more=QUICK)
        + "saga back(id: str) { step one = undo_a(id) step two = undo_b(id) }"
        + 'saga s() -> str { step a = a("1") requires false return a }'
    )
    children = Children(tmp_path, text)
    assert children.run(point) is None
    shown = children.run()
    assert shown is not None and shown["status"] == "rolled_back"
    # The second call takes back what it alone knows of: once, like the first.
    assert (children.net("a"), children.net("b")) == (0, -1)
    repeated = [name for name in ("one", "two") if point == f"undo.call.after:a.undo.{name}"]
    repeated += ["one"] * (point == "undo.outcome.before:a.undo.one")
    assert children.calls().count("-a") == 1 + ("one" in repeated)
    assert children.calls().count("-b") == 1 + ("two" in repeated)
    assert len(children.keys("-a")) == len(children.keys("-b")) == 1
    count = len(children.calls())
    assert children.run() is not None
    assert len(children.calls()) == count


CREDIT = (
    tool("a", more=QUICK).replace("undo undo_a(id)", "undo back(id)")
    + tool("b", more=QUICK)
    + """
tool credited(id: str) -> str? { call python "credited" effect none }
tool credit(id: str) -> str {
  call python "undo_a" (id, key: key)
  effect a restoring
  idempotent by key
  verify credited(id)
  retry 3 times every 1ms..2ms timeout 5s settle 20ms
}
saga back(id: str) { step one = credit(id) step two = undo_b(one) }
saga s() -> str { step a = a("1") requires false return a }
"""
)


@pytest.mark.parametrize("honours", [True, False])
def test_what_an_undo_gave_is_asked_for_when_its_answer_died_with_its_process(
    tmp_path: Path, honours: bool
) -> None:
    """Whether the service honours keys or not: it is not called again, and the next call has it."""
    children = Children(tmp_path, CREDIT, honours=honours)
    assert children.run("undo.outcome.before:a.undo.one") is None
    shown = children.run()
    assert shown is not None and shown["status"] == "rolled_back"
    assert children.calls().count("-a") == 1
    assert (children.net("a"), children.net("b")) == (0, -1)
    found = {
        (event["path"], event["kind"]): event
        for event in shown["events"]
        if event["direction"] == "undo"
    }
    assert found["a.undo.one", "verified"]["result"] == "a-1"
    assert found["a.undo.two", "intent"]["action"]["args"] == {"id": "a-1"}


def test_a_point_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    children = Children(tmp_path, program(keys=True, verify=True))
    process = children.start("intent.befor:b")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "'intent.befor'" in err and "intent.before" in err
