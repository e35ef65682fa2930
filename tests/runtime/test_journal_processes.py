"""Several processes on one log: stray closes, second writers, kills in the middle of commits."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.journal import (
    Beginning,
    Journal,
    LogMoved,
    Reader,
    Write,
    points,
    post,
    verify,
)

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest")


def child(code: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> str:
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return said


# An engine that does what a user's code may do in its process: it opens the journal with plain
# open() and closes it, which drops every POSIX lock that SQLite holds on it in this process.
STRAY = """
import json, sys
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, LogMoved, Write
log = Journal.open(sys.argv[1])
acknowledged, moved = [], 0
def commit(n):
    global moved
    entry = log.encode(Event(kind="intent", run_id="o-1", n=n, epoch=1))
    begins = Beginning("s", "d" * 64, b"{}", "i") if n == 1 else None
    try:
        log.commit([Write("o-1", 1, [entry], begins=begins)], wait=10)
    except LogMoved:
        moved += 1
        settled = log.reopen(wait=10)
        assert not settled.fenced
        if settled.absent:
            log.commit(settled.absent, wait=10)
    acknowledged.append(n)
n = 0
while True:
    for _ in range(5):
        n += 1
        commit(n)
        for path in (log.files.journal, log.files.wal, log.files.shm):
            with open(path, "rb") as file:
                file.read(1)
    print("stray", flush=True)
    if sys.stdin.readline() == "end\\n":
        break
log.close()
print(json.dumps([acknowledged, moved]), flush=True)
"""


def second_writer(path: Path) -> None:
    """Opens and closes the log as another process of ours does."""
    end(
        child(
            "import sys; from sagalang.runtime.journal import Journal;"
            "Journal.open(sys.argv[1]).close()",
            path,
        )
    )


def visitor(path: Path) -> None:
    """Posts a request: a writing connection that lives for a moment."""
    post(path, "o-1", "cancel", {})


def stranger(path: Path) -> None:
    """Opens and closes the journal as a shell of SQLite does, which knows nothing of our lock."""
    end(
        child(
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
            "db.execute('CREATE TABLE IF NOT EXISTS x(y)'); db.commit(); db.close()",
            path.with_suffix(".journal"),
        )
    )


@pytest.mark.parametrize("other", [second_writer, visitor, stranger])
def test_no_acknowledged_commit_is_lost_after_stray_closes(
    tmp_path: Path, other: Callable[[Path], None]
) -> None:
    """Without the discipline the engine would write on into a deleted file and never know."""
    path = tmp_path / "shop.duckdb"
    engine = child(STRAY, path)
    assert engine.stdin and engine.stdout
    for _ in range(4):
        assert engine.stdout.readline() == "stray\n"
        other(path)
        engine.stdin.write("on\n")
        engine.stdin.flush()
    assert engine.stdout.readline() == "stray\n"
    acknowledged, moved = json.loads(engine.communicate("end\n", timeout=60)[0])
    assert engine.returncode == 0
    assert acknowledged == list(range(1, 26))
    assert [one.n for one in Reader(path).events("o-1")] == acknowledged
    assert verify(path) == []
    if other is stranger:
        assert moved > 0, "this one does delete the file, and every time it was noticed"
    else:
        assert moved == 0, "ours leave it where it is"


def test_without_the_lock_and_the_look_the_commits_vanish(tmp_path: Path) -> None:
    """The danger is real: the same done with bare SQLite loses what it acknowledged."""
    name = tmp_path / "bare"
    engine = sqlite3.connect(name, isolation_level=None)
    engine.execute("PRAGMA journal_mode = WAL").fetchall()
    engine.execute("CREATE TABLE events(n)")
    with name.open("rb") as stray:
        stray.read(1)
    end(
        child(
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
            "db.execute('INSERT INTO events VALUES (0)'); db.commit(); db.close()",
            name,
        )
    )
    engine.execute("INSERT INTO events VALUES (1)")
    look = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
    found = end(child(look + "print(db.execute('SELECT * FROM events').fetchall())", name))
    engine.close()
    assert found == "[(0,)]\n"


HAMMER = """
import sys
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Write
name, run, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
begins = Beginning("s", "d" * 64, b"{}", "i")
with Journal.open(name, wait=30) as log:
    for n in range(1, count + 1):
        entry = log.encode(Event(kind="intent", run_id=run, n=n, epoch=1, data={"x": "y" * 3000}))
        log.commit([Write(run, 1, [entry], begins=begins if n == 1 else None)], wait=30)
        if n % 50 == 0:
            log.checkpoint(wait=30)
