"""The least readiness is the least over every state that a run can be in."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, note, reject, settings, strategies as st

from sagalang.compiler.proving.barrier import breaches
from sagalang.compiler.proving.readiness import least, stake
from sagalang.compiler.proving.spots import Spot
from sagalang.compiler.proving.view import view
from sagalang.compiler.proving.weighing import Weighing
from sagalang.runtime.plan import AgentCall, Each, First, Node, Plan

from .handmade import each, parallel, plan, scope, step, tool
from .runs import Now, Place, Runs, failing, finals, within
from .shapes_of_plans import braids, plans, told, wholes


class Worst:
    """The least over all states, each looked at, and over what loops may do ever more of."""

    def __init__(self, plan: Plan, until: tuple[str, ...]) -> None:
        seen = view(plan)
        self.impact = {tool.name: sum(e.impact for e in tool.effects) for tool in plan.tools}
        self.kept = {
            (spot.path, tool.name): stake(seen, (spot, step, tool)).kept
            for spot, step, tool in seen.steps
        }
        self.runs = Runs(plan, until, failing(seen), finals(seen), many=800)
        try:
            self.states = self.runs.states()
        except OverflowError:
            reject()

    def sums(self, now: Now, frame: Place = ()) -> tuple[int, int]:
        """What can be taken back and the whole of what has landed and stands inside a block."""
        landed = [each for each in now.landed if within(each[0], frame)]
        stands = [each for each in now.stands if within(each[0], frame)]
        kept = sum(self.kept[self.runs.node(place).path, tool] for place, tool, _ in landed)
        return kept, sum(self.impact[tool] for _, tool, _ in (*landed, *stands))

    def reached(self) -> Fraction:
        """The least of all states."""
        return min(map(ratio, map(self.sums, self.states)))

    def approached(self) -> Fraction:
        """The least of what can be had ever more of, 1 where there is nothing."""
        return min((ratio(each) for now in self.states for each in self.more(now)), default=ONE)

    def more(self, now: Now) -> Iterator[tuple[int, int]]:
        for place, items in now.chosen:
            node = self.runs.node(place)
            for item in range(items):
                failed = (*place, item) in now.fallen
                match node:
                    case Each() if not failed and self.runs.item_over(now, node, place, item):
                        yield self.sums(now, (*place, item))
                    case First() if failed:
                        yield self.sums(now, (*place, item))
                    case _:
                        pass
        for place, used, _ in now.landed:
            node = self.runs.node(place)
            if isinstance(node, AgentCall) and self.runs.agents[node.agent].at_most is None:
                yield self.kept[node.path, used], self.impact[used]


ONE = Fraction(1)


def ratio(sums: tuple[int, int]) -> Fraction:
    kept, whole = sums
    return Fraction(kept, whole) if whole else ONE


def check(plan: Plan, data: st.DataObject) -> None:
    note(told(plan))
    seen = view(plan)
    named = sorted({spot.path for spot in seen.graph.spots if hasattr(spot.node, "name")})
    until = tuple(data.draw(st.lists(st.sampled_from(named), max_size=2))) if named else ()
    found, worst = least(seen, until), Worst(plan, until)
    assert found.value == min(worst.reached(), worst.approached())
    assert found.approached == (worst.reached() > found.value)


@settings(max_examples=150)
@given(plans() | braids() | wholes(), st.data())
def test_least_readiness_is_that_of_the_worst_state(plan: Plan, data: st.DataObject) -> None:
    check(plan, data)


@pytest.mark.slow
@settings(max_examples=3000)
@given(plans() | braids() | wholes(), st.data())
def test_least_readiness_of_thousands_of_plans(plan: Plan, data: st.DataObject) -> None:
    check(plan, data)


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_the_state_named_is_one_that_has_it(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    found, worst = least(seen), Worst(plan, ())
    names = {(spot.path, tool.name) for spot, _, tool in found.landed}

    def calls(now: Now) -> set[tuple[str, str]]:
        here = (*now.landed, *now.stands)
        return {(worst.runs.node(p).path, t) for p, t, _ in here if worst.impact[t]}

    if found.approached:
        assert names
        assert all(any(name in calls(now) for now in worst.states) for name in names)
    else:
        having = [now for now in worst.states if ratio(worst.sums(now)) == found.value]
        assert names in [calls(now) for now in having]


def test_a_saga_costs_what_it_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each guess looks at each statement once, and nothing is cut where nothing waits."""
    looked = 0
    statement = Weighing.statement

    def counted(self: Any, spot: Spot) -> Any:
        nonlocal looked
        looked += 1
        return statement(self, spot)

    monkeypatch.setattr(Weighing, "statement", counted)
    monkeypatch.setattr("sagalang.compiler.proving.choices.closure", None)
    back, final = tool("back", "reversible", 3), tool("final", "irreversible", 2)
    for size in (100, 1_000):
        looked = 0
        chain = (step(f"s{n}", back if n % 3 else final) for n in range(size))
        wide = (step(f"w{n}", back if n % 5 else final) for n in range(size))
        found = least(view(plan(*chain, parallel(1, *wide), tools=(back, final))))
        assert found.value == 0
        assert [spot.path for spot, _, _ in found.landed] == ["s0"]
        assert looked <= 4 * (2 * size + 1)


def test_bodies_in_each_other_cost_what_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each guess weighs a statement twice: going forward, and for what a failure leaves."""
    looked = 0
    statement = Weighing._statement  # pyright: ignore[reportPrivateUsage]

    def counted(self: Any, spot: Spot) -> Any:
        nonlocal looked
        looked += 1
        return statement(self, spot)

    monkeypatch.setattr(Weighing, "_statement", counted)
    monkeypatch.setattr("sagalang.compiler.proving.graph.settled_before", None)
    back, final = tool("back", "reversible", 3, fails=True), tool("final", "irreversible", 2)
    for size in (100, 1_000):
        looked = 0
        inner: tuple[Node, ...] = ()
        for depth in range(20):
            steps = tuple(step(f"s{depth}_{n}", back) for n in range(size // 20))
            body = (*steps, *inner, step(f"p{depth}", final, accepted=True))
            loop = each(f"e{depth}", *body, tolerate=depth % 2)
            inner = (scope(f"c{depth}", (loop,), (step(f"o{depth}", back),)),)
        seen = view(plan(*inner, tools=(back, final)))
        assert not seen.graph.leaky
        assert len(list(breaches(seen, 1))) == 0
        assert least(seen).value == 0
        assert looked <= 4 * 2 * len(seen.graph.spots)
