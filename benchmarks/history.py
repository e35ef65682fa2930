"""Long histories: a run resumed at the end of a large journal, the way into DuckDB, and memory."""

from __future__ import annotations

import gc
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from msgspec.structs import replace

import sagalang
from sagalang.runtime import Saga
from sagalang.runtime.events import Event
from sagalang.runtime.journal import Beginning, Journal, Reader, Write
from sagalang.runtime.store import move, query
from sagalang.runtime.values import digest

from . import programs
from .rounds import spend

EVENTS = 1_000_000
"""Events of the journal that is measured."""

SLEEPERS = 4_000
"""Runs that wait for people at once."""


def history(folder: Path, rounds: int) -> None:
    """A journal of 1,000,000 events: its first run resumed, moved into DuckDB, and asked."""
    saga = programs.saga(programs.chain(100), "chain")
    path = folder / "history.duckdb"
    with sagalang.open(path) as log:
        run = saga.start(log, run_id="model", name="x").wait()
        events = Reader(log.path).events(run.id)
    spent = spend(partial(_fill, path, saga, events))
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
    for view in ("runs", "steps", "readiness_over_time"):
        began = time.perf_counter()
        query(path, f"SELECT count(*) FROM {view}")
        print(f"  a question about the view `{view}`: {time.perf_counter() - began:.2f} s")


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
