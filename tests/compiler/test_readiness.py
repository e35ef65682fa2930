"""The least readiness is the least over every state that a run can be in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, note, settings, strategies as st

from sagalang.compiler.proving import readiness
from sagalang.compiler.proving.readiness import least, stake
from sagalang.compiler.proving.spots import Spot
from sagalang.compiler.proving.view import view
from sagalang.runtime.plan import Plan, Step

from .handmade import parallel, plan, step, tool
from .runs import Runs
from .shapes_of_plans import braids, plans, told


def enumerated(plan: Plan, until: tuple[str, ...]) -> Fraction:
    """The least over all states, each looked at."""
    seen = view(plan)
    stakes = {id(spot.node): stake(seen, spot) for spot in seen.graph.spots}
    runs = Runs(plan, until)
    found = Fraction(1)
    for now in runs.states():
        kept = sum(stakes[id(runs.nodes[place])][0] for place in now.landed)
        whole = sum(stakes[id(runs.nodes[place])][1] for place in now.landed)
        if whole:
            found = min(found, Fraction(kept, whole))
    return found


def check(plan: Plan, data: st.DataObject) -> None:
    note(told(plan))
    seen = view(plan)
    steps = sorted({spot.path for spot in seen.graph.spots if isinstance(spot.node, Step)})
    until = tuple(data.draw(st.lists(st.sampled_from(steps), max_size=2))) if steps else ()
    assert least(seen, until).value == enumerated(plan, until)


@settings(max_examples=100)
@given(plans() | braids(), st.data())
def test_least_readiness_is_that_of_the_worst_state(plan: Plan, data: st.DataObject) -> None:
    check(plan, data)


@pytest.mark.slow
@settings(max_examples=4000)
@given(plans() | braids(), st.data())
def test_least_readiness_of_thousands_of_plans(plan: Plan, data: st.DataObject) -> None:
    check(plan, data)


@settings(max_examples=100)
@given(plans() | braids())
def test_the_state_named_is_one_that_has_it(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    found = least(seen)
    runs = Runs(plan)
    landed = frozenset(id(spot.node) for spot in found.landed)
    effects = {id(s.node) for s in seen.graph.spots if stake(seen, s)[1]}
    states = {
        frozenset(id(runs.nodes[place]) for place in now.landed) & effects for now in runs.states()
    }
    assert landed in states
    if landed:
        stakes = [stake(seen, spot) for spot in found.landed]
        assert found.value == Fraction(sum(k for k, _ in stakes), sum(w for _, w in stakes))
    else:
        assert found.value == 1


def test_a_saga_costs_what_it_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each guess looks at each statement once, and nothing is cut where nothing waits."""
    looked = 0
    statement = readiness._Weighing.statement  # pyright: ignore[reportPrivateUsage]

    def counted(self: Any, spot: Spot) -> Any:
        nonlocal looked
        looked += 1
        return statement(self, spot)

    monkeypatch.setattr(readiness._Weighing, "statement", counted)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr("sagalang.compiler.proving.choices.closure", None)
    back, final = tool("back", "reversible", 3), tool("final", "irreversible", 2)
    for size in (100, 1_000):
        looked = 0
        chain = (step(f"s{n}", back if n % 3 else final) for n in range(size))
        wide = (step(f"w{n}", back if n % 5 else final) for n in range(size))
        found = least(view(plan(*chain, parallel(1, *wide), tools=(back, final))))
        assert found.value == 0
        assert [spot.path for spot in found.landed] == ["s0"]
        assert looked <= 4 * (2 * size + 1)
