"""The log cannot be written, or another process holds it: no call is made, and nothing is lost."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from sagalang.runtime import Log, failpoints
from sagalang.runtime.engine.errors import Stranded, Unwritable
from sagalang.runtime.journal import Journal, LogBusy, LogFull, LogMoved, Reader, files, run_id
from sagalang.runtime.journal.lock import Lock

from .enginekit import World, at_end, hold, kinds, saga, tool, until

CHAIN = tool("a") + tool("b") + 'saga s() -> str { step a = a("1") step b = b(a) return b }'


class Trouble:
    """A disk that is full from a certain commit on, until it is mended."""

    def __init__(self, path: Path, after: int) -> None:
        self.path = path
        self.left = after
        self.mended = threading.Event()
        self.seen = 0

    def __call__(self, name: str, step: str) -> None:
        if name != "commit.written" or self.mended.is_set():
            return
        self.left -= 1
        if self.left < 0:
            self.seen += 1
            raise LogFull(self.path, "there is no room left to write", "Free some space.")


def test_a_log_that_cannot_be_written_makes_no_call(log: Log) -> None:
    world = World()
    trouble = Trouble(log.path, 0)
    started = saga(CHAIN, world.add("a", "b"))
    with failpoints.listening(trouble):
        run = started.start(log, run_id="r")
        assert world.names() == []
        assert (run.status, "no room left" in run.reason) == ("paused", True)
        assert run.wait(60).status == "paused"
        shown = run.to_json()
        assert (shown["status"], shown["steps"][0]["status"]) == ("paused", "pending")
        assert Reader(log.path).runs() == []
        trouble.mended.set()
        until(lambda: run.status == "succeeded")
    assert world.names() == ["a", "b"]
    assert log.engine.board.paused == ""


@pytest.mark.parametrize("after", range(1, 3))
def test_outcomes_that_arrive_while_paused_are_written_first(log: Log, after: int) -> None:
    """After each number of good commits: the run is paused, goes on when it can, calls once."""
    world = World()
    trouble = Trouble(log.path, after)
    started = saga(CHAIN, world.add("a", "b"))
    with failpoints.listening(trouble):
        run = started.start(log, run_id="r")
        until(lambda: trouble.seen > 2)
        assert (run.status, "no room left" in run.reason) == ("paused", True)
        assert run.wait(60).status == "paused"
        note = Reader(log.path).owner_of("r").note
        assert note.startswith("paused: ")
        calls = len(world.calls)
        assert calls == after
        trouble.mended.set()
        until(lambda: run.status == "succeeded")
    assert Reader(log.path).run("r").status == "succeeded"
    assert world.names() == ["a", "b"]
    order = [(kind, path) for kind, path, _, _ in kinds(run, "intent", "outcome")]
    assert order == [("intent", "a"), ("outcome", "a"), ("intent", "b"), ("outcome", "b")]


@pytest.mark.parametrize("nth", range(1, 4))
def test_a_commit_whose_result_is_unknown_is_looked_up(
    log: Log, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit happened, and then the connection broke: nothing is written or called twice."""
    committed: list[int] = []

    def written(name: str, step: str) -> None:
        if name == "commit.written":
            committed.append(len(committed) + 1)

    real = Journal._in_place  # pyright: ignore[reportPrivateUsage]

    def broken(journal: Journal) -> None:
        # Asked again directly after COMMIT, while nobody knows yet whether it came about.
        in_doubt = journal._doubt is not None  # pyright: ignore[reportPrivateUsage]
        if in_doubt and committed and committed[-1] == nth:
            committed.append(99)
            moved = LogMoved(journal.files.wal, "its files are not those opened", "Reopen.")
            raise journal._fail(moved)  # pyright: ignore[reportPrivateUsage]
        real(journal)

    monkeypatch.setattr(Journal, "_in_place", broken)
    world = World()
    with failpoints.listening(written):
        run = saga(CHAIN, world.add("a", "b")).start(log)
        assert at_end(run) == "succeeded"
    assert 99 in committed
    assert world.names() == ["a", "b"]
    assert [event["n"] for event in run.events()] == list(range(1, len(run.events()) + 1))
    assert kinds(run, "attempt_lost", "late") == []


