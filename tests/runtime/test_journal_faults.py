"""Logs that cannot be written: full, read-only, without locks, failing, moved; nothing is lost."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.journal import (
    Beginning,
    Journal,
    LogBusy,
    LogError,
    LogFailing,
    LogFull,
    LogMoved,
    LogUnlockable,
    LogUnwritable,
    Reader,
    Write,
    files,
    place,
    recover,
    verify,
)

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest")


def event(run: str, n: int, **fields: Any) -> Event:
    return Event(kind="intent", path="pay", run_id=run, n=n, epoch=1, wall_time=n, **fields)


def begin(log: Journal, *runs: str) -> None:
    log.commit([Write(run, 1, [log.encode(event(run, 1))], begins=BEGINS) for run in runs])


class Flaky(sqlite3.Connection):
    """A connection whose commit fails on demand, before or after it took effect."""

    fault = ""
    code = sqlite3.SQLITE_IOERR
    only = ""

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        commits = sql.startswith(Flaky.only or ("COMMIT", "INSERT INTO additions"))
        if not commits or not Flaky.fault:
            return super().execute(sql, *given)
        if Flaky.fault == "after":
            super().execute(sql, *given)
        Flaky.fault = ""
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = Flaky.code
        raise error


@pytest.fixture
def flaky(monkeypatch: pytest.MonkeyPatch) -> type[Flaky]:
    connect = sqlite3.connect

    def connect_flaky(*args: Any, **given: Any) -> sqlite3.Connection:
        return connect(*args, factory=Flaky, **given)

    monkeypatch.setattr(sqlite3, "connect", connect_flaky)
    Flaky.fault = Flaky.only = ""
    return Flaky


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_of_unknown_result_is_compared_event_by_event(
    tmp_path: Path, flaky: type[Flaky], when: str
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        flaky.fault, flaky.code = when, sqlite3.SQLITE_PROTOCOL
        writes = [Write(run, 1, [log.encode(event(run, n)) for n in (2, 3)]) for run in "ab"]
        with pytest.raises(LogUnwritable):
            log.commit(writes)
        with pytest.raises(LogUnwritable):
            log.commit(writes)
        settled = log.reopen()
        assert settled.fenced == {}
        if when == "after":
            assert (list(settled.stored), list(settled.absent)) == (writes, [])
        else:
            assert (list(settled.stored), list(settled.absent)) == ([], writes)
            log.commit(settled.absent)
        assert [one.n for one in log.events("a")] == [1, 2, 3]
        assert verify(tmp_path / "shop") == []
        assert log.reopen().stored == (), "a settled batch is settled"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_batch_that_goes_both_ways_is_settled_whole(
    tmp_path: Path, flaky: type[Flaky], when: str
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        writes = [
            Write("a", 1, [log.encode(event("a", n)) for n in (2, 3, 4)]),
            Write("b", 1, [log.encode(event("b", 1))], begins=BEGINS),
        ]
        flaky.fault, flaky.code, flaky.only = when, sqlite3.SQLITE_PROTOCOL, "COMMIT"
        with pytest.raises(LogUnwritable):
            log.commit(writes)
        settled = log.reopen()
        assert (settled.stored if when == "after" else settled.absent) == writes
        if when == "before":
            log.commit(settled.absent)
        assert [len(log.events(run)) for run in "ab"] == [4, 1]
    assert verify(tmp_path / "shop") == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_start_of_unknown_result_is_settled_too(
    tmp_path: Path, flaky: type[Flaky], when: str
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        flaky.fault, flaky.code = when, sqlite3.SQLITE_PROTOCOL
        with pytest.raises(LogUnwritable):
            begin(log, "a")
        settled = log.reopen()
        assert len(settled.stored) == (when == "after")
        assert len(settled.absent) == (when == "before")


def test_a_batch_whose_large_values_could_not_be_written_is_absent(
    tmp_path: Path, flaky: type[Flaky]
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        flaky.fault, flaky.code = "before", sqlite3.SQLITE_FULL
        writes = [Write("a", 1, [log.encode(event("a", 2, result="x" * 100_000))])]
        with pytest.raises(LogFull):
            log.commit(writes)
        assert list(log.reopen().absent) == writes
        log.commit(writes)
        assert log.events("a")[1].result == "x" * 100_000


def test_another_history_under_the_same_numbers_is_fenced(
    tmp_path: Path, flaky: type[Flaky]
) -> None:
    with Journal.open(tmp_path / "shop") as log, Journal.open(tmp_path / "shop") as other:
        begin(log, "a")
        flaky.fault, flaky.code = "before", sqlite3.SQLITE_PROTOCOL
        with pytest.raises(LogUnwritable):
            log.commit([Write("a", 1, [log.encode(event("a", 2))])])
        taken = other.take("a", owner_is_dead=True)
        mine = event("a", 2, data={"other": True})
        mine.epoch = taken.epoch
        other.commit([Write("a", taken.epoch, [other.encode(mine)])])
        assert set(log.reopen().fenced) == {"a"}


def test_after_an_io_error_nobody_trusts_the_log_until_it_was_salvaged(
    tmp_path: Path, flaky: type[Flaky]
) -> None:
    with Journal.open(tmp_path / "shop") as log, Journal.open(tmp_path / "shop") as other:
        begin(log, "a")
        begin(other, "z")
        entry = log.encode(event("a", 2, data={"text": "x" * 200_000}))
        assert sum(1 for _ in log.spill(entry)) == 1
        flaky.fault, flaky.code = "after", sqlite3.SQLITE_IOERR
        with pytest.raises(LogFailing, match=r"`saga resume --all --log .*shop.duckdb`"):
            log.commit([Write("a", 1, [entry])])
        with pytest.raises(LogFailing):
            log.reopen()
        with pytest.raises(LogFailing):
            other.commit([Write("z", 1, [other.encode(event("z", 2))])])
        with pytest.raises(LogFailing):
            Journal.open(tmp_path / "shop")
        assert [one.n for one in Reader(tmp_path / "shop").events("a")] == [1, 2]

        kept = recover(tmp_path / "shop")
        assert kept.exists()
        with pytest.raises(LogMoved):
            other.commit([Write("z", 1, [other.encode(event("z", 2))])])
        assert [len(log.reopen().stored), len(other.reopen().stored)] == [1, 0]
        other.commit([Write("z", 1, [other.encode(event("z", 2))])])
        assert log.events("a")[1].data == {"text": "x" * 200_000}
        assert verify(tmp_path / "shop") == []


SWAPS = ["swap.before", "swap.begun", "swap.moved", "swap.after"]


@pytest.mark.parametrize("point", SWAPS)
def test_a_salvage_that_dies_is_ended_by_the_next_who_opens(tmp_path: Path, point: str) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        log.commit([Write("a", 1, [log.encode(event("a", 2))])])
    died = run_child(
        f"""
