"""Damage is found, named with its place, left as it is, and read up to the last good event."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from sagalang.runtime.events import Event
from sagalang.runtime.journal import (
    Beginning,
    Files,
    Journal,
    LogDamaged,
    LogError,
    LogForeign,
    LogMissing,
    LogTooNew,
    Reader,
    Write,
    verify,
)

BEGINS = Beginning("fulfil", "d" * 64, b"{}", "digest")


@pytest.fixture
def shop(tmp_path: Path) -> Files:
    """A closed log of two runs with five events each, all of it in the main file."""
    with Journal.open(tmp_path / "shop.duckdb") as log:
        for n in range(1, 6):
            log.commit(
                [
                    Write(
                        run,
                        1,
                        [
                            log.encode(
                                Event(
                                    kind="intent",
                                    path=f"step{n}",
                                    run_id=run,
                                    n=n,
                                    epoch=1,
                                    result="blob" * 20_000 if n == 4 else "small",
                                )
                            )
                        ],
                        begins=BEGINS if n == 1 else None,
                    )
                    for run in ("a", "b")
                ]
            )
    return log.files


def edit(shop: Files, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(shop.journal)) as db, db:
        db.execute(sql, values)


def test_a_sound_log_is_sound(shop: Files) -> None:
    assert verify(shop.store) == []
    assert Reader(shop.store).readable("a")[1] is None


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("UPDATE events SET body = replace(body, 'step3', 'step9') WHERE run_id='a' AND n=3", ""),
        ("UPDATE events SET path = 'step9' WHERE run_id='a' AND n=3", "columns differ"),
        ("UPDATE events SET kind = 'outcome' WHERE run_id='a' AND n=3", "columns differ"),
        ("UPDATE events SET hash = zeroblob(32) WHERE run_id='a' AND n=3", "bytes are not those"),
        ("UPDATE events SET run_id = 'b' WHERE run_id='a' AND n=3", ""),
        ("DELETE FROM events WHERE run_id='a' AND n=3", ""),
    ],
)
def test_an_edited_event_is_found_and_what_is_before_it_can_be_read(
    shop: Files, sql: str, reason: str
) -> None:
    edit(shop, sql)
    with pytest.raises(LogDamaged) as caught:
        Reader(shop.store).events("a")
    assert (caught.value.path, caught.value.n, caught.value.last_good) == (shop.journal, 3, 2)
    assert reason in str(caught.value)
    events, damage = Reader(shop.store).readable("a")
    assert [one.n for one in events] == [1, 2]
    assert isinstance(damage, LogDamaged)
    assert (damage.run_id, damage.n, damage.last_good) == ("a", 3, 2)
    assert "events up to 2 are good" in str(damage)
    assert any(isinstance(one, LogDamaged) for one in verify(shop.store))


def test_a_tail_that_was_cut_off_is_found(shop: Files) -> None:
    """The chain of what is left is sound; the row of the run knows that there was more."""
    edit(shop, "DELETE FROM events WHERE seq = 9")
    with pytest.raises(LogDamaged):
        Reader(shop.store).events("a")
    assert [one.n for one in Reader(shop.store).readable("a")[0]] == [1, 2, 3, 4]
    edit(shop, "DELETE FROM events WHERE seq = 10")
    with pytest.raises(LogDamaged, match="should end with entry 10, and ends with 8"):
        Journal.open(shop.store)


def test_a_changed_large_value_is_found(shop: Files) -> None:
    edit(shop, "UPDATE parts SET data = replace(data, 'blob', 'blub')")
    with pytest.raises(LogDamaged, match="large value"):
        Reader(shop.store).events("a")
    assert [one.n for one in Reader(shop.store).readable("a")[0]] == [1, 2, 3]
    assert len(verify(shop.store)) == 3


def test_every_flipped_byte_of_an_event_is_found(shop: Files) -> None:
    data = shop.journal.read_bytes()
    for at in (data.index(b'"path":"step2"') + 3, data.index(b'"step5"') + 5):
        for path in (shop.wal, shop.shm):
            path.unlink(missing_ok=True)
        flipped = bytearray(data)
        flipped[at] ^= 1
        shop.journal.write_bytes(flipped)
        found = verify(shop.store)
        assert found, f"byte {at}"
        assert all(isinstance(one, LogError) for one in found)


def keep_first_pages(data: bytes) -> bytes:
    return data[: 4096 * 2]


def spoil_header(data: bytes) -> bytes:
    return b"\xff" * 100 + data[100:]


@pytest.mark.parametrize("spoil", [keep_first_pages, spoil_header])
def test_a_truncated_or_spoilt_journal_is_refused_and_left_as_it_is(
    shop: Files, spoil: Callable[[bytes], bytes]
) -> None:
    for path in (shop.wal, shop.shm):
        path.unlink()
    shop.journal.write_bytes(spoil(shop.journal.read_bytes()))
    before = shop.journal.read_bytes()
    with pytest.raises(LogDamaged, match="left as it is"):
        Journal.open(shop.store)
    assert verify(shop.store)
    assert shop.journal.read_bytes() == before


def test_another_database_is_not_a_log(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.journal")) as db, db:
        db.execute("CREATE TABLE mine(x)")
    before = (tmp_path / "shop.journal").read_bytes()
    with pytest.raises(LogForeign, match="not a log"):
        Journal.open(tmp_path / "shop")
    with pytest.raises(LogForeign):
        Reader(tmp_path / "shop").runs()
    assert (tmp_path / "shop.journal").read_bytes() == before


def test_no_log_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(LogMissing):
        Reader(tmp_path / "shop").runs()
    assert [type(one) for one in verify(tmp_path / "shop")] == [LogMissing]


def test_a_newer_log_is_refused_with_both_numbers(shop: Files) -> None:
    edit(shop, "PRAGMA user_version = 7")
    for use in (lambda: Journal.open(shop.store), lambda: Reader(shop.store).runs()):
        with pytest.raises(LogTooNew, match="format 7, this version reads up to 1") as caught:
            use()
        assert (caught.value.found, caught.value.known) == (7, 1)


def test_a_newer_event_is_refused_with_both_numbers(shop: Files) -> None:
    """Written by a newer version: its chain is sound, its body may hold what nobody knows here."""
    from sagalang.runtime.journal.encoding import link

    with closing(sqlite3.connect(shop.journal)) as db, db:
        (before,) = db.execute("SELECT hash FROM events WHERE run_id='a' AND n=4").fetchone()
        body = b'{"v":2,"kind":"thought","n":5}'
        mark = link(before, body)
        db.execute("UPDATE events SET body=?, hash=? WHERE run_id='a' AND n=5", (body, mark))
        db.execute("UPDATE runs SET hash=? WHERE run_id='a'", (mark,))
    with pytest.raises(LogTooNew, match="an event has format 2, this version reads up to 1"):
        Reader(shop.store).events("a")
    events, reason = Reader(shop.store).readable("a")
    assert [one.n for one in events] == [1, 2, 3, 4]
    assert isinstance(reason, LogTooNew)
    assert [type(one) for one in verify(shop.store)] == [LogTooNew]


def test_references_within_references_cannot_explode(
    shop: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sagalang.runtime.journal import encoding

    monkeypatch.setattr(encoding, "LIMIT", 100)
    with pytest.raises(LogDamaged, match="have over 400 bytes"):
        Reader(shop.store).events("a")
