"""The journal as an engine uses it: begin, commit, read, ask, and be told what is wrong."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sagalang.runtime.events import Action, Descriptor, Event, Fault
from sagalang.runtime.journal import (
    BadRunId,
    Beginning,
    DefinitionUnknown,
    Journal,
    LogBusy,
    LogClosed,
    LogMissing,
    LogUnwritable,
    Reader,
    RunUnknown,
    TooLarge,
    Unencodable,
    Wait,
    Write,
    blobs,
    files,
    new_run_id,
    post,
    run_id,
    verify,
)

BEGINS = Beginning("fulfil", "d" * 64, b'{"saga":"fulfil"}', "digest of inputs", "fulfil.saga")


def event(run: str, n: int, epoch: int = 1, **fields: Any) -> Event:
    given: dict[str, Any] = {
        "kind": "intent",
        "path": "pay",
        "wall_time": 1_700_000_000_000 + n,
        **fields,
    }
    return Event(run_id=run, n=n, epoch=epoch, **given)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "shop.duckdb") as journal:
        yield journal


def begin(log: Journal, run: str, *more: Event) -> None:
    entries = [log.encode(one) for one in (event(run, 1, kind="run_started", path=""), *more)]
    log.commit([Write(run, 1, entries, begins=BEGINS)])


def test_a_log_is_files_beside_the_store(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "shop.duckdb") as log:
        assert log.files == files(tmp_path / "shop") == files(tmp_path / "shop.journal")
        assert log.files.wal.stat().st_size >= 16 * 2**20
        assert log.files.lock.stat().st_size == 4096
        assert [path.name for path in log.files.owners.iterdir()] == [log.owner]
        assert not log.files.store.exists()
    assert list(log.files.owners.iterdir()) == []
    assert log.files.wal.exists()


def test_the_same_log_by_a_link_is_the_same_log(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert files(tmp_path / "link" / "shop.duckdb") == files(tmp_path / "real" / "shop")


def test_events_come_back_as_they_were(log: Journal) -> None:
    whole = event(
        "o-1",
        2,
        direction="do",
        generation=1,
        attempt=2,
        status="ok",
        key="k",
        action=Action("pay", "shop:pay", {"amount": {"$decimal": "0.10"}}, "d"),
        undo=[Descriptor(1, "refund", {"id": {"op": "name", "name": "result"}}, None, "")],
        response={"$map": {"$blob": "not one of ours"}},
        result=[1, None, True, "é"],
        error=Fault("ValueError", "no", "trace"),
        cause=1,
        actor="ann",
        data={"timer": "t"},
        readiness=(3, 4),
        elapsed=12,
        trace_id="t",
        span_id="s",
    )
    begin(log, "o-1", whole)
    first, second = log.events("o-1")
    assert (first.kind, first.run_id, first.v) == ("run_started", "o-1", 1)
    assert second == whole
    assert log.events("o-1", 2) == [whole]
    assert log.events("o-1", 3) == []
    assert Reader(log.files.store).events("o-1") == [first, whole]


TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4).filter(lambda key: key[:1] != "$"), inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["$blob", "$map", "a"]), inner, min_size=1, max_size=3
        ).map(lambda payload: {"$map": payload})
    ),
    max_leaves=20,
)


@given(tree=TREES, large=st.sampled_from([1, 8, 64]))
def test_values_are_whole_whatever_was_taken_out_of_them(tree: Any, large: int) -> None:
    """Law: put_back(take_out(tree)) == tree, for any size that counts as large."""
    before, blobs.LARGE = blobs.LARGE, large
    try:
        small, found = blobs.take_out({"result": tree}, b"salt")
    finally:
        blobs.LARGE = before
    stored = {blob.hash: blob.data for blob in found}
    assert blobs.put_back(small, stored.__getitem__) == {"result": tree}


def test_a_large_value_is_stored_once(log: Journal) -> None:
    document = "x" * 3_000_000
    begin(
        log,
        "o-1",
        event("o-1", 2, kind="outcome", result={"$record": "Doc", "fields": {"text": document}}),
        event("o-1", 3, action=Action("send", args={"text": document, "note": "n"})),
    )
    with sqlite3.connect(f"file:{log.files.journal}?mode=ro", uri=True) as db:
        parts = db.execute("SELECT count(*), sum(length(data)) FROM parts").fetchone()
        (longest,) = db.execute("SELECT max(length(body)) FROM events").fetchone()
    db.close()
    assert parts == (3, 3_000_002)
    assert longest < 1000
    _, outcome, intent = log.events("o-1")
    assert outcome.result["fields"]["text"] == document
    assert intent.action is not None
    assert intent.action.args == {"text": document, "note": "n"}


def test_a_large_value_can_be_written_part_by_part_beforehand(log: Journal) -> None:
    entry = log.encode(event("o-1", 1, data={"text": "y" * 2_500_000}))
    assert sum(1 for _ in log.spill(entry)) == 3
    assert sum(1 for _ in log.spill(entry)) == 0
    log.commit([Write("o-1", 1, [entry], begins=BEGINS)])
    assert log.events("o-1")[0].data == {"text": "y" * 2_500_000}


def test_a_value_over_the_limit_is_refused_with_its_size(
    log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs, "LIMIT", 100_000)
    with pytest.raises(TooLarge, match=r"result has 100,003 bytes; a value may have 100,000"):
        log.encode(event("o-1", 1, result="x" * 100_001))


@pytest.mark.parametrize("bad", [{"$blob": "ab"}, "\ud800", {"x": object()}])
def test_what_cannot_be_written_is_refused_before_it_joins_a_batch(log: Journal, bad: Any) -> None:
    with pytest.raises(Unencodable):
        log.encode(event("o-1", 1, result=bad))


def test_secrets_are_masked_before_anything_is_written(log: Journal) -> None:
    secret = "CANARY-9f2" * 10_000

    def mask(tree: Any) -> Any:
        """The JSON of it, with the secret replaced: here it needs no escape."""
        return json.loads(json.dumps(tree).replace(secret, "***"))

    given = event("o-1", 1, data={secret: [secret]}, error=Fault("E", f"no {secret}", ""))
    log.commit([Write("o-1", 1, [log.encode(given, mask)], begins=BEGINS)])
    (found,) = log.events("o-1")
    assert found.data == {"***": ["***"]}
    assert found.error == Fault("E", "no ***", "")
    assert b"CANARY" not in log.files.wal.read_bytes()


def test_many_runs_share_a_commit_and_the_numbers_have_no_gap(log: Journal) -> None:
    for run in "abc":
        begin(log, run)
    done = log.commit(
        [Write(run, 1, [log.encode(event(run, n)) for n in range(2, 60)]) for run in "abc"]
    )
    assert done.fenced == {}
    assert [done.seqs[run] for run in "abc"] == [61, 119, 177]
    assert [one.n for one in log.events("b")] == list(range(1, 60))
    assert verify(log.files.store) == []


def test_a_fenced_run_is_dropped_and_the_others_are_written(log: Journal) -> None:
    for run in "abcd":
        begin(log, run)
    done = log.commit(
        [
            Write("a", 1, [log.encode(event("a", 2))]),
            Write("b", 2, [log.encode(event("b", 2, epoch=2))]),
            Write("c", 1, [log.encode(event("c", 3))]),
            Write("nobody", 1, [log.encode(event("nobody", 2))]),
            Write("d", 1, [log.encode(event("d", 2))]),
        ]
    )
    assert done.seqs == {"a": 5, "d": 6}
    assert set(done.fenced) == {"b", "c", "nobody"}
    assert "epoch 2" in done.fenced["b"].expected
    assert "epoch 1" in done.fenced["b"].found
    assert "2 events" in done.fenced["c"].expected
    assert [log.run(run).n for run in "abcd"] == [2, 1, 1, 2]
    assert verify(log.files.store) == []


def test_starting_an_id_that_exists_gives_the_run_and_writes_nothing(log: Journal) -> None:
    begin(log, "o-1")
    other = Beginning("fulfil", "d" * 64, b"{}", "other inputs")
    entry = log.encode(event("o-1", 1, kind="run_started", path="", data={"other": 1}))
    done = log.commit([Write("o-1", 1, [entry], begins=other)])
    assert done.seqs == {}
    assert done.existing["o-1"].inputs == "digest of inputs"
    assert done.existing["o-1"] == log.run("o-1")
    assert [one.data for one in log.events("o-1")] == [{}]


def test_a_run_carries_what_was_said_of_it(log: Journal) -> None:
    begin(log, "o-1")
    begin(log, "o-2")
    log.commit([Write("o-1", 1, [log.encode(event("o-1", 2))], status="waiting")])
    run = log.run("o-1")
    assert (run.saga, run.status, run.source, run.n) == ("fulfil", "waiting", "fulfil.saga", 2)
    assert (run.created, run.updated) == (1_700_000_000_001, 1_700_000_000_002)
    assert [one.run_id for one in log.runs()] == ["o-1", "o-2"]
    assert [one.run_id for one in log.runs(["running"])] == ["o-2"]
    assert log.definition("d" * 64) == b'{"saga":"fulfil"}'
    with pytest.raises(DefinitionUnknown):
        log.definition("e" * 64)
    with pytest.raises(RunUnknown, match="no run 'o-3'"):
        log.events("o-3")


def test_requests_wait_in_order_and_go_with_their_decision(log: Journal) -> None:
    begin(log, "o-1")
    log.changed()
    assert not log.changed()
    first = post(log.files.store, "o-1", "approve", {"gate": "g", "by": "ann"})
    second = post(log.files.store, "o-1", "cancel", {})
    assert log.changed()
    assert [one.id for one in log.requests(["o-1"])] == [first, second]
    assert log.requests()[0].body == {"gate": "g", "by": "ann"}
    assert log.requests(["o-2"]) == []
    log.commit([Write("o-1", 1, [log.encode(event("o-1", 3))], requests=[first])])
    assert Reader(log.files.store).pending(first), "a fenced write removes no request"
    decided = log.encode(event("o-1", 2, kind="decided"))
    log.commit([Write("o-1", 1, [decided], requests=[first])])
    assert not Reader(log.files.store).pending(first)
    assert [one.kind for one in log.requests()] == ["cancel"]
    assert not log.changed(), "its own commits are no news to an engine"


def test_a_request_to_no_run_is_refused(log: Journal, tmp_path: Path) -> None:
    with pytest.raises(RunUnknown):
        post(log.files.store, "o-1", "cancel", {})
    with pytest.raises(LogMissing):
        post(tmp_path / "other.duckdb", "o-1", "cancel", {})
    assert not (tmp_path / "other.journal").exists()


def test_waits_are_rows_that_a_commit_replaces(log: Journal) -> None:
    begin(log, "a")
    begin(log, "b")
    log.commit(
        [
            Write("a", 1, [log.encode(event("a", 2))], waits=[Wait("t1", 30), Wait("t2", 10)]),
            Write("b", 1, [log.encode(event("b", 2))], waits=[Wait("t1", 20)]),
        ]
    )
    assert [(one.run_id, one.due) for one in log.waits()] == [("a", 10), ("b", 20), ("a", 30)]
    log.commit([Write("a", 1, waits=[Wait("t9", 5)]), Write("b", 1)])
    assert [(one.timer, one.due) for one in log.waits()] == [("t9", 5), ("t1", 20)]


def test_a_checkpoint_lets_the_write_ahead_file_be_used_again(log: Journal) -> None:
    begin(log, "a")
    for n in range(2, 60):
        log.commit([Write("a", 1, [log.encode(event("a", n, data={"x": "y" * 300_000 + str(n)}))])])
    assert log.files.wal.stat().st_size < 24 * 2**20
    log.checkpoint()
    assert verify(log.files.store) == []


def test_a_closed_log_says_so(log: Journal) -> None:
    log.close()
    log.close()
    with pytest.raises(LogClosed):
        log.commit([])
    with pytest.raises(LogClosed):
        log.runs()


def test_who_holds_the_log_is_named(log: Journal) -> None:
    import fcntl
    import os

    with log.files.lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LogBusy, match=f"held by process {os.getpid()}") as caught:
            log.commit([])
    assert caught.value.pid == os.getpid()
    assert log.commit([]).seqs == {}, "nothing was tried, so it goes on"


def test_a_lock_file_that_was_removed_is_no_longer_the_lock(log: Journal) -> None:
    import fcntl

    log.files.lock.unlink()
    with log.files.lock.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LogBusy):
            log.commit([])


@pytest.mark.parametrize("bad", ["", "a b", "a\t", "x\u00a0", "a\u200b", "\ud800", "x" * 201])
def test_ids_with_blanks_are_refused(bad: str) -> None:
    with pytest.raises(BadRunId):
        run_id(bad)


def test_ids_are_compared_after_composition() -> None:
    assert run_id("cafe\u0301") == run_id("caf\u00e9") == unicodedata.normalize("NFC", "café")
    assert run_id("A") != run_id("a")


def test_made_ids_sort_by_time() -> None:
    made = [new_run_id() for _ in range(100)]
    assert len(set(made)) == 100
    assert all(one[14] == "7" and one[19] in "89ab" for one in made)
    assert made[0][:9] <= made[-1][:9]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogUnwritable, match="folder does not exist"):
        Journal.open(tmp_path / "none" / "shop.duckdb")
