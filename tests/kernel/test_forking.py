"""A fork of a state is the same state, shares nothing that changes, and goes its own way."""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import pytest

from sagalang.compiler.proving.points import points
from sagalang.runtime import recoveries
from sagalang.runtime.foresight import foresee
from sagalang.runtime.kernel.commands import Append, Call, SetTimer
from sagalang.runtime.kernel.empty import NOTHING
from sagalang.runtime.kernel.forking import fork
from sagalang.runtime.kernel.frames import Frame, Loop, Segment
from sagalang.runtime.kernel.state import State
from sagalang.runtime.plan import Plan
from sagalang.runtime.simulator import Simulator, World

from ..compiler.journey import whole
from ..compiler.programs import compiled_file
from .test_foresight import PROGRAMS

PLANS = {
    "every statement": whole(),
    **{
        f"{path.stem}.{name}": plan
        for path in PROGRAMS
        for name, plan in compiled_file(path).plans.items()
    },
}

Pair = tuple[str, Any, Any]
"""Where something was found, in a state and in its fork."""


def parts(one: Any, two: Any, at: str) -> Iterator[Pair]:
    """What two values of the state hold, side by side."""
    names = fields_of(one)
    if names:
        yield from ((f"{at}.{name}", getattr(one, name), getattr(two, name)) for name in names)
    elif isinstance(one, ChainMap):
        yield from parts(list(one.maps), list(two.maps), at)  # pyright: ignore
    elif isinstance(one, dict):
        assert list(one) == list(two), at  # pyright: ignore
        yield from ((f"{at}[{key}]", one[key], two[key]) for key in list(two))
    elif isinstance(one, list | tuple | deque):
        assert len(two) == len(one), at  # pyright: ignore
        yield from ((f"{at}[{n}]", one[n], two[n]) for n in range(len(two)))


def fields_of(value: Any) -> tuple[str, ...]:
    if isinstance(value, msgspec.Struct):
        return type(value).__struct_fields__
    return tuple(field.name for field in fields(value)) if is_dataclass(value) else ()


def changes(value: Any) -> bool:
    """Whether the fold may change a thing itself: no frozen record, and no text or number."""
    if isinstance(value, msgspec.Struct):
        return not value.__struct_config__.frozen
    if is_dataclass(value):
        return getattr(value, "__hash__", None) is None or type(value) in (Frame, Loop, Segment)
    return value is not NOTHING and isinstance(value, list | dict | set | deque | ChainMap)


def is_data(at: str) -> bool:
    """Whether something is inside of values, of which the kernel changes none."""
    inside = (".args[", ".wire_args[", ".values[", ".names[", ".remembered[", ".baselines[",
              ".resources[", ".shows[", ".signals[", ".items[", ".returns[", ".result", ".value",
              ".returned", ".following", ".descriptors[")  # fmt: skip
    return any(word in at for word in inside)


def compare(state: State, forked: State) -> None:
    """Fails when the two are not alike, or hold one thing that the fold changes."""
    met: dict[int, Any] = {}
    todo: list[Pair] = [("", state, forked)]
    while todo:
        at, one, two = todo.pop()
        assert type(one) is type(two), at
        if isinstance(one, Append | Call | SetTimer):
            assert one == two, at
            mine, its = (
                each.intent if isinstance(each, Call) else each.event for each in (one, two)
            )
            assert mine is None or mine is not its, f"{at}: a driver writes into an event"
        elif isinstance(one, tuple):
            todo += parts(one, two, at)
        elif is_data(at) or not changes(one):
            assert one is two or one == two, at
        elif id(one) in met:
            assert met[id(one)] is two, f"{at} is another thing than elsewhere"
        else:
            assert one is not two, f"{at} is in both"
            met[id(one)] = two
            todo += parts(one, two, at)
    assert len({id(two) for two in met.values()}) == len(met)


@pytest.mark.parametrize("name", PLANS)
def test_a_fork_is_the_same_and_shares_nothing_that_changes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each failure of a plan, with what is rolled back, waited for and in flight there."""
    forked = 0

    class Compared(Simulator):
        def fork(self, world: World) -> Simulator:
            nonlocal forked
            forked += 1
            compare(self.state, fork(self.state))
            return super().fork(world)

        def turn(self) -> bool:
            if len(self.events) % 5 == 0:
                compare(self.state, fork(self.state))
            return super().turn()

    monkeypatch.setattr(recoveries, "Simulator", Compared)
    plan: Plan = PLANS[name]
    every = list(points(plan))
    foresee(plan, every[:: max(1, len(every) // 4)])
    assert forked or not every


def test_what_a_fork_does_changes_nothing_of_where_it_came_from() -> None:
    plan = whole()
    first = foresee(plan, points(plan))
    assert foresee(plan, points(plan)) == first
    for number, point in enumerate(points(plan)):
        [*alone] = foresee(plan, points(plan), only=point[0].path).failures
        assert set(alone) <= set(first.failures), number
