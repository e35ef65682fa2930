"""The event store: filled from the journal, asked read-only, and never trusted blindly."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, get_args

import duckdb
import pytest

from sagalang.runtime.events import Event, Kind
from sagalang.runtime.journal import Beginning, Journal, LogDamaged, LogMissing, Write, transfer
from sagalang.runtime.store import (
    KINDS,
    VIEWS,
    Moved,
    QueryRefused,
    StoreAhead,
    StoreBehind,
    StoreDamaged,
    StoreForeign,
    StoreTooNew,
    door,
    move,
    mover,
    page,
    query,
)

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest", "fulfil.saga")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "shop.duckdb") as journal:
        add(journal, "a", 1, 3)
        add(journal, "b", 1, 2)
        yield journal


def add(log: Journal, run: str, first: int, last: int, **fields: Any) -> None:
    entries = [
        log.encode(
            Event(
                kind="run_started" if n == 1 else "intent",
                path="" if n == 1 else "pay",
                run_id=run,
                n=n,
                epoch=1,
                wall_time=1_700_000_000_000 + n,
                readiness=(1, n),
                **fields,
            )
        )
        for n in range(first, last + 1)
    ]
    begins = BEGINS if first == 1 else None
    log.commit([Write(run, 1, entries, begins=begins, status="running")])


def count(log: Journal) -> int:
    (row,) = query(log.files.store, "SELECT count(*) FROM events").rows
    assert isinstance(row[0], int)
    return row[0]


def test_the_runtime_loads_no_duckdb_before_it_asks() -> None:
    code = "import sys; import sagalang.runtime.store; assert 'duckdb' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_events_move_from_where_the_store_stands(log: Journal) -> None:
    assert move(log.files.store) == Moved(5, 5)
    assert move(log.files.store) == Moved(0, 5)
    add(log, "a", 4, 6)
    assert move(log.files.store) == Moved(3, 8)
    asked = query(
        log.files.store, "SELECT seq, run_id, n, saga, readiness FROM events ORDER BY seq"
    )
    assert asked.columns == ("seq", "run_id", "n", "saga", "readiness")
    assert asked.rows[0] == (1, "a", 1, "fulfil", 1.0)
    assert asked.rows[-1] == (8, "a", 6, "fulfil", 1 / 6)
    assert [row[0] for row in asked.rows] == list(range(1, 9))
    assert not asked.live


def test_a_question_first_moves_what_is_missing(log: Journal) -> None:
    assert count(log) == 5
    add(log, "b", 3, 3)
    assert count(log) == 6


def test_batches_are_moved_one_by_one(log: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mover, "BATCH", 2)
    assert move(log.files.store) == Moved(5, 5)
    assert count(log) == 5


def test_every_view_has_the_columns_that_are_told_of_it(log: Journal) -> None:
    for view in VIEWS:
        asked = query(log.files.store, f"SELECT * FROM {view.name}")
        assert asked.columns == tuple(column.name for column in view.columns)
        assert all(column.about for column in view.columns)
    named = {name for (name,) in query(log.files.store, "SHOW TABLES").rows}
    assert {view.name for view in VIEWS} == {name for name in named if "." not in name}


def test_every_kind_of_event_is_told_of() -> None:
    assert set(KINDS) == set(get_args(Kind))
    text = page()
    assert "| `attempt_lost` | The owner died" in text
    assert "### readiness_over_time" in text
    assert "| `in_flight_ms` | Since then. |" in text


def test_the_page_of_the_docs_is_made_of_the_views(request: pytest.FixtureRequest) -> None:
    kept = Path(__file__).parents[2] / "docs/views.md"
    if request.config.getoption("--update-golden"):
        kept.write_text(page(), "utf-8")
    assert kept.read_text("utf-8") == page()


def test_a_readiness_with_more_digits_than_a_float_holds_is_a_fraction_all_the_same(
    log: Journal,
) -> None:
    fractions = [(3 * 10**400, 4 * 10**400), (7, 10**350), (0, 1), (10**15, 3 * 10**15)]
    for n, pair in enumerate(fractions, 3):
        entry = log.encode(Event(kind="chosen", run_id="b", n=n, epoch=1, readiness=pair))
        log.commit([Write("b", 1, [entry])])
    rows = query(
        log.files.store, "SELECT readiness FROM events WHERE run_id='b' AND n > 2 ORDER BY n"
    )
    assert [row[0] for row in rows.rows] == [0.75, 0.0, 0.0, 1 / 3]


def test_of_a_large_value_the_store_tells_the_size(log: Journal) -> None:
    add(log, "b", 3, 3, result={"text": "x" * 100_000})
    (row,) = query(log.files.store, "SELECT result FROM events WHERE run_id='b' AND n=3").rows
    assert row[0] == '{"text":{"large":true,"bytes":100002}}'


REFUSED = [
    "DELETE FROM stored.events",
    "CREATE TABLE mine(x INT)",
    "SELECT 1; SELECT 2",
    "",
    "COPY (SELECT 1) TO 'out.csv'",
    "ATTACH 'other.db'",
    "SET enable_external_access = true",
    "INSTALL httpfs",
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM glob('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM secret_variable",
    "SELECT nonsense FROM events",
    "SELEC 1",
]


@pytest.mark.parametrize("live", [False, True])
def test_nothing_can_be_written_and_no_file_be_read(
    log: Journal, live: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret_variable = ["canary"]
    canary = log.files.store.with_name("canary.csv")
    canary.write_text("canary\n1\n")
    monkeypatch.setattr(door, "PATIENCE", 0.01)
    move(log.files.store)
    with hold(log) if live else nullcontext():
        for sql in REFUSED:
            with pytest.raises(QueryRefused) as caught:
                query(log.files.store, sql.format(file=canary))
            assert str(caught.value), sql
    assert secret_variable == ["canary"]
    assert count(log) == 5


def hold(log: Journal) -> duckdb.DuckDBPyConnection:
    """Somebody's own connection to the file."""
    return duckdb.connect(str(log.files.store))


