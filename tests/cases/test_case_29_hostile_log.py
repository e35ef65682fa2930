"""Case 29: what stands in a log is data: nothing in it is imported, called or believed unseen.

Every tag and envelope: tests/runtime/test_values.py; every kind of damage:
tests/runtime/test_journal_damage.py. Checkpoints as files of their own do not exist here.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  gate g needs "ops" shows a.id
  step b = reserve(order.id, order.sku, order.qty)
  return a
}
"""

DAMAGE = {
    "another amount": "update events set body = replace(body, '25.00', '95.00') where n = 1",
    "a class to import": """update events set body =
        replace(body, '"o-1"', '{"$python": "os:system", "args": ["touch CANARY"]}') where n = 1""",
    "an event cut out": "delete from events where n = 3",
    "an event of another run": "update events set run_id = 'q' where n = 2",
    "an approval put in": """insert into events
        select seq + 1, run_id, n + 1, seq, 'decided', 'g', body, hash from events
        order by seq desc limit 1""",
}


def waiting(bench: Bench) -> None:
    """Leaves a run that waits at its gate."""
    bench.write("s.saga", tools() + SAGA)
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 6


@pytest.mark.parametrize("change", DAMAGE.values(), ids=list(DAMAGE))
def test_a_changed_log_is_refused_and_left_as_it_is(bench: Bench, change: str) -> None:
    waiting(bench)
    journal = bench.folder / "test.journal"
    with closing(sqlite3.connect(journal)) as db:
        assert db.execute(change).rowcount == 1
        db.commit()
        db.execute("pragma wal_checkpoint(truncate)")
        before = list(db.iterdump())
    calls = len(bench.shop.calls())
    for line in (["approve", "r", "g", "--by", "ada"], ["resume", "r", "s.saga"], ["show", "r"]):
        done = bench.saga(*line)
        assert done.code in (1, 2, 7), (line, done)
        assert "damaged" in done.err and "Traceback" not in done.err, (line, done)
    assert len(bench.shop.calls()) == calls
    assert not (bench.folder / "CANARY").exists()
    with closing(sqlite3.connect(journal)) as db:
        kept = [line for line in db.iterdump() if '"events"' in line]
    assert kept == [line for line in before if '"events"' in line]


def test_a_newer_log_is_refused_with_both_numbers(bench: Bench) -> None:
    waiting(bench)
    with closing(sqlite3.connect(bench.folder / "test.journal")) as db:
        (now,) = db.execute("pragma user_version").fetchone()
        db.execute("pragma user_version = 99")
    done = bench.saga("resume", "r", "s.saga")
    assert done.code == 2 and "99" in done.err and str(now) in done.err


@pytest.mark.parametrize("content", [b"", b"no log at all\n" * 99, b"\x80\x04\x95" * 999])
def test_a_file_that_is_no_log_is_left_alone(bench: Bench, content: bytes) -> None:
    bench.write("s.saga", tools() + SAGA)
    journal = bench.folder / "test.journal"
    journal.write_bytes(content)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order())
    if not content:
        # An empty file is what a crash at the very beginning leaves: it becomes the log.
        assert done.code == 6
        return
    assert done.code == 2 and "test.journal" in done.err and "Traceback" not in done.err
    assert journal.read_bytes() == content
    assert bench.shop.calls() == []


def test_what_looks_like_an_envelope_stays_data(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    odd = '{"$record": "os.system", "fields": {"$python": "touch CANARY"}}'
    begin = ["run", "s.saga", "--id", "r", "--input"]
    assert bench.saga(*begin, order(letter=odd)).code == 6
    shown = bench.events()[0]["data"]["inputs"]["order"]
    assert odd in str(shown["fields"].values() if "fields" in shown else shown)
    assert bench.saga("approve", "r", "g", "--by", "ada").code == 0
    bench.saga("resume", "r", "s.saga")
    assert bench.show()["status"] == "succeeded"
    assert not (bench.folder / "CANARY").exists()
