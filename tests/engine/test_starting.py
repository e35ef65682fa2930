"""Starting and taking up runs: one run for an id, whoever asks, however often."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from sagalang.runtime import Log, Run
from sagalang.runtime.engine.errors import (
    BindingFailed,
    InputsRefused,
    OtherDefinition,
    OtherInputs,
    RunError,
)
from sagalang.runtime.journal import BadRunId, Reader

from .enginekit import World, at_end, hold, kinds, saga, tool, until

CHAIN = (
    tool("a") + tool("b") + 'saga s(n: int = 1) -> str { step a = a("{n}") step b = b(a) return b }'
)


def test_an_id_that_exists_gives_that_run(log: Log) -> None:
    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    first = started.start(log, run_id="7")
    assert first.result(30) == started.start(log, run_id="7").result(30)
    assert world.names() == ["a", "b"]


def test_many_threads_start_one_run(log: Log) -> None:
    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    runs: list[Run] = []
    threads = [
        threading.Thread(target=lambda: runs.append(started.start(log, run_id="7")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.result(30) for run in runs] == ["b:a:1"] * 8
    assert world.names() == ["a", "b"]


def test_other_inputs_are_refused_by_name(log: Log) -> None:
    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    assert at_end(started.start(log, run_id="7")) == "succeeded"
    with pytest.raises(OtherInputs, match="`n` differs"):
        started.start(log, run_id="7", n=2)
    assert world.names() == ["a", "b"]


def test_another_definition_is_refused_with_its_differences(log: Log) -> None:
    world = World()
    assert at_end(saga(CHAIN, world.add("a", "b")).start(log, run_id="7")) == "succeeded"
    text = CHAIN.replace("step b = b(a)", 'step b = b("other")')
    with pytest.raises(
        OtherDefinition, match=r"the step `b` differs in arguments \(a → \"other\"\)"
    ):
        saga(text, world.functions).start(log, run_id="7")


def test_comments_and_layout_are_no_other_definition(log: Log) -> None:
    world = World()
    assert at_end(saga(CHAIN, world.add("a", "b")).start(log, run_id="7")) == "succeeded"
    text = "# a comment\n" + CHAIN.replace("step", "\n   step")
    assert saga(text, world.functions).start(log, run_id="7").result(30) == "b:a:1"
    assert world.names() == ["a", "b"]


def test_ids_are_compared_after_nfc_and_blanks_are_refused(log: Log) -> None:
    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    assert at_end(started.start(log, run_id="caf\u00e9")) == "succeeded"
    assert started.start(log, run_id="cafe\u0301").status == "succeeded"
    assert at_end(started.start(log, run_id="Caf\u00e9")) == "succeeded"
    for blank in ("", " ", "a b", "a\n"):
        with pytest.raises(BadRunId):
            started.start(log, run_id=blank)
    assert world.names() == ["a", "b"] * 2


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"n": "x"}, "n must be int"),
        ({"m": 1}, r"there is no input `m`"),
        ({"n": True}, "n must be int"),
        ({"n": None}, "n must be int"),
    ],
)
def test_wrong_inputs_are_refused_before_anything(
    log: Log, inputs: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputsRefused, match=said):
        saga(CHAIN, World().add("a", "b")).start(log, **inputs)
    assert not log.path.with_suffix(".journal").exists()


def test_every_binding_is_checked_before_the_run_begins(log: Log) -> None:
    def b(other: str) -> None:
        raise AssertionError

    functions = World().add("a", "b") | {"b": b, "undo_b": 7}
    del functions["undo_a"]
    with pytest.raises(BindingFailed) as caught:
        saga(CHAIN, functions).start(log)
    said = str(caught.value)
    assert len(caught.value.faults) == 3
    assert "test.saga:" in said
    assert "`undo_a` cannot be called: there is no `undo_a`" in said
    assert "b(other: str)" in said and "(id, key)" in said
    assert "`undo_b` is int, which cannot be called" in said
    assert not log.path.with_suffix(".journal").exists()


def test_a_redefined_function_is_found_by_the_next_run(log: Log) -> None:
    world = World()
    functions = world.add("a", "b")
    started = saga(CHAIN, functions)
    assert started.start(log).result(30) == "b:a:1"

    def new(id: str, key: str) -> str:
        return f"new:{id}:{len(key)}"

    functions["b"] = new
    assert started.start(log).result(30) == "new:a:1:64"


def test_a_closed_log_gives_its_runs_up_and_another_takes_them(log: Log) -> None:
    """In between a call goes on: it settles, its outcome is kept, and nothing is begun after it."""
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.after["a"] = hold(entered, leave)
    started = saga(CHAIN, world.add("a", "b"))
    run = started.start(log, run_id="7")
    assert entered.wait(10)
    closing = threading.Thread(target=log.close)
    engine = log.engine
    closing.start()
    until(engine.stopping.is_set)
    leave.set()
    closing.join()
    assert world.names() == ["a"]
    assert not Reader(log.path).owner_of("7").alive
    assert Reader(log.path).run("7").status == "running"
    assert log.resume("7", started).result(30) == "b:a:1"
    assert world.names() == ["a", "b"]
    assert kinds(run, "attempt_lost") == []
    assert Reader(log.path).run("7").epoch == 2


def test_resuming_a_run_of_this_process_leaves_it_alone(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["a"] = hold(entered, leave)
    started = saga(CHAIN, world.add("a", "b"))
    run = started.start(log, run_id="7")
    assert entered.wait(10)
    for _ in range(20):
        assert log.resume_all([started]) == []
        log.resume("7", started)
    leave.set()
    assert run.result(30) == "b:a:1"
    assert world.names() == ["a", "b"]
    assert Reader(log.path).run("7").epoch == 1


def test_a_run_without_a_known_saga_says_what_to_give(log: Log) -> None:
    world = World()
    text = CHAIN.replace('step a = a("{n}")', 'gate g needs "ops" shows n step a = a("{n}")')
    run = saga(text, world.add("a", "b")).start(log, run_id="7")
    assert at_end(run) == "waiting"
    log.close()
    with pytest.raises(RunError, match="saga resume 7 PATH"):
        log.resume("7")


def test_one_log_by_two_paths_has_one_engine(log: Log) -> None:
    link = log.path.with_name("link.duckdb")
    link.symlink_to(log.path)
    assert Log(link).engine is Log("./test.duckdb").engine is log.engine
