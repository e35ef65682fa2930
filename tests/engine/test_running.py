"""Runs go forward, back, and are what their log says."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from sagalang.runtime import Conflict, Log, Refused, RunFailed, Transient, call
from sagalang.runtime.journal import Reader

from .enginekit import World, at_end, hold, kinds, saga, tool, until

THREE = tool("a") + tool("b") + tool("c")
CHAIN = (
    THREE + 'saga s(bad: bool = false) -> str { step a = a("1") step b = b(a) step c = c(b) '
    'requires not bad else "bad" return c }'
)


def refuse() -> None:
    raise Refused("no")


def test_a_saga_runs_to_its_result(log: Log) -> None:
    world = World()
    run = saga(CHAIN, world.add("a", "b", "c")).start(log, run_id="r")
    assert run.result(60) == "c:b:a:1"
    assert run.status == "succeeded"
    assert world.names() == ["a", "b", "c"]


def test_a_failure_is_undone_newest_first(log: Log) -> None:
    world = World()
    run = saga(CHAIN, world.add("a", "b", "c")).start(log, bad=True)
    assert at_end(run) == "rolled_back"
    assert world.names() == ["a", "b", "c", "-c", "-b", "-a"]
    assert [world.net(name) for name in "abc"] == [0, 0, 0]
    with pytest.raises(RunFailed, match="rolled back because of Requires: bad"):
        run.result()


def test_a_checkpoint_that_nobody_wrote_rides_in_the_commit_of_the_intent(log: Log) -> None:
    world = World()
    heavy = (tool("a") + tool("b")).replace(
        "effect b(id) reversible", "effect b(id) reversible impact 9"
    )
    text = heavy + 'saga s() -> str { step a = a("1") step b = b(a) return b }'
    batches: list[list[tuple[str, str]]] = []
    going, gate = threading.Event(), threading.Event()
    world.before["a"] = hold(going, gate)
    run = saga(text, world.add("a", "b")).start(log, run_id="r")
    assert going.wait(60)
    run.subscribe(lambda _, events, __: batches.append([(e.kind, e.path) for e in events]))
    gate.set()
    assert run.result(60) == "b:a:1"
    until(lambda: any(("run_finished", "") in batch for batch in batches))
    (batch,) = [batch for batch in batches if ("checkpointed", "b.checkpoint") in batch]
    assert batch[-2:] == [("checkpointed", "b.checkpoint"), ("intent", "b")]


def test_every_call_has_its_intent_in_the_log_before_it(log: Log) -> None:
    """The log is read from within the tool, through another connection: the intent is there."""
    found: list[list[tuple[str, str]]] = []

    def look() -> None:
        at = call()
        events = Reader(log.path).events(at.run_id)
        found.append([(e.path, e.key) for e in events if e.kind == "intent" and e.key == at.key])

    world = World()
    world.before = dict.fromkeys(("a", "b", "c", "-a", "-b", "-c"), look)
    run = saga(CHAIN, world.add("a", "b", "c")).start(log, bad=True)
    assert at_end(run) == "rolled_back"
    assert [len(intents) for intents in found] == [1] * 6
    assert [intents[0][0] for intents in found] == ["a", "b", "c", "c", "b", "a"]


def test_an_outcome_is_in_the_log_before_the_next_intent(log: Log) -> None:
    world = World()
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "succeeded"
    order = [(kind, path) for kind, path, _, _ in kinds(run, "intent", "outcome")]
    assert order == [(kind, path) for path in "abc" for kind in ("intent", "outcome")]
    assert [event["n"] for event in run.events()] == list(range(1, len(run.events()) + 1))


def test_a_refusal_speaks_for_its_step(log: Log) -> None:
    world = World()
    world.before["c"] = refuse
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "rolled_back"
    assert world.names() == ["a", "b", "c", "-b", "-a"]
    assert run.to_json()["error"] == {"type": "Refused", "message": "no"}


def test_a_transient_failure_is_repeated_with_the_same_key(log: Log) -> None:
    tries = iter([Transient("busy", retry_after=0.01), Transient("busy"), None])

    def stumble() -> None:
        if (error := next(tries)) is not None:
            raise error

    world = World()
    world.before["a"] = stumble
    text = (
        tool("a", more="retry 5 times every 1ms..5ms")
        + 'saga s() -> str { step a = a("1") return a }'
    )
    run = saga(text, world.add("a")).start(log)
    assert run.result(60) == "a:1"
    assert len(set(world.keys("a"))) == 1
    assert [attempt for _, _, attempt in world.calls] == [1, 2, 3]
    statuses = [status for _, _, _, status in kinds(run, "outcome")]
    assert statuses == ["transient", "transient", "succeeded"]


def test_keys_differ_by_run_and_by_step_and_by_direction(log: Log) -> None:
    text = THREE + 'saga s() { step x = a("1") step y = a("1") requires false }'
    world = World()
    started = saga(text, world.add("a", "b", "c"))
    for run_id in ("r1", "r2"):
        assert at_end(started.start(log, run_id=run_id)) == "rolled_back"
    keys = world.keys("a") + world.keys("-a")
    assert len(keys) == len(set(keys)) == 8
    assert all(len(key) <= 255 for key in keys)


def test_a_conflict_stands_escalated(log: Log) -> None:
    def conflict() -> None:
        raise Conflict("another amount")

    world = World()
    world.before["b"] = conflict
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "escalated"
    incident = run.incident
    assert incident is not None and incident["path"] == "b"
    assert world.names() == ["a", "b"]


def test_async_and_sync_tools_run_away_from_the_engine(log: Log) -> None:
    threads: dict[str, str] = {}

    async def a(id: str, key: str) -> str:
        threads["a"] = threading.current_thread().name
        assert call().key == key
        return id

    def b(id: str, key: str) -> str:
        threads["b"] = threading.current_thread().name
        assert call().path == "b"
        return id

    world = World()
    functions = world.add("a", "b", "c") | {"a": a, "b": b}
    run = saga(CHAIN, functions).start(log)
    assert at_end(run) == "succeeded"
    assert "tools" in threads["a"] and "tool-" in threads["b"]
    assert log.engine.path.stem in threads["a"]


def test_a_late_answer_is_kept_and_is_no_success(log: Log) -> None:
    release = threading.Event()
    text = (
        tool("a", more="timeout 50ms settle 50ms", idempotent="", verify=True)
        + 'saga s() -> str { step a = a("1") return a }'
    )

    def slowly() -> None:
        release.wait(60)
        refuse()

    world = World()
    world.before["a"] = slowly
    run = saga(text, world.add("a")).start(log, run_id="late")
    assert at_end(run) == "rolled_back"
    release.set()
    until(lambda: bool(kinds(run, "late")))
    late = [event for event in run.events() if event["kind"] == "late"]
    assert [event["error"]["type"] for event in late] == ["Refused"]
    assert run.status == "rolled_back"
    assert world.net("a") == 0


def test_a_sibling_settles_before_anything_is_undone(log: Log) -> None:
    may_return = threading.Event()
    seen: list[str] = []
    text = THREE + 'saga s() { parallel { step x = a("1") step y = b("1") step z = c(x) } }'
    world = World()
    world.after["a"] = hold(threading.Event(), may_return)
    world.before["b"] = refuse
    run = saga(text, world.add("a", "b", "c")).start(log)
    until(lambda: ("outcome", "y", "do", "refused") in kinds(run))
    for _ in range(5):
        seen.append(run.status)
        assert world.net("a") == 1
        time.sleep(0.01)
    may_return.set()
    assert at_end(run) == "rolled_back"
    assert "rolled_back" not in seen
    order = kinds(run, "intent", "outcome")
    assert order.index(("outcome", "x", "do", "succeeded")) < order.index(
        ("intent", "x", "undo", "")
    )
    assert world.names().count("c") == 0
    assert world.net("a") == world.net("b") == 0


def test_one_slot_holds_back_the_intents_of_the_others(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text("[limits]\nsync = 1\n")
    text = THREE + 'saga s() { parallel { step x = a("1") step y = b("1") step z = c("1") } }'
    open_intents: list[int] = []

    def look() -> None:
        events = Reader(log.path).events(call().run_id)
        intents = sum(event.kind == "intent" for event in events)
        open_intents.append(intents - sum(event.kind == "outcome" for event in events))

    world = World()
    world.before = dict.fromkeys("abc", look)
    run = saga(text, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "succeeded"
    assert open_intents == [1, 1, 1]


def test_a_queued_sibling_is_skipped_when_the_scope_closes(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text("[limits]\nsync = 1\n")
    text = THREE + 'saga s() { parallel { step y = b("1") step x = a("1") } }'
    world = World()
    world.before["b"] = refuse
    run = saga(text, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "rolled_back"
    assert world.names() == ["b"]
    statuses = {row["path"]: row["status"] for row in run.to_json()["steps"]}
    assert statuses == {"y": "failed", "x": "skipped"}


def test_tools_may_do_with_their_arguments_what_they_like(log: Log) -> None:
    text = """
    tool t(xs: list[int], m: json) -> list[int] {
      call python "t" effect thing reversible idempotent by key
      retry 3 times every 1ms..2ms
      undo u()
    }
    tool u() -> json { call python "u" effect thing restoring idempotent naturally }
    saga s() -> list[int] { step t = t([1, 2], { a: [1] }) return t }
    """
    given: list[Any] = []

    def t(xs: list[int], m: Any) -> list[int]:
        given.append((list(xs), {"a": list(m["a"])}))
        xs.append(99)
        m["a"].clear()
        if len(given) < 2:
            raise Transient("again")
        return xs

    run = saga(text, {"t": t, "u": lambda: None}).start(log)
    assert run.result(60) == [1, 2, 99]
    assert given == [([1, 2], {"a": [1]})] * 2


def test_what_a_tool_logs_is_kept_with_its_outcome(log: Log) -> None:
    world = World()
    world.before["a"] = lambda: call().log("half way")
    run = saga(CHAIN, world.add("a", "b", "c")).start(log)
    assert at_end(run) == "succeeded"
    [outcome] = [e for e in run.events() if e["kind"] == "outcome" and e["path"] == "a"]
    assert outcome["data"]["log"] == ["half way"]


def test_the_traceback_has_places_and_no_values(log: Log) -> None:
    def b(id: str, key: str) -> str:
        password = "hunter22"
        raise Refused(f"no {len(password)}")

    world = World()
    run = saga(CHAIN, world.add("a", "b", "c") | {"b": b}).start(log)
    assert at_end(run) == "rolled_back"
    [outcome] = [
        e for e in run.events() if e["kind"] == "outcome" and e["path"] == "b" and e["error"]
    ]
    trace = outcome["error"]["traceback"]
    assert "test_running.py" in trace and " in b" in trace
    assert "hunter22" not in trace and "password" not in trace
