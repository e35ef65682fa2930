"""What an owner adds to its own runs is one statement, which writes nothing where a run changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, strategies as st

from sagalang.runtime.events import Event
from sagalang.runtime.journal import (
    Beginning,
    Journal,
    Reader,
    Wait,
    Write,
    heads,
    points,
    post,
    verify,
)
from sagalang.runtime.journal.connection import reading

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest")


def write(log: Journal, run: str, first: int, count: int = 1, epoch: int = 1, **more: Any) -> Write:
    entries = [
        log.encode(Event(kind="intent", path="pay", run_id=run, n=n, epoch=epoch, wall_time=n))
        for n in range(first, first + count)
    ]
    return Write(run, epoch, entries, **more)


def begin(log: Journal, *runs: str) -> None:
    log.commit([write(log, run, 1, begins=BEGINS) for run in runs])


class Counted(sqlite3.Connection):
    """A connection that keeps what it is asked to execute."""

    said: ClassVar[list[str]] = []

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        Counted.said.append(sql.split()[0])
        return super().execute(sql, *given)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    connect = sqlite3.connect

    def counted(*args: Any, **given: Any) -> sqlite3.Connection:
        return connect(*args, factory=Counted, **given)

    monkeypatch.setattr(sqlite3, "connect", counted)
    Counted.said = []
    yield Counted.said


def test_what_goes_on_from_the_last_commit_is_one_statement(
    tmp_path: Path, said: list[str]
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        said.clear()
        done = log.commit([write(log, "a", 2, 2, status="waiting"), write(log, "b", 2)])
        assert said == ["INSERT"]
        assert (done.seqs, done.fenced) == ({"a": 4, "b": 5}, {})
        assert [(run.n, run.last_seq, run.status, run.updated) for run in log.runs()] == [
            (3, 4, "waiting", 3),
            (2, 5, "running", 2),
        ]
        assert [event.n for event in log.events("a")] == [1, 2, 3]
    assert verify(tmp_path / "shop") == []


def test_whoever_was_taken_over_is_fenced_and_the_others_are_written(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as old, Journal.open(tmp_path / "shop") as new:
        begin(old, "a", "b")
        old.commit([write(old, run, 2) for run in "ab"])
        new.take("a", owner_is_dead=True)
        done = old.commit([write(old, run, 3, 2) for run in "ab"])
        assert set(done.seqs) == {"b"}
        assert "epoch 2, 2 events" in done.fenced["a"].found
        new.commit([write(new, "a", 3, epoch=2)])
        again = old.commit([write(old, "a", 3, 2), write(old, "b", 5)])
        assert (set(again.seqs), set(again.fenced)) == ({"b"}, {"a"})
        assert [event.epoch for event in new.events("a")] == [1, 1, 2]
    assert verify(tmp_path / "shop") == []


def test_of_a_run_that_rests_nothing_is_kept_and_it_goes_on_all_the_same(
    tmp_path: Path, said: list[str]
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        log.forget("a")
        said.clear()
        # In one transaction: the statement for what is known, then the long way for the other.
        assert log.commit([write(log, run, 2, 2) for run in "ab"]).seqs == {"b": 4, "a": 6}
        assert said[:3] == ["BEGIN", "INSERT", "SELECT"]
        said.clear()
        assert log.commit([write(log, run, 4) for run in "ab"]).seqs == {"a": 7, "b": 8}
        assert said == ["INSERT"]
    assert verify(tmp_path / "shop") == []


def test_however_many_events_a_run_adds_it_is_one_statement(
    tmp_path: Path, said: list[str]
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        said.clear()
        done = log.commit([write(log, "a", 2, 5, status="waiting"), write(log, "b", 2, 4)])
        assert (said, done.seqs) == (["INSERT"], {"a": 7, "b": 11})
        assert [(run.n, run.last_seq, run.updated) for run in log.runs()] == [(6, 7, 6), (5, 11, 5)]
    assert verify(tmp_path / "shop") == []


def test_only_a_run_that_begins_goes_the_long_way(tmp_path: Path, said: list[str]) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        said.clear()
        done = log.commit(
            [write(log, "a", 2, 2), write(log, "new", 1, begins=BEGINS), write(log, "b", 2)]
        )
        assert done.seqs == {"a": 4, "b": 5, "new": 6}
        assert said[:3] == ["BEGIN", "INSERT", "SELECT"]
        said.clear()
        log.commit([write(log, run, n) for run, n in (("a", 4), ("new", 2), ("b", 3))])
        assert said == ["INSERT"]
    assert verify(tmp_path / "shop") == []


def test_a_run_that_rests_or_answers_a_request_needs_no_question(
    tmp_path: Path, said: list[str]
) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        asked = post(tmp_path / "shop", "a", "signal", {})
        said.clear()
        done = log.commit(
            [write(log, "a", 2, requests=[asked]), write(log, "b", 2, waits=[Wait("t", 9)])]
        )
        assert said == ["BEGIN", "INSERT", "DELETE", "DELETE", "INSERT", "COMMIT"]
        assert done.seqs == {"a": 3, "b": 4}
        assert not log.pending(asked)
        assert [(one.run_id, one.due) for one in log.waits()] == [("b", 9)]
    assert verify(tmp_path / "shop") == []


def test_beside_a_beginning_too_only_what_was_taken_over_is_fenced(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as old, Journal.open(tmp_path / "shop") as new:
        begin(old, "a", "b")
        asked = post(tmp_path / "shop", "a", "signal", {})
        new.take("a", owner_is_dead=True)
        done = old.commit(
            [
                write(old, "a", 2, 3, requests=[asked]),
                write(old, "b", 2, 3, waits=[Wait("t", 9)]),
                write(old, "c", 1, begins=BEGINS),
            ]
        )
        assert (done.seqs, set(done.fenced)) == ({"b": 5, "c": 6}, {"a"})
        assert new.pending(asked), "who is fenced has answered nothing"
        assert [one.run_id for one in new.waits()] == ["b"]
        assert [len(new.events(run)) for run in "abc"] == [1, 4, 1]
    assert verify(tmp_path / "shop") == []


def test_a_run_that_is_twice_in_a_batch_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a", "b")
        with pytest.raises(ValueError, match="'a' is twice"):
            log.commit([write(log, "a", 2), write(log, "b", 2), write(log, "a", 3)])
        assert [run.n for run in log.runs()] == [1, 1]
        assert log.commit([write(log, run, 2) for run in "ab"]).seqs == {"a": 3, "b": 4}
    assert verify(tmp_path / "shop") == []


def test_both_ways_store_values_of_the_same_kinds(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        log.commit([write(log, "a", 2, 3)])
        with reading(log.files) as db:
            columns = ("seq", "run_id", "n", "prev_seq", "kind", "path", "body", "hash")
            types = ", ".join(f"typeof({name})" for name in columns)
            events = db.execute(f"SELECT DISTINCT {types} FROM events").fetchall()
            run = db.execute("SELECT status, typeof(hash), typeof(updated) FROM runs").fetchall()
    number, text, blob = "integer", "text", "blob"
    assert events == [(number, text, number, number, text, text, blob, blob)]
    assert run == [("running", "blob", "integer")]


def test_two_owners_number_one_log_without_a_gap(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as one, Journal.open(tmp_path / "shop") as other:
        begin(one, "a")
        begin(other, "b")
        found: list[int] = []
        for n in range(2, 12, 2):
            found += one.commit([write(one, "a", n, 2)]).seqs.values()
            found += other.commit([write(other, "b", n, 2)]).seqs.values()
        assert found == list(range(4, 24, 2))
    assert verify(tmp_path / "shop") == []


def test_a_run_that_comes_back_to_its_owner_is_asked_for_again(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop") as one, Journal.open(tmp_path / "shop") as other:
        begin(one, "a")
        one.commit([write(one, "a", 2)])
        other.take("a", owner_is_dead=True)
        other.commit([write(other, "a", 3, epoch=2)])
        one.take("a", owner_is_dead=True)
        assert one.commit([write(one, "a", 4, 2, epoch=3)]).seqs == {"a": 5}
    assert verify(tmp_path / "shop") == []


def test_a_statement_that_dies_between_its_points_has_written_nothing(tmp_path: Path) -> None:
    reached: list[str] = []

    def die(point: str) -> None:
        reached.append(point)
        if point == "commit.written":
            raise KeyboardInterrupt

    with Journal.open(tmp_path / "shop") as log:
        begin(log, "a")
        log.commit([write(log, "a", 2)])
        points.listener = die
        try:
            with pytest.raises(KeyboardInterrupt):
                log.commit([write(log, "a", 3, 2)])
        finally:
            points.listener = None
        assert reached == ["commit.before", "commit.begun", "commit.written"]
        assert log.run("a").n == 2
        assert log.commit([write(log, "a", 3, 2)]).seqs == {"a": 4}
    assert verify(tmp_path / "shop") == []


Step = st.tuples(
    st.sampled_from("abcd"), st.integers(1, 4), st.sampled_from([None, "waiting", "running"]),
    st.sampled_from(["", "rests", "is forgotten", "begins another"]),
)  # fmt: skip


@given(st.lists(st.lists(Step, max_size=4, unique_by=lambda step: step[0]), max_size=12))
def test_the_short_way_writes_what_the_long_way_writes(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Any]]
) -> None:
    rows: list[Any] = []
    for short in (True, False):
        path = tmp_path_factory.mktemp("log") / "shop"
        with Journal.open(path) as log:
            begin(log, *"abcd")
            n = dict.fromkeys("abcd", 1)
            for batch in batches:
                if not short:
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(heads.Heads, "rows", _none)
                        log.commit(_writes(log, n, batch))
                else:
                    log.commit(_writes(log, n, batch))
                for run, count, _, _ in batch:
                    n[run] += count
                seqs = [run.last_seq for run in log.runs()]
                assert max(seqs) == sum(run.n for run in log.runs())
        assert verify(path) == []
        reader = Reader(path)
        rows.append(
            [
                [(run.run_id, run.status, run.n, run.hash, run.updated),
                 reader.events(run.run_id)]
                for run in reader.runs()
            ] + [reader.waits()]
        )  # fmt: skip
    assert rows[0] == rows[1]


def _none(*_: Any) -> None:
    return None


def _writes(log: Journal, n: dict[str, int], batch: list[Any]) -> list[Write]:
    """The order of the runs in a commit is no law: the long way may write some of them last."""
    writes: list[Write] = []
    for run, count, status, more in batch:
        waits = [Wait("t", n[run])] if more == "rests" else None
        writes.append(write(log, run, n[run] + 1, count, status=status, waits=waits))
        if more == "is forgotten":
            log.forget(run)
        if more == "begins another":
            writes.append(write(log, f"{run}{n[run]}", 1, count, begins=BEGINS))
    return writes