"""


def test_two_processes_write_and_others_read_and_post_at_once(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with Journal.open(path):
        writers = [child(HAMMER, path, run, 300) for run in ("a", "b")]
        stop = threading.Event()
        sizes: list[int] = []

        def look() -> None:
            while not stop.is_set():
                runs = Reader(path).runs()
                sizes.extend(len(Reader(path).events(run.run_id)) - run.n for run in runs)
                for run in runs[:1]:
                    post(path, run.run_id, "signal", {})
                time.sleep(0.01)

        reader = threading.Thread(target=look)
        reader.start()
        for writer in writers:
            end(writer)
        stop.set()
        reader.join()
    assert sizes
    assert min(sizes) >= 0, "a reader sees whole commits, and never less than the list of runs"
    assert [len(Reader(path).events(run)) for run in "ab"] == [300, 300]
    seqs = sorted(run.last_seq for run in Reader(path).runs())
    assert seqs[-1] == 600
    assert verify(path) == []


KILLED = """
import os, sys
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Write
log = Journal.open(sys.argv[1])
run = log.runs()[0] if log.runs() else None
if run:
    run = log.take("o-1")
n, epoch = (run.n, run.epoch) if run else (0, 1)
while True:
    entries = [
        log.encode(Event(kind="intent", run_id="o-1", n=n + k, epoch=epoch, data={"x": "y" * 100}))
        for k in (1, 2, 3)
    ]
    begins = None if n else Beginning("s", "d" * 64, b"{}", "i")
    log.commit([Write("o-1", epoch, entries, begins=begins)])
    n += 3
    os.write(1, b"%d\\n" % n)
    if n % 60 == 0:
        log.checkpoint()
"""


def test_what_was_acknowledged_survives_kills_in_the_middle_of_commits(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    chance = random.Random(26)
    before = 0
    for _ in range(6):
        engine = child(KILLED, path)
        assert engine.stdout
        engine.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.15))
        engine.kill()
        said = engine.communicate()[0].split("\n")
        assert engine.returncode == -signal.SIGKILL
        acknowledged = max([before, *map(int, said[:-1])])
        events = Reader(path).events("o-1")
        assert len(events) >= acknowledged
        assert len(events) % 3 == 0, "a batch is there whole or not at all"
        assert verify(path) == []
        before = len(events)


POINTS = ["commit.before", "commit.begun", "commit.written", "commit.after", "blob.after"]


@pytest.mark.parametrize("point", POINTS)
def test_a_death_at_each_point_of_a_commit_leaves_all_or_nothing(
    tmp_path: Path, point: str
) -> None:
    path = tmp_path / "shop.duckdb"
    code = f"""
import os, sys
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Write, points
log = Journal.open(sys.argv[1])
entries = [log.encode(Event(kind="intent", run_id="o-1", n=n, epoch=1, result="x" * 100_000))
           for n in (1, 2)]
points.listener = lambda name: os._exit(9) if name == {point!r} else None
log.commit([Write("o-1", 1, entries, begins=Beginning("s", "d" * 64, b"{{}}", "i"))])
"""
    dead = child(code, path)
    dead.communicate(timeout=60)
    assert dead.returncode == 9
    with Journal.open(path) as log:
        assert [run.n for run in log.runs()] == ([2] if point == "commit.after" else [])
        entry = log.encode(Event(kind="intent", run_id="o-2", n=1, epoch=1, result="x" * 100_000))
        log.commit([Write("o-2", 1, [entry], begins=BEGINS)])
        assert log.events("o-2")[0].result == "x" * 100_000
    assert verify(path) == []


@pytest.mark.parametrize("gone", ["shop.journal-wal", "shop.journal"])
def test_a_file_that_went_away_is_noticed_before_and_after_a_commit(
    tmp_path: Path, gone: str
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        first = log.encode(Event(kind="run_started", run_id="o-1", n=1, epoch=1))
        log.commit([Write("o-1", 1, [first], begins=BEGINS)])
        log.checkpoint()
        (tmp_path / gone).rename(tmp_path / "away")
        second = Write("o-1", 1, [log.encode(Event(kind="intent", run_id="o-1", n=2, epoch=1))])
        with pytest.raises(LogMoved, match="not those that were opened"):
            log.commit([second])
        with pytest.raises(LogMoved):
            log.changed()
        (tmp_path / gone).unlink(missing_ok=True)
        (tmp_path / "away").rename(tmp_path / gone)
        assert list(log.reopen().absent) == [second]

        def take_away(point: str) -> None:
            if point == "commit.written":
                (tmp_path / gone).rename(tmp_path / "away")

        points.listener = take_away
        try:
            with pytest.raises(LogMoved):
                log.commit([second])
        finally:
            points.listener = None
        (tmp_path / gone).unlink(missing_ok=True)
        (tmp_path / "away").rename(tmp_path / gone)
        settled = log.reopen()
        assert len([*settled.stored, *settled.absent]) == 1


def test_a_copy_by_the_backup_api_is_a_whole_log(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        entry = log.encode(Event(kind="run_started", run_id="o-1", n=1, epoch=1))
        log.commit([Write("o-1", 1, [entry], begins=BEGINS)])
        with (
            closing(sqlite3.connect(f"file:{log.files.journal}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(tmp_path / "copy.journal")) as target,
        ):
            source.backup(target)
    assert verify(tmp_path / "copy.duckdb") == []
    with Journal.open(tmp_path / "copy.duckdb") as copy:
        assert copy.take("o-1").epoch == 2
    assert os.listdir(tmp_path / "copy.owners") == []
