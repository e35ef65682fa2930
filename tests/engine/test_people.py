"""Gates, cancelling and incidents, asked for in the process that runs the saga."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sagalang.runtime import Log
from sagalang.runtime.engine.errors import RequestRefused
from sagalang.runtime.engine.people import ask
from sagalang.runtime.kernel.people import Request

from .enginekit import World, at_end, hold, kinds, saga, tool, until

GATED = (
    tool("a")
    + tool("b")
    + """
saga s() -> str {
  step a = a("1")
  gate release needs 2 of "ops" shows a
  step b = b("2")
  return b
}"""
)
CHAIN = (
    tool("a")
    + tool("b")
    + tool("c")
    + """
saga s() -> str { step a = a("1") step b = b("2") step c = c("3") return c }"""
)


@pytest.fixture(autouse=True)
def groups(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada", "grace", "alan"]\n')


def test_a_gate_waits_out_of_memory_and_goes_on_when_enough_agree(log: Log) -> None:
    world = World()
    run = saga(GATED, world.add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    assert [row["shows"] for row in run.waiting_for] == [{"a": "a:1"}]
    assert run.id not in log.engine.runs.live
    assert run.approve("release", by="ada", note="fine")["status"] == "approved"
    assert at_end(run) == "waiting"
    run.approve("release", by="grace")
    assert run.result(60) == "b:2"
    assert [row["actor"] for row in run.approvals] == ["ada", "grace"]


def test_groups_are_those_of_the_folder_in_which_the_run_was_begun(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that changes the current folder takes nobody out of a group."""
    run = saga(GATED, World().add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    monkeypatch.chdir("/")
    assert run.approve("release", by="ada")["status"] == "approved"
    assert run.approve("release", by="grace")["status"] == "approved"
    assert run.result(60) == "b:2"


def test_who_may_not_decide_is_refused_and_the_refusal_logged(log: Log) -> None:
    run = saga(GATED, World().add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    with pytest.raises(RequestRefused, match="does not belong"):
        run.approve("release", by="mallory")
    run.approve("release", by="ada")
    with pytest.raises(RequestRefused, match="already approved"):
        run.approve("release", by="ada")
    assert [row["status"] for row in run.approvals] == ["refused", "approved", "refused"]
    assert run.status == "waiting"


def test_groups_are_those_of_the_moment(log: Log) -> None:
    run = saga(GATED, World().add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["grace"]\n')
    with pytest.raises(RequestRefused, match="does not belong"):
        run.approve("release", by="ada")


def test_a_rejection_rolls_back(log: Log) -> None:
    world = World()
    run = saga(GATED, world.add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    run.reject("release", by="ada", note="no")
    assert at_end(run) == "rolled_back"
    assert world.names() == ["a", "-a"]


def test_a_lapsed_gate_rolls_back(log: Log) -> None:
    world = World()
    text = GATED.replace("shows a", "shows a within 30ms else rollback")
    run = saga(text, world.add("a", "b")).start(log)
    until(lambda: run.status == "rolled_back")
    assert world.net("a") == 0


def test_cancel_lets_the_call_settle_and_undoes(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.after["b"] = hold(entered, leave)
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert entered.wait(60)
    run.cancel(by="ada")
    assert run.cancel(by="ada")["status"] == "ignored"
    leave.set()
    assert at_end(run) == "cancelled"
    assert world.names() == ["a", "b", "-b", "-a"]
    statuses = {row["path"]: row["status"] for row in run.to_json()["steps"]}
    assert statuses == {"a": "compensated", "b": "compensated", "c": "skipped"}


def test_cancel_at_a_gate_closes_it(log: Log) -> None:
    world = World()
    run = saga(GATED, world.add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    run.cancel(by="ada")
    assert at_end(run) == "cancelled"
    with pytest.raises(RequestRefused):
        run.approve("release", by="ada")
    assert world.names() == ["a", "-a"]


def test_cancel_of_a_final_run_is_refused_and_changes_nothing(log: Log) -> None:
    world = World()
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "succeeded"
    count = len(run.events())
    with pytest.raises(RequestRefused, match="already final"):
        run.cancel(by="ada")
    assert (run.status, len(run.events())) == ("succeeded", count)


def test_cancel_while_rolling_back_interrupts_no_undo(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["-b"] = hold(entered, leave)
    text = CHAIN.replace("return c", "requires false return c")
    run = saga(text, world.add("a", "b", "c")).start(log)
    assert entered.wait(60)
    assert run.cancel(by="ada")["data"]["reason"] == "already rolling back"
    leave.set()
    assert at_end(run) == "rolled_back"
    assert world.names() == ["a", "b", "c", "-c", "-b", "-a"]


def test_an_unknown_outcome_that_nothing_settles_is_peoples(log: Log) -> None:
    def vanish() -> None:
        raise ConnectionError("cut")

    world = World()
    world.after["b"] = vanish
    text = (
        tool("a")
        + tool("b", idempotent="", more="timeout 1s settle 10ms")
        + tool("c")
        + """
    saga s() -> str { step a = a("1") step b = b("2") step c = c(b) return c }"""
    )
    run = saga(text, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "escalated"
    incident = run.incident
    assert incident is not None and incident["path"] == "b" and "done" in incident["answers"]
    with pytest.raises(RequestRefused, match="not `forward`"):
        run.resolve("b", "forward", by="ada")
    run.resolve("b", "done", by="ada", value="seen", incident=incident["id"])
    assert run.result(60) == "c:seen"
    assert world.names() == ["a", "b", "c"]


def test_a_succeeded_run_is_rolled_back_on_request(log: Log) -> None:
    world = World()
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "succeeded"
    run.roll_back(by="ada")
    assert at_end(run) == "rolled_back"
    assert [world.net(name) for name in "abc"] == [0, 0, 0]


def test_freeze_stops_without_undoing(log: Log) -> None:
    world = World()
    run = saga(GATED, world.add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    run.freeze(by="ada", reason="odd")
    assert at_end(run) == "escalated"
    assert world.names() == ["a"]
    assert ("frozen", "", "", "") in [(k, p, d, "") for k, p, d, _ in kinds(run)]


def test_a_run_that_is_taken_up_to_read_does_not_wait_before_it_has(tmp_path: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def look(id: str) -> str:
        hold(entered, leave)()
        return id

    text = """
tool look(id: str) -> str { call python "look" effect none }
saga s() -> str {
  parallel { wait one: str wait two: str step seen = look(one) }
  return "{seen} {two}"
}"""
    path = tmp_path / "taken.duckdb"
    with Log(path) as log:
        assert at_end(saga(text, {"look": look}).start(log, run_id="r")) == "waiting"
    ask(path, "r", Request("signal", actor="shop", path="one", value="1"))
    with Log(path) as log:
        run = saga(text, {"look": look}).start(log, run_id="r")
        until(entered.is_set)
        assert run.status == "running"
        leave.set()
        until(lambda: run.status == "waiting")
        assert [row["path"] for row in run.waiting_for] == ["two"]
