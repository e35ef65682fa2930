"""Durable steps: one run and many at once, coroutines and threads, beside a busy thread, undone."""

from __future__ import annotations

import statistics
import threading
from functools import partial
from pathlib import Path

import sagalang
from sagalang.runtime import Log, Saga

from . import programs
from .bare import Committing, Syncing
from .rounds import Measured, in_turn, line, spend

RUNS = 64
"""Runs that go on at once."""


def _runs(log: Log, saga: Saga, runs: int, steps: int) -> int:
    started = [saga.start(log, name="x") for _ in range(runs)]
    for run in started:
        run.wait()
        if run.status not in ("succeeded", "rolled_back"):
            raise RuntimeError(f"a measured run is {run.status}")
    return runs * steps


def steps(folder: Path, rounds: int) -> None:
    """Durable steps beside a bare sync of 200 bytes and a bare commit of SQLite."""
    one, many = 100, 40
    threads = programs.saga(programs.chain(many, sync=True), "chain")
    chains = {
        "one run, coroutines": (programs.saga(programs.chain(one), "chain"), 1, one),
        "one run, threads": (programs.saga(programs.chain(one, sync=True), "chain"), 1, one),
        f"{RUNS} runs, coroutines": (programs.saga(programs.chain(many), "chain"), RUNS, many),
        f"{RUNS} runs, threads": (threads, RUNS, many),
    }
    bare: dict[str, Measured] = {
        "fdatasync": partial(Syncing(folder).loop, 100),
        "SQLite": partial(Committing(folder).loop, 100),
    }
    log = sagalang.open(folder / "steps.duckdb")
    acts = dict(bare)
    for name, (saga, runs, length) in chains.items():
        _runs(log, saga, 1, length)
        acts[name] = partial(_runs, log, saga, runs, length)
    found = in_turn(acts, rounds)
    log.close()
    for name in acts:
        print(line(name, found[name], {other: found[other] for other in bare if other != name}))
    print("  goals: one run <= 2 x fdatasync; 64 runs <= 0.40 x (coroutines), <= 0.80 x (threads)")


def beside(folder: Path, rounds: int) -> None:
    """Commits while another thread of the same Python computes without end."""
    saga = programs.saga(programs.chain(40), "chain")
    log = sagalang.open(folder / "beside.duckdb")
    _runs(log, saga, 1, 40)
    over = threading.Event()

    def compute() -> None:
        number = 0
        while not over.is_set():
            number += 1

    busy = threading.Thread(target=compute, daemon=True)
    busy.start()
    found = in_turn({"one run": partial(_runs, log, saga, 1, 40)}, rounds)
    found |= in_turn({f"{RUNS} runs": partial(_runs, log, saga, RUNS, 40)}, 1)
    over.set()
    busy.join()
    log.close()
    for name, spent in found.items():
        print(line(name, spent))
    print("  goal: >= 100 commits/s (one run makes a commit a step)")


def rollback(folder: Path, rounds: int) -> None:
    """Undoing many steps: the time of one must not grow with their number."""
    each: dict[int, float] = {}
    for length in (500, 1_000, 5_000):
        saga = programs.saga(programs.chain(length, fails=True), "chain")
        log = sagalang.open(folder / f"rollback{length}.duckdb")
        bare = spend(partial(Syncing(folder).loop, 200))
        run = saga.start(log, name="x").wait()
        if run.status != "rolled_back":
            raise RuntimeError(f"a measured run is {run.status}")
        closed = next(e for e in run.events() if e["kind"] == "scope_closed")
        first, last = (row["wall_time"] for row in (closed, run.events()[-1]))
        each[length] = _milliseconds(first, last) / length
        log.close()
        print(
            f"  {length:>6,} undos {each[length]:8.3f} ms each"
            f"   {each[length] / 1000 / bare.each:.2f} x fdatasync"
        )
    print(
        f"  the last against the first: {each[5_000] / each[500]:.2f}; goal: linear, <= 1 ms each"
    )


def _milliseconds(first: str, last: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds() * 1000


def split(folder: Path, rounds: int) -> None:
    """Where the time of a step goes: CPU of the engine's own thread, by what it does."""
    from .split import Split

    for runs, length in ((1, 100), (RUNS, 40)):
        saga = programs.saga(programs.chain(length), "chain")
        shares: dict[str, list[float]] = {}
        with Split() as split:
            log = sagalang.open(folder / f"split{runs}.duckdb")
            _runs(log, saga, 1, length)
            for _ in range(rounds):
                split.clear()
                count = _runs(log, saga, runs, length)
                for name, seconds in split.spent.items():
                    shares.setdefault(name, []).append(seconds / count)
            log.close()
        medians = {name: statistics.median(some) for name, some in shares.items()}
        total = sum(medians.values())
        print(f"  {runs} run(s): {total * 1e6:,.0f} µs of the engine's thread a step")
        for name, seconds in sorted(medians.items(), key=lambda row: -row[1]):
            print(f"    {name:<24}{seconds * 1e6:>8,.1f} µs {seconds / total:>6.0%}")
