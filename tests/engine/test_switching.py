"""While an engine has something to do, threads that compute get Python's lock for shorter times."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from sagalang.runtime import Log
from sagalang.runtime.engine.switching import INTERVAL, switching

from .enginekit import World, saga, tool, until

ONE = tool("a") + 'saga s() { step a = a("1") }'


@pytest.fixture(autouse=True)
def _own() -> Iterator[None]:
    """An interval that no other test uses, set when no engine is at work."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.004)
    yield
    sys.setswitchinterval(before)


def run_one(log: Log, interval: float | None = None) -> None:
    """Runs a saga of one step, whose tool sets another interval."""
    world = World()
    if interval is not None:
        world.before["a"] = lambda: sys.setswitchinterval(interval)
    assert saga(ONE, world.add("a")).start(log).wait(60).status == "succeeded"


def test_the_interval_is_short_while_there_is_work_and_the_programs_own_after(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[float] = []
    really = sys.setswitchinterval

    def noted(interval: float) -> None:
        said.append(interval)
        really(interval)

    monkeypatch.setattr(sys, "setswitchinterval", noted)
    run_one(log)
    until(lambda: sys.getswitchinterval() == 0.004)
    assert said[0] == INTERVAL
    assert set(said) == {INTERVAL, 0.004}


def test_a_shorter_interval_of_the_program_is_kept(log: Log) -> None:
    sys.setswitchinterval(INTERVAL / 2)
    run_one(log)
    log.close()
    assert sys.getswitchinterval() == INTERVAL / 2


def test_what_the_program_sets_meanwhile_stays(log: Log) -> None:
    run_one(log, 0.002)
    log.close()
    assert sys.getswitchinterval() == 0.002


def test_the_last_engine_that_has_nothing_to_do_gives_it_back() -> None:
    one, other = object(), object()
    for engine in (one, other, one):
        switching.shorten(engine)
    switching.restore(one)
    assert sys.getswitchinterval() == INTERVAL
    switching.restore(one)
    switching.restore(other)
    assert sys.getswitchinterval() == 0.004
