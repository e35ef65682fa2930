"""What the events come to is the same however many moves they took."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.runtime.journal import Beginning, Entry, Journal, Write
from sagalang.runtime.plan import definition
from sagalang.runtime.simulator import Simulator
from sagalang.runtime.store import VIEWS, move, query

from .test_store_views import AGENT, CALLED, SCENARIOS, agents, calls, simulate

RUNS = st.one_of(
    SCENARIOS.map(lambda given: simulate(*given)),
    CALLED.map(lambda given: calls(*given)),
    AGENT.map(lambda given: agents(*given)),
)

BY_THE_CLOCK = ("anomalies", "stuck")


def pieces(log: Journal, runs: dict[str, Simulator], size: int) -> list[list[Write]]:
    """The runs' events in turn, some of each run in each commit, with its status at the end."""
    each: list[list[Write]] = []
    for run, simulator in runs.items():
        entries: list[Entry] = []
        for event in simulator.events:
            event.run_id, event.epoch = run, 1
            entries.append(log.encode(event))
        plan = simulator.index.plan
        begins = Beginning("fulfil", definition(plan), msgspec.json.encode(plan), "digest")
        each.append(
            [
                Write(
                    run,
                    1,
                    entries[at : at + size],
                    status=simulator.status if at + size >= len(entries) else "running",
                    begins=begins if at == 0 else None,
                )
                for at in range(0, len(entries), size)
            ]
        )
    return [[write for write in row if write is not None] for row in zip_longest(*each)]


def told(path: Path) -> dict[str, list[str]]:
    """All rows of all views, in an order of their own."""
    asked = [view.name for view in VIEWS if view.name not in BY_THE_CLOCK]
    return {name: sorted(map(repr, query(path, f"SELECT * FROM {name}").rows)) for name in asked}


@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(simulators=st.lists(RUNS, min_size=1, max_size=4), size=st.integers(1, 9))
def test_moved_in_pieces_the_views_say_what_they_say_of_all_at_once(
    simulators: list[Simulator], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Law: a store that followed its log is the one that would be made from it anew."""
    path = tmp_path_factory.mktemp("log") / "shop.duckdb"
    runs = {f"o-{n}": simulator for n, simulator in enumerate(simulators)}
    with Journal.open(path) as log:
        for number, writes in enumerate(pieces(log, runs, size)):
            log.commit(writes)
            if number % 3 == 0:
                move(path)
    followed = told(path)
    assert len(followed["runs"]) == len(runs)
    path.unlink()
    assert told(path) == followed
