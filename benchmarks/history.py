"""Long histories: a large journal resumed and moved into DuckDB, its views, and memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import duckdb
from msgspec.structs import replace

import sagalang
from sagalang.runtime import Saga
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Reader, Write
from sagalang.runtime.store import VIEWS, move
from sagalang.runtime.values import digest

from . import programs
from .rounds import Spent, in_turn, spend

EVENTS = 1_000_000
"""Events of the journal that is measured."""

SLEEPERS = 4_000
"""Runs that wait for people at once."""


def history(folder: Path, rounds: int) -> None:
    """A journal of 1,000,000 events: its first run resumed, and moved into DuckDB."""
    path, saga, spent = _journal(folder)
    print(f"  written: {spent.count:,} events, {spent.count / spent.wall:,.0f} events/s")
    began = time.perf_counter()
    with sagalang.open(path) as log:
        log.resume("unfinished", saga).wait()
        print(f"  opened, a run ended: {time.perf_counter() - began:.2f} s; goal: < 2 s")
    spent = spend(lambda: move(path).events)
    print(
        f"  moved: {spent.count / spent.wall:,.0f} events/s by the clock, "
        f"{spent.count / spent.cpu:,.0f} a second of CPU; goal: >= 100,000"
    )


def views(folder: Path, rounds: int) -> None:
    """Each view over 10,000,000 events, counted: opened anew each time, as a question does."""
    path, _, _ = _journal(folder)
    print(f"  events: {_tenfold(path, move(path).events):,}; goal: < 1 s by the clock")

    def ask(view: str) -> int:
        with duckdb.connect(str(path), read_only=True) as db:
            db.execute(f"SELECT count(*) FROM {view}").fetchone()
        return 1

    asked = {view.name: partial(ask, view.name) for view in VIEWS}
    for name, found in in_turn(asked, rounds).items():
        least = min(spent.cpu for spent in found), min(spent.wall for spent in found)
        print(f"  {name:<22}{least[0]:8.2f} s of CPU {least[1]:8.2f} s by the clock, at least")


def _tenfold(path: Path, events: int) -> int:
    """Copies a store's runs nine times under other ids; gives how many events there are then."""
    tables = ["stored.events", "derived.runs"]
    tables += [f"derived.{name}" for name in ("steps", "attempts", "effects")]
    with duckdb.connect(str(path)) as db:
        for table in tables:
            place = "seq" if table == "stored.events" else "first_seq"
            for copy in range(1, 10):
                db.execute(
                    f"INSERT INTO {table} SELECT * REPLACE ({place} + {copy * events} AS {place},"
                    f" run_id || '~{copy}' AS run_id) FROM {table} WHERE {place} <= {events}"
                )
        row = db.execute("SELECT count(*) FROM events").fetchone()
    return row[0] if row else 0


def _journal(folder: Path) -> tuple[Path, Saga, Spent]:
    """Makes a journal of 1,000,000 events, the runs of one saga; the last run is not over."""
    saga = programs.saga(programs.chain(100), "chain")
    path = folder / "history.duckdb"
    with sagalang.open(path) as log:
        run = saga.start(log, run_id="model", name="x").wait()
        events = Reader(log.path).events(run.id)
    return path, saga, spend(partial(_fill, path, saga, events))


def _fill(path: Path, saga: Saga, events: list[Event]) -> int:
    """Writes a run's events again and again under other ids, the last time but for its end."""
    begins = Beginning(saga.name, saga.definition.hash, saga.definition.json, digest({"name": "x"}))
    journal = Journal.open(path)
    entries = [journal.encode(event) for event in events]
    runs, written = EVENTS // len(entries), 0
    for first in range(0, runs, 20):
        writes: list[Write] = []
        for number in range(first, min(first + 20, runs)):
            whole = number < runs - 1
            run_id = f"run-{number}" if whole else "unfinished"
            some = entries if whole else entries[:-3]
            copies = [replace(entry, run_id=run_id) for entry in some]
            status = "succeeded" if whole else "running"
            writes.append(Write(run_id, events[0].epoch, copies, status, begins=begins))
            written += len(copies)
        journal.commit(writes)
    journal.close()
    return written


def memory(folder: Path, rounds: int) -> None:
    """What a run that waits for people keeps in memory, by the allocator's own count."""
    saga = programs.saga(programs.WAITING, "waiting")
    log = sagalang.open(folder / "memory.duckdb")
    with ThreadPoolExecutor(64) as pool:

        def start(number: int) -> None:
            saga.start(log, run_id=f"w-{number}", name="x").wait()

        list(pool.map(start, range(-500, 0)))
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        list(pool.map(start, range(SLEEPERS)))
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    log.close()
    print(f"  {kept / SLEEPERS:,.0f} bytes a waiting run, of {SLEEPERS:,}; goal: < 1 kB")