import os
from sagalang.runtime.journal import points, recover
points.listener = lambda name: os._exit(9) if name == {point!r} else None
recover({str(tmp_path / "shop")!r})
"""
    )
    assert died.returncode == 9, died.stderr
    with Journal.open(tmp_path / "shop") as log:
        assert [one.n for one in log.events("a")] == [1, 2]
        assert log.take("a").epoch == 2
    assert verify(tmp_path / "shop") == []
    assert not files(tmp_path / "shop").salvaged.exists()


def test_a_full_log_refuses_and_goes_on_when_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quota is SQLite's own: the same result code as a full disk."""
    connect = sqlite3.connect
    limit = 2**30

    def connect_small(*args: Any, **given: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **given)
        db.execute(f"PRAGMA max_page_count = {limit}")
        return db

    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
    monkeypatch.setattr(sqlite3, "connect", connect_small)
    limit = 40
    with Journal.open(tmp_path / "shop") as log:
        epoch = log.take("a").epoch
        n = 1
        with pytest.raises(LogFull, match=r"no room left.*Free some space"):
            while True:
                more = event("a", n + 1, data={"x": "y" * 20_000})
                log.commit([Write("a", epoch, [log.encode(more)])])
                n += 1
        assert n > 1
        limit = 2**30
        settled = log.reopen()
        assert len(settled.absent) == 1
        log.commit(settled.absent)
        assert [one.n for one in log.events("a")] == list(range(1, n + 2))
    assert verify(tmp_path / "shop") == []


@pytest.fixture
def small_disk() -> Iterator[Path | None]:
    """A disk of 24 MB, or None where only an administrator may mount one."""
    folder = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(mount).returncode:
        folder.rmdir()
        yield None
        return
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


def test_a_really_full_disk_loses_nothing_that_was_acknowledged(
    small_disk: Path | None, tmp_path: Path
) -> None:
    folder = small_disk or tmp_path
    ballast = folder / "ballast"
    with Journal.open(folder / "shop") as log:
        begin(log, "a")
        if small_disk:
            with pytest.raises(OSError, match="No space"), ballast.open("wb", 0) as file:
                while True:
                    file.write(b"x" * 65536)
        n, refused = 1, False
        for _ in range(400):
            more = event("a", n + 1, data={"x": "y" * 60_000})
            try:
                log.commit([Write("a", 1, [log.encode(more)])])
                n += 1
            except LogFull:
                refused = True
                break
        assert refused == (small_disk is not None)
        if refused:
            with pytest.raises(LogBusy), log.files.lock.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                log.reopen()
            ballast.unlink()
            log.commit(log.reopen().absent)
            n += 1
        assert len(log.events("a")) == n
    assert verify(folder / "shop") == []


def test_a_folder_that_is_read_only_is_refused_and_can_still_be_read() -> None:
    """In a child, because an administrator may write everywhere."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Journal.open(folder / "shop") as log:
            begin(log, "a")
        shutil.rmtree(log.files.owners)
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        said = run_child(
            f"""
import os
from sagalang.runtime.journal import Journal, LogUnwritable, Reader
if os.geteuid() == 0:
    os.setuid(65534)
for name in ("shop", "new"):
    try:
        Journal.open({str(folder)!r} + "/" + name)
    except LogUnwritable as error:
        print(error)
print(len(Reader({str(folder / "shop")!r}).events("a")))
"""
        )
        folder.chmod(0o755)
    assert said.returncode == 0, said.stderr
    first, second, third = said.stdout.splitlines()
    assert first.startswith(f"{folder.resolve() / 'shop.lock'}: it cannot be written")
    assert second.startswith(f"{folder.resolve() / 'new.lock'}: it cannot be written")
    assert third == "1"


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def network_kind(folder: Path) -> str:
        return "nfs" if folder == tmp_path else ""

    monkeypatch.setattr(place, "network_kind", network_kind)
    with pytest.raises(LogUnlockable, match=r"network file system \(nfs\).*local disk"):
        Journal.open(tmp_path / "shop")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [0, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_place_without_locks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def flock(_fd: int, _operation: int) -> None:
        if code:
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(LogUnlockable, match="Put the log on a local disk"):
        Journal.open(tmp_path / "shop")
    assert not (tmp_path / "shop.journal").exists()


def run_child(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_every_error_names_path_reason_and_the_way_out(tmp_path: Path) -> None:
    error = LogError(tmp_path / "x", "it is broken", "Mend it.")
    assert str(error) == f"{tmp_path / 'x'}: it is broken. Mend it."
