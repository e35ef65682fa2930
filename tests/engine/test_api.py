"""The objects that programs hold: their names, waiting, looking back, and what is light."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from pathlib import Path

import pytest

import sagalang
import sagalang.runtime
from sagalang.runtime import Log, Run, RunFailed, Saga
from sagalang.runtime.engine.errors import EngineClosed, WaitInterrupted
from sagalang.runtime.journal import LogMissing, RunUnknown
from sagalang.runtime.settings import BadSettings, settings

from .enginekit import World, at_end, hold, saga, tool, until

CHAIN = (
    tool("a") + tool("b") + 'saga s(bad: bool = false) -> str { step a = a("1") step b = b(a) '
    'requires not bad else "bad" return b }'
)
GATED = tool("a") + 'saga s() { step a = a("1") gate g needs "ops" shows a }'


def public(kind: type) -> list[str]:
    return sorted(name for name in vars(kind) if not name.startswith("_"))


def test_the_public_names_are_these() -> None:
    assert public(Run) == [
        "approvals", "approve", "at", "cancel", "effects", "events", "freeze", "incident",
        "readiness", "reason", "reject", "resolve", "result", "roll_back", "signal",
        "sql", "state", "status", "subscribe", "timeline", "to_json", "wait", "waiting_for",
    ]  # fmt: skip
    assert set(public(Saga)) >= {"definition", "start", "tools", "tools_for"}
    assert set(sagalang.runtime.__all__) >= {
        "Conflict", "Log", "Refused", "Run", "RunFailed", "Saga", "Transient", "call", "main",
        "open",
    }  # fmt: skip
    for name in sagalang.runtime.__all__:
        assert getattr(sagalang.runtime, name) is not None
    for name in ("load", "open", "Saga", "Run", "Log"):
        assert getattr(sagalang, name) is not None


def test_the_runtime_is_light(tmp_path: Path) -> None:
    """Neither a tool's module nor a run loads the compiler's libraries or the event store's."""
    script = (
        "import sys; from sagalang.runtime import Refused, Saga, Log, call;"
        "Saga, Log; heavy = {'lark', 'networkx', 'jinja2', 'duckdb'} & set(sys.modules);"
        "sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_run_can_be_awaited_from_any_loop(log: Log) -> None:
    started = saga(CHAIN, World().add("a", "b"))

    async def main() -> list[str]:
        runs = [started.start(log) for _ in range(5)]
        return [run.status for run in await asyncio.gather(*runs)]

    assert asyncio.run(main()) == ["succeeded"] * 5


def test_waiting_ends_with_its_time(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["a"] = hold(entered, leave)
    run = saga(CHAIN, world.add("a", "b")).start(log)
    assert run.wait(0.05).status == "running"
    with pytest.raises(RunFailed, match="is not over yet"):
        run.result(0.05)
    leave.set()
    assert run.result(60) == "b:a:1"


def interrupt_when_waiting() -> None:
    """Does what Ctrl-C does, once this thread waits for a run: before, it would be Python's own."""
    here = threading.get_ident()

    def waits() -> bool:
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        stack = traceback.extract_stack(frames[here])
        return any(frame.name == "_wait_once" for frame in stack)

    def interrupt() -> None:
        until(waits)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()


def test_an_interrupt_while_waiting_is_one_sentence_and_the_run_goes_on(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["a"] = hold(entered, leave)
    run = saga(CHAIN, world.add("a", "b")).start(log, run_id="r")
    assert entered.wait(60)
    interrupt_when_waiting()
    with pytest.raises(WaitInterrupted) as caught:
        run.wait(60)
    assert "The run r goes on" in str(caught.value) and "run.cancel()" in str(caught.value)
    leave.set()
    assert run.result(60) == "b:a:1"


def test_the_past_is_a_fold_and_never_changes(log: Log) -> None:
    run = saga(CHAIN, World().add("a", "b")).start(log, bad=True)
    assert at_end(run) == "rolled_back"
    events = run.events()
    for event in events:
        then = run.at(event["n"])
        assert then.state.n == event["n"]
        if event["readiness"] is not None:
            assert then.readiness == event["readiness"]
    last = run.at(len(events)).to_json()
    assert last == run.to_json()
    assert run.at(2).to_json()["steps"][0]["status"] == "in_flight"
    assert run.readiness[0]["readiness"] == "1"


def test_a_run_shows_itself_in_the_shape_of_the_command_line(log: Log) -> None:
    run = saga(CHAIN, World().add("a", "b")).start(log, run_id="r")
    assert at_end(run) == "succeeded"
    shown = json.loads(json.dumps(run.to_json()))
    assert list(shown) == [
        "run_id", "saga", "definition", "status", "result", "error", "steps", "effects",
        "readiness", "checkpoints", "waiting_for", "incident",
    ]  # fmt: skip
    assert shown["steps"][0] == {"path": "a", "status": "succeeded", "attempts": 1, "result": "a:1"}
    assert shown["effects"][0]["resource"] == "a(1)"
    assert [row["path"] for row in run.timeline()] == ["a", "b"]
    assert [row["path"] for row in run.effects] == ["a", "b"]


def test_subscribers_get_every_durable_event_in_order(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    run = saga(GATED, World().add("a")).start(log)
    assert at_end(run) == "waiting"
    seen: list[int] = []
    end = run.subscribe(lambda run_id, events, standing: seen.extend(e.n for e in events))
    run.reject("g", by="ada")
    assert run.wait(60).status == "rolled_back"
    last = len(run.events())
    until(lambda: bool(seen) and seen[-1] == last)
    assert seen == list(range(seen[0], last + 1))
    end()


def test_a_run_of_yesterday_is_read_without_an_engine(log: Log) -> None:
    world = World()
    assert at_end(saga(CHAIN, world.add("a", "b")).start(log, run_id="r")) == "succeeded"
    log.close()
    run = Log(log.path).run("r")
    assert (run.status, run.result()) == ("succeeded", "b:a:1")
    assert [row["run_id"] for row in log.runs()] == ["r"]
    assert log.events("r") == run.events()
    with pytest.raises(RunUnknown, match="no run 'q'"):
        log.run("q")


def test_a_log_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(LogMissing, match="nothing\\.journal"):
        Log(tmp_path / "nothing.duckdb").runs()


def test_a_closed_engine_says_that_it_is_closed(log: Log) -> None:
    run = saga(CHAIN, World().add("a", "b")).start(log)
    engine = log.engine
    assert at_end(run) == "succeeded"
    log.close()
    with pytest.raises(EngineClosed, match="Open it again"):
        engine.put(None)  # type: ignore[arg-type]


def test_a_program_that_ends_lets_its_calls_settle(tmp_path: Path) -> None:
    """No `wait`, no `close`: the call that goes on then is recorded, the next is not begun."""
    script = """
import threading
from sagalang.runtime import Log
from tests.engine.enginekit import World, hold, saga, tool
world, log = World(), Log("test.duckdb")
entered = threading.Event()
world.after["a"] = hold(entered, log.engine.stopping)
text = tool("a") + tool("b") + 'saga s() -> str { step a = a("1") step b = b(a) return b }'
saga(text, world.add("a", "b")).start(log, run_id="r")
entered.wait(60)
"""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    kinds = [event["kind"] for event in Log(tmp_path / "test.duckdb").events("r")]
    assert kinds == ["run_started", "intent", "outcome"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("logs = 'x'", "there is no setting `logs`"),
        ("folder = 'x'", "there is no setting `folder`"),
        ("log = 7", "`log` is a whole number"),
        ("log = ", "saga.toml"),
        ("[groups]\nops = 'ada'", "`groups.ops` is a text"),
        ("[limits]\nasync = 0", "`limits.async` is 0"),
        ("[limits]\nservices = { x = 0 }", "`limits.services.x` is 0"),
        ("[limits]\nthreads = 1", "there is no setting `limits.threads`"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_place(
    tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "saga.toml").write_text(text)
    with pytest.raises(BadSettings) as caught:
        settings(tmp_path)
    assert said in str(caught.value) and "saga.toml" in str(caught.value)


def test_settings_hold_in_the_folders_below(tmp_path: Path) -> None:
    (tmp_path / "saga.toml").write_text('log = "logs/x.duckdb"\nsagas = ["a.saga"]\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert settings(inner).log_path == tmp_path / "logs" / "x.duckdb"
    assert settings(inner).saga_paths == [tmp_path / "a.saga"]