def test_a_person_is_told_that_nothing_is_decided_while_the_log_cannot_be_written(log: Log) -> None:
    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    text = CHAIN.replace("step b", 'gate g needs "ops" shows a step b')
    world = World()
    run = saga(text, world.add("a", "b")).start(log)
    assert at_end(run) == "waiting"
    trouble = Trouble(log.path, 0)
    with failpoints.listening(trouble):
        with pytest.raises(Unwritable, match="no room left"):
            run.approve("g", by="ada")
        assert run.waiting_for[0]["path"] == "g"
        assert world.names() == ["a"]
        trouble.mended.set()
        until(lambda: run.status == "succeeded")
    assert [row["status"] for row in run.approvals] == ["approved"]


FILES = (".journal", ".journal-wal", ".journal-shm", ".lock")


def moved(log: Log, away: Path) -> None:
    """Moves the files of a log out of a folder."""
    away.mkdir()
    for ending in FILES:
        path = log.path.with_suffix(ending)
        if path.exists():
            path.rename(away / path.name)


@pytest.mark.parametrize("another", [False, True], ids=["nothing", "another log"])
def test_a_log_that_is_taken_away_is_waited_for_and_not_begun_anew(
    log: Log, tmp_path: Path, another: bool
) -> None:
    """What has happened stands in the one that was there: without it nothing more is called."""
    world = World()
    away = tmp_path / "away"
    gone = threading.Event()

    def take(name: str, step: str) -> None:
        if name == "outcome.before" and step == "a" and not gone.is_set():
            moved(log, away)
            if another:
                Journal.open(log.path).close()
            gone.set()

    with failpoints.listening(take):
        run = saga(CHAIN, world.add("a", "b")).start(log, run_id="r")
        until(gone.is_set)
        until(lambda: run.status == "paused")
        said = "another log lies" if another else "no longer there"
        until(lambda: said in run.reason)
        with pytest.raises(Stranded, match=f"run r is paused: .*{said}"):
            run.to_json()
        assert log.path.with_suffix(".journal").exists() is another
        assert world.names() == ["a"]
    for ending in FILES:
        log.path.with_suffix(ending).unlink(missing_ok=True)
    for path in away.iterdir():
        path.rename(log.path.parent / path.name)
    until(lambda: run.status == "succeeded")
    assert world.names() == ["a", "b"]
    assert [event["n"] for event in run.events()] == list(range(1, len(run.events()) + 1))


def test_a_folder_that_is_moved_away_with_its_log_is_waited_for(tmp_path: Path) -> None:
    """Where the lock was no file can be made; the one that was held is kept for when it is back."""
    world = World()
    folder = tmp_path / "here"
    folder.mkdir()
    gone = threading.Event()

    def take(name: str, step: str) -> None:
        if name == "outcome.before" and step == "a" and not gone.is_set():
            folder.rename(tmp_path / "there")
            gone.set()

    with Log(folder / "test.duckdb") as log, failpoints.listening(take):
        run = saga(CHAIN, world.add("a", "b")).start(log, run_id="r")
        until(gone.is_set)
        until(lambda: run.status == "paused")
        assert "its folder does not exist" in run.reason or "no longer there" in run.reason
        assert world.names() == ["a"]
        (tmp_path / "there").rename(folder)
        until(lambda: run.status == "succeeded")
        with Journal.open(log.path) as other:
            assert [row.run_id for row in other.runs()] == ["r"], "the lock is free for others"
    assert world.names() == ["a", "b"]


def test_a_log_is_closed_whose_folder_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As at the end of a notebook with a temporary folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    with Log(folder / "test.duckdb") as log:
        assert at_end(saga(CHAIN, World().add("a", "b")).start(log)) == "succeeded"
        shutil.rmtree(folder)
    assert caplog.records == []


def test_a_log_that_was_deleted_between_two_runs_is_made_anew(log: Log) -> None:
    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    assert at_end(started.start(log, run_id="r")) == "succeeded"
    for ending in FILES:
        log.path.with_suffix(ending).unlink(missing_ok=True)
    run = started.start(log, run_id="q")
    until(log.path.with_suffix(".journal").exists)
    assert at_end(run) == "succeeded"
    assert [row["run_id"] for row in log.runs()] == ["q"]


def test_a_slow_log_holds_every_call_back(log: Log) -> None:
    """While the commit of the first intent hangs, the world is empty and the log knows nothing."""
    hang, go_on = threading.Event(), threading.Event()

    def slow(name: str, step: str) -> None:
        if name == "intent.before":
            hang.set()
            go_on.wait(60)

    world = World()
    started = saga(CHAIN, world.add("a", "b"))
    with failpoints.listening(slow):
        thread = threading.Thread(target=lambda: started.start(log, run_id="r"))
        thread.start()
        assert hang.wait(60)
        assert world.names() == []
        assert Reader(log.path).runs() == []
        go_on.set()
        thread.join()
        assert at_end(log.run("r")) == "succeeded"