HOLDER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_store_that_another_process_holds_is_read_from_the_journal(
    log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.2)
    move(log.files.store)
    add(log, "a", 4, 4)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(log.files.store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    asked = query(log.files.store, "SELECT count(*) FROM events")
    holder.communicate("\n", timeout=60)
    assert asked.rows == [(6,)]
    assert asked.live
    assert asked.notice == (
        f"the event store is held by process {holder.pid}: "
        "read from the journal instead, up to entry 6"
    )
    assert not query(log.files.store, "SELECT 1").live


def test_a_lost_store_is_made_again_from_the_journal(log: Journal) -> None:
    move(log.files.store)
    log.files.store.unlink()
    assert count(log) == 5


def test_a_store_of_an_older_format_is_filled_anew(log: Journal) -> None:
    move(log.files.store)
    with hold(log) as db:
        db.execute("DROP VIEW checkpoints")
        db.execute("DROP SCHEMA derived CASCADE")
        db.execute("ALTER TABLE stored.mark DROP COLUMN derived")
        db.execute("ALTER TABLE stored.events DROP COLUMN cause")
        db.execute("UPDATE stored.mark SET format = format - 1")
    assert count(log) == 5
    assert query(log.files.store, "SELECT * FROM checkpoints").rows == []
    add(log, "a", 4, 9)
    assert move(log.files.store) == Moved(6, 11)


def test_an_older_copy_of_the_store_catches_up(log: Journal) -> None:
    move(log.files.store)
    old = log.files.store.read_bytes()
    add(log, "a", 4, 9)
    move(log.files.store)
    log.files.store.write_bytes(old)
    assert move(log.files.store) == Moved(6, 11)


def test_a_store_of_another_log_is_refused(log: Journal, tmp_path: Path) -> None:
    move(log.files.store)
    with Journal.open(tmp_path / "other.duckdb") as other:
        add(other, "a", 1, 9)
        other.files.store.write_bytes(log.files.store.read_bytes())
        with pytest.raises(StoreForeign) as caught:
            move(other.files.store)
        assert (caught.value.found, caught.value.wanted) == (log.log_id, other.log_id)


def restore(log: Journal, data: bytes) -> None:
    """Puts an old copy of the journal back, as somebody does with a backup."""
    log.close()
    for path in (log.files.wal, log.files.shm):
        path.unlink()
    log.files.journal.write_bytes(data)


def test_a_store_newer_than_the_journal_is_noticed(log: Journal) -> None:
    log.checkpoint()
    old = log.files.journal.read_bytes()
    add(log, "a", 4, 9)
    move(log.files.store)
    restore(log, old)
    with pytest.raises(StoreAhead, match="up to entry 11, the journal beside it up to 5"):
        query(log.files.store, "SELECT 1")


def test_a_journal_that_went_another_way_is_noticed(log: Journal) -> None:
    """From an old copy it ran on: as many entries, and other ones."""
    log.checkpoint()
    old = log.files.journal.read_bytes()
    add(log, "a", 4, 9)
    move(log.files.store)
    restore(log, old)
    with Journal.open(log.files.store) as again:
        again.take("a")
        for n in range(4, 12):
            entry = again.encode(Event(kind="chosen", run_id="a", n=n, epoch=2))
            again.commit([Write("a", 2, [entry])])
        with pytest.raises(StoreAhead, match="holds other entries up to 11"):
            query(log.files.store, "SELECT 1")


def test_events_that_are_in_neither_are_named(log: Journal) -> None:
    move(log.files.store)
    log.close()
    with duckdb.connect(str(log.files.store)) as db:
        db.execute("UPDATE stored.mark SET through_seq = 2")
    prune(log.files.journal, 4)
    with pytest.raises(StoreBehind, match="entries 3 to 4 are in neither"):
        query(log.files.store, "SELECT 1")
    log.files.store.unlink()
    with pytest.raises(StoreBehind, match="entries 1 to 4 are in neither"):
        query(log.files.store, "SELECT 1")


def prune(journal: Path, through: int) -> None:
    with closing(sqlite3.connect(journal)) as db, db:
        db.execute("DELETE FROM events WHERE seq <= ?", (through,))
        db.execute("UPDATE log SET pruned_through = ?", (through,))


def test_a_newer_store_is_refused_with_both_numbers(log: Journal) -> None:
    move(log.files.store)
    with hold(log) as db:
        db.execute("UPDATE stored.mark SET format = 9")
    with pytest.raises(StoreTooNew, match="format 9, this version reads up to 4"):
        move(log.files.store)


@pytest.mark.parametrize("content", [b"not a database" * 500, None])
def test_what_is_no_store_is_refused_and_left_as_it_is(log: Journal, content: bytes | None) -> None:
    if content is None:
        with hold(log) as db:
            db.execute("CREATE TABLE mine(x INT)")
    else:
        log.files.store.write_bytes(content)
    before = log.files.store.read_bytes()
    with pytest.raises(StoreDamaged, match="Move it away"):
        query(log.files.store, "SELECT 1")
    assert log.files.store.read_bytes() == before


def test_events_lost_from_the_store_are_noticed(log: Journal) -> None:
    move(log.files.store)
    with hold(log) as db:
        db.execute("DELETE FROM stored.events WHERE seq = 2")
    add(log, "a", 4, 4)
    with pytest.raises(StoreDamaged, match="holds 5 of 6 events"):
        move(log.files.store)


def test_the_journal_knows_how_far_its_stores_go(log: Journal) -> None:
    move(log.files.store)
    with duckdb.connect(str(log.files.store), read_only=True) as db:
        row = db.execute("SELECT store_id, chain FROM stored.mark").fetchone()
    assert row is not None
    assert transfer.marked(log.files.store, row[0]) == transfer.Mark(5, row[1])


def test_without_a_journal_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(LogMissing):
        query(tmp_path / "none.duckdb", "SELECT 1")
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, sys
from sagalang.runtime.journal import transfer
from sagalang.runtime.store import move, mover
mover.BATCH = 2
head, asked = transfer.head, 0
def die_at_the_second(path):
    global asked
    asked += 1
    if asked == 2:
        os._exit(9)
    return head(path)
transfer.head = die_at_the_second
move(sys.argv[1])
"""


def test_a_move_that_dies_between_batches_goes_on_from_its_mark(log: Journal) -> None:
    dead = subprocess.run([sys.executable, "-c", KILLED, str(log.files.store)])
    assert dead.returncode == 9
    assert move(log.files.store) == Moved(3, 5)
    assert count(log) == 5


def test_what_events_come_to_is_worked_out_by_who_asks_next_when_a_mover_dies(
    log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken in were all of the events already: the mover died between two transactions."""

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mover, "derive", dies)
        with pytest.raises(KeyboardInterrupt):
            move(log.files.store)
    with hold(log) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone() == (5,)
        assert db.execute("SELECT count(*) FROM runs").fetchone() == (0,)
    assert query(log.files.store, "SELECT run_id, events FROM runs ORDER BY run_id").rows == [
        ("a", 3),
        ("b", 2),
    ]


def test_of_many_batches_what_they_come_to_is_worked_out_between_too(
    log: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mover, "BATCH", 1)
    monkeypatch.setattr(mover, "SPAN", 2)
    move(log.files.store)
    asked = query(log.files.store, "SELECT run_id, events, readiness FROM runs ORDER BY run_id")
    assert asked.rows == [("a", 3, 1 / 3), ("b", 2, 1 / 2)]


def test_an_altered_event_is_refused_and_not_shown(log: Journal) -> None:
    path, store = log.files.journal, log.files.store
    log.close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'pay', 'pax') AS BLOB)"
            " WHERE run_id = 'a' AND n = 2"
        )
    with pytest.raises(LogDamaged, match="not those that were written") as damage:
        query(store, "SELECT count(*) FROM events")
    assert (damage.value.run_id, damage.value.n) == ("a", 2)
