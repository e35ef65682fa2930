"""Several processes on one log: one owner for each run, and requests to it from all others."""

from __future__ import annotations

import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from sagalang.runtime import Log
from sagalang.runtime.engine.errors import EngineClosed, RequestRefused
from sagalang.runtime.journal import Reader

from .childkit import Children
from .enginekit import World, hold, kinds, saga, tool, until

pytestmark = pytest.mark.slow

GATED = (
    tool("a", verify=True)
    + tool("b", verify=True)
    + tool("c")
    + """
saga s() -> str {
  step a = a("1")
  gate release needs "ops" shows a
  step b = b(a)
  step c = c(b)
  return c
}"""
)

FOLLOWER = '''
"""Starts the run, says so, and goes on until it is over, whoever ends it."""

import json, sys, time

import msgspec
from sagalang.runtime import Log, Saga
from sagalang.runtime.plan import Plan

import world

plan = msgspec.json.decode(open("plan.json", "rb").read(), type=Plan)
with Log("test.duckdb") as log:
    run = Saga(plan, vars(world)).start(log, run_id="r")
    print(run.wait(60).status, flush=True)
    while run.wait(60).status in ("waiting", "running"):
        time.sleep(0.02)
    print(json.dumps({**run.to_json(), "events": run.events()}))
'''


@pytest.fixture
def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Children:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    found = Children(tmp_path, GATED)
    (tmp_path / "follower.py").write_text(FOLLOWER)
    return found


def test_two_processes_start_one_run(tmp_path: Path) -> None:
    text = GATED.replace('gate release needs "ops" shows a', "")
    children = Children(tmp_path, text)
    both = [children.start() for _ in range(2)]
    shown: list[dict[str, Any]] = []
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        shown.append(json.loads(out))
    assert [one["status"] for one in shown] == ["succeeded"] * 2
    assert shown[0]["events"] == shown[1]["events"]
    assert sorted(children.calls()) == ["a", "b", "c"]


def test_a_request_reaches_the_owner_in_another_process(children: Children) -> None:
    process = children.start(program="follower.py")
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "waiting"
    run = Log("test.duckdb").run("r")
    assert run.status == "waiting"
    with pytest.raises(RequestRefused, match="does not belong"):
        run.approve("release", by="mallory")
    with pytest.raises(RequestRefused, match="no gate `other`"):
        run.approve("other", by="ada")
    assert run.approve("release", by="ada")["status"] == "approved"
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["status"] == "succeeded"
    assert [row["status"] for row in run.approvals] == ["refused", "approved"]
    assert Reader("test.duckdb").requests() == []


def test_a_decision_is_logged_without_a_living_owner_and_makes_no_call(children: Children) -> None:
    process = children.start(program="follower.py")
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "waiting"
    process.kill()
    process.communicate()
    log = Log("test.duckdb")
    run = log.run("r")
    run.approve("release", by="ada")
    assert children.calls() == ["a"]
    assert not Reader("test.duckdb").owner_of("r").alive
    assert kinds(run)[-1][0] == "decided"
    log.close()
    shown = children.run()
    assert shown is not None and shown["status"] == "succeeded"
    assert children.calls() == ["a", "b", "c"]


def test_a_cancel_outlives_the_owner_that_dies_right_after_it(children: Children) -> None:
    process = children.start(program="follower.py")
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "waiting"
    process.kill()
    process.communicate()
    log = Log("test.duckdb")
    log.run("r").cancel(by="ada")
    log.close()
    shown = children.run()
    assert shown is not None and shown["status"] == "cancelled"
    assert children.net("a") == 0
    assert children.calls() == ["a", "-a"]


def test_a_killed_owners_run_is_taken_by_exactly_one(children: Children, tmp_path: Path) -> None:
    assert children.run("call.after:a") is None
    both = [children.start(program="follower.py") for _ in range(2)]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "waiting"
    Log("test.duckdb").run("r").approve("release", by="ada")
    for process in both:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert json.loads(out)["status"] == "succeeded"
    assert Reader("test.duckdb").run("r").epoch == 2
    assert [children.done(name) for name in "ab"] == [1, 1]


def _in_child(path: str, answers: multiprocessing.SimpleQueue[str], engine: object) -> None:
    try:
        engine.put(None)  # type: ignore[attr-defined]
        answers.put("nothing was said")
    except EngineClosed as error:
        answers.put(f"refused: {error}")
    answers.put(Log(path).run("r").status)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_touch_its_parents_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may read the log; the parent's run goes on undisturbed, and is still the parent's."""
    import threading

    monkeypatch.chdir(tmp_path)
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["a"] = hold(entered, leave)
    text = tool("a") + 'saga s() -> str { step a = a("1") return a }'
    with Log(tmp_path / "test.duckdb") as log:
        run = saga(text, world.add("a")).start(log, run_id="r")
        assert entered.wait(60)
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        child = context.Process(target=_in_child, args=(str(log.path), answers, log.engine))
        child.start()
        said, status = answers.get(), answers.get()
        child.join(60)
        assert said.startswith("refused: ")
        assert status == "running"
        assert child.exitcode == 0
        assert Reader(log.path).owner_of("r").pid == os.getpid()
        leave.set()
        assert run.result(60) == "a:1"
        until(lambda: run.status == "succeeded")