def test_a_log_held_for_long_by_another_pauses_and_names_it(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sagalang.runtime.engine import batch

    monkeypatch.setattr(batch, "PATIENCE", 0.2)
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.after["a"] = hold(entered, leave)
    run = saga(CHAIN, world.add("a", "b")).start(log)
    assert entered.wait(60)
    lock = Lock(files(log.path).lock)
    try:
        with lock.held("a test", 5.0):
            leave.set()
            assert run.wait(60).status == "paused"
            assert "held by process" in run.reason
            assert world.names() == ["a"]
        until(lambda: run.status == "succeeded")
    finally:
        lock.close()
    assert world.names() == ["a", "b"]


def test_runs_that_are_over_are_given_up_later_while_another_process_writes(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that has to be done fails, so nobody is told that anything is paused."""
    from sagalang.runtime.engine import engine

    monkeypatch.setattr(engine, "RELEASE", 50)
    refused: list[LogBusy] = []
    release = Journal.release

    def tried(self: Journal, run_ids: list[str], *, wait: float) -> None:
        try:
            release(self, run_ids, wait=wait)
        except LogBusy as error:
            refused.append(error)
            raise

    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.before["b"] = hold(entered, leave)
    slow = saga(CHAIN, world.add("a", "b")).start(log, run_id="slow")
    assert entered.wait(20)
    world.before.clear()
    assert at_end(saga(CHAIN, world.functions).start(log, run_id="quick")) == "succeeded"
    lock = Lock(files(log.path).lock)
    try:
        with lock.held("a test", 5.0):
            monkeypatch.setattr(Journal, "release", tried)
            log.engine.runs.over["quick"] = None
            log.engine.look_again()
            until(lambda: len(refused) > 2)
            assert (log.engine.board.paused, slow.status) == ("", "running")
            assert slow.wait(0).status == "running"
    finally:
        lock.close()
    until(lambda: not log.engine.runs.over)
    leave.set()
    assert at_end(slow) == "succeeded"


def test_what_was_due_is_done_when_the_log_can_be_read_again(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One look for other runs fails: the look is done again, and what came with it."""
    touching = Journal.touching
    failed: list[int] = []

    def once(self: Journal, after: int) -> object:
        if not failed:
            failed.append(after)
            raise LogBusy(log.path, None, "a test")
        return touching(self, after)

    monkeypatch.setattr(Journal, "touching", once)
    text = CHAIN.replace('a("1")', 'a("1")  sleep 20ms', 1)
    text = text.replace("reversible", "reversible impact 7")
    run = saga(text, World().add("a", "b")).start(log)
    until(lambda: run.status == "succeeded")
    assert failed == [0]


def test_a_run_taken_over_by_another_is_let_go_without_a_call(log: Log) -> None:
    entered, leave = threading.Event(), threading.Event()
    world = World()
    world.after["a"] = hold(entered, leave)
    run = saga(CHAIN, world.add("a", "b")).start(log, run_id=run_id("r"))
    assert entered.wait(60)
    with Journal.open(log.path) as other:
        taken = other.take("r", owner_is_dead=True)
        assert taken.epoch == 2
        leave.set()
        until(lambda: log.engine.board.standing("r") is None)
        assert world.names() == ["a"]
        assert [event.kind for event in other.events("r")] == ["run_started", "intent"]
    assert run.status == "running"


def test_a_run_that_cannot_be_read_stops_alone(log: Log) -> None:
    """One damaged run is paused with its reason; the others of the same engine go on."""
    import sqlite3

    (log.path.parent / "saga.toml").write_text('[groups]\nops = ["ada"]\n')
    text = CHAIN.replace("step b", 'gate g needs "ops" shows a step b')
    world = World()
    started = saga(text, world.add("a", "b"))
    bad, good = started.start(log, run_id="bad"), started.start(log, run_id="good")
    assert [at_end(bad), at_end(good)] == ["waiting", "waiting"]
    with sqlite3.connect(files(log.path).journal) as db:
        db.execute("UPDATE events SET body = replace(body, 'a:1', 'a:2') WHERE run_id = 'bad'")
    db.close()
    with pytest.raises(Exception, match="damaged"):
        bad.approve("g", by="ada")
    assert bad.status == "paused" and "damaged" in bad.reason
    good.approve("g", by="ada")
    assert good.result(60) == "b:a:1"
