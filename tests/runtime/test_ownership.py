"""Who owns a run: a living process, however slow; never two, never a forked child."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.journal import (
    Beginning,
    Journal,
    LogForked,
    Reader,
    RunOwned,
    RunUnknown,
    Write,
)

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest")


def begin(log: Journal, *runs: str, status: str = "running") -> None:
    log.commit(
        [
            Write(
                run,
                1,
                [log.encode(Event(kind="run_started", run_id=run, n=1, epoch=1))],
                status=status,
                begins=BEGINS,
            )
            for run in runs
        ]
    )


OWNER = """
import sys
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Write
log = Journal.open(sys.argv[1])
entry = log.encode(Event(kind="run_started", run_id="o-1", n=1, epoch=1))
log.commit([Write("o-1", 1, [entry], begins=Beginning("s", "d" * 64, b"{}", "i"))])
print("owned", flush=True)
sys.stdin.readline()
"""


@contextmanager
def owner(path: Path) -> Generator[subprocess.Popen[str]]:
    """A process of its own that owns run o-1 until it is told to end, or dies."""
    child = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdin and child.stdout
    try:
        assert child.stdout.readline() == "owned\n"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def test_a_living_owner_keeps_its_run_and_is_named(tmp_path: Path) -> None:
    with owner(tmp_path / "shop") as child, Journal.open(tmp_path / "shop") as log:
        with pytest.raises(RunOwned, match=f"owned by process {child.pid}") as caught:
            log.take("o-1")
        assert caught.value.pid == child.pid
        assert abs(caught.value.since / 1000 - time.time()) < 3600
        assert log.take_dead() == []
        found = log.owner_of("o-1")
        assert (found.alive, found.pid) == (True, child.pid)


def test_a_killed_owner_lets_go_without_anybody_doing_anything(tmp_path: Path) -> None:
    with owner(tmp_path / "shop") as child, Journal.open(tmp_path / "shop") as log:
        child.kill()
        child.wait()
        assert not log.owner_of("o-1").alive
        assert (log.take("o-1").epoch, log.epoch("o-1")) == (2, 2)
        assert log.owner_of("o-1").id == log.owner
        log.take_dead()
        assert [path.name for path in log.files.owners.iterdir()] == [log.owner]


def test_a_stopped_owner_is_alive_unless_a_person_says_that_it_is_dead(tmp_path: Path) -> None:
    with owner(tmp_path / "shop") as child, Journal.open(tmp_path / "shop") as log:
        os.kill(child.pid, signal.SIGSTOP)
        with pytest.raises(RunOwned, match="--owner-is-dead"):
            log.take("o-1")
        assert log.take("o-1", owner_is_dead=True).epoch == 2
        os.kill(child.pid, signal.SIGCONT)


def test_whoever_was_taken_over_is_fenced(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as old, Journal.open(tmp_path / "shop") as new:
        begin(old, "a", "b")
        new.take("a", owner_is_dead=True)
        done = old.commit(
            [
                Write(run, 1, [old.encode(Event(kind="intent", run_id=run, n=2, epoch=1))])
                for run in "ab"
            ]
        )
        assert set(done.seqs) == {"b"}
        assert set(done.fenced) == {"a"}
        assert old.epoch("a") == 2


def test_an_owner_that_closes_gives_up_its_runs_at_once(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b", "c")
        log.release(["b"])
        assert [run.owner for run in log.runs()] == [log.owner, "", log.owner]
    assert [run.owner for run in Reader(tmp_path / "shop").runs()] == ["", "", ""]
    assert not Reader(tmp_path / "shop").owner_of("a").alive


def test_taking_ones_own_run_changes_nothing(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        for _ in range(100):
            assert log.take_dead() == []
        assert log.take("a").epoch == 1
        with pytest.raises(RunUnknown):
            log.take("b")


def test_of_many_who_want_a_dead_owners_runs_one_gets_each(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, *"abcdefgh")
        begin(log, "done", status="succeeded")
    won: list[list[str]] = []

    def resume(all_open: threading.Barrier) -> None:
        with Journal.open(tmp_path / "shop") as mine:
            all_open.wait()
            won.append([run.run_id for run in mine.take_dead()])
            all_open.wait()

    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=resume, args=(barrier,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run for runs in won for run in runs) == list("abcdefgh")
    assert {run.epoch for run in Reader(tmp_path / "shop").runs(["running"])} == {2}


def test_of_many_who_start_one_id_one_starts_it(tmp_path: Path) -> None:
    with ExitStack() as stack:
        logs = [stack.enter_context(Journal.open(tmp_path / "shop")) for _ in range(3)]
        done = [
            log.commit(
                [
                    Write(
                        "o-1",
                        1,
                        [log.encode(Event(kind="run_started", run_id="o-1", n=1, epoch=1))],
                        begins=BEGINS,
                    )
                ],
                wait=5.0,
            )
            for log in logs
        ]
        assert [len(one.seqs) for one in done] == [1, 0, 0]
        assert [one.existing["o-1"].owner for one in done[1:]] == [logs[0].owner] * 2


def test_a_note_says_why_nothing_goes_on(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        log.note("paused: the disk is full")
        assert Reader(tmp_path / "shop").owner_of("a").note == "paused: the disk is full"
        log.note("")
        assert log.owner_of("a").note == ""


FORK = """
import os, sys, time
from pathlib import Path
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Write
folder = Path(sys.argv[1])
log = Journal.open(folder / "shop")
entry = log.encode(Event(kind="run_started", run_id="o-1", n=1, epoch=1))
log.commit([Write("o-1", 1, [entry], begins=Beginning("s", "d" * 64, b"{}", "i"))])
if os.fork() == 0:
    os.kill(os.getppid(), 9)
    for _ in range(300):
        if (folder / "over").exists():
            break
        time.sleep(0.1)
    (folder / "lived").touch()
    os._exit(0)
time.sleep(60)
"""


def test_a_forked_child_does_not_keep_its_dead_parents_runs(tmp_path: Path) -> None:
    """The child kills its parent and lives on: the parent's run must be free all the same."""
    parent = subprocess.Popen([sys.executable, "-c", FORK, str(tmp_path)])
    assert parent.wait(60) == -signal.SIGKILL
    with Journal.open(tmp_path / "shop") as log:
        assert not log.owner_of("o-1").alive
        assert log.take("o-1").epoch == 2
        assert not (tmp_path / "lived").exists()
    (tmp_path / "over").touch()


def test_every_use_in_a_forked_child_says_what_is_wrong(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            said: list[str] = []
            for use in (log.runs, log.changed, log.reopen, log.checkpoint, lambda: log.take("a")):
                try:
                    use()
                    said.append("done")
                except LogForked as error:
                    said.append(str(error))
            log.close()
            os.write(write, json.dumps(said).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            said = json.load(pipe)
        assert os.waitpid(child, 0)[1] == 0
        assert len(said) == 5
        assert all("forked child" in one and "Open the log in the child" in one for one in said)
        log.commit([Write("a", 1, [log.encode(Event(kind="intent", run_id="a", n=2, epoch=1))])])
        assert len(log.events("a")) == 2
