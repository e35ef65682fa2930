"""The pivot barrier, the need of an undo, and the report, held against every run of small plans."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, note, reject, settings

from sagalang.compiler.checks import check
from sagalang.compiler.proving.barrier import breaches
from sagalang.compiler.proving.proofs import prove
from sagalang.compiler.proving.tables import undoable
from sagalang.compiler.proving.view import View, view
from sagalang.runtime.plan import AgentCall, Plan

from .runs import Leaf, Runs, failing, finals, within
from .shapes_of_plans import braids, plans, told, wholes

Met = Mapping[tuple[int, str], set[Leaf]]
"""By the identity of a statement and a tool: both branches of an `if` may have one path."""


def played(plan: Plan, seen: View) -> Runs:
    """Every run of a plan; large plans are passed over."""
    runs = Runs(plan, fallible=failing(seen), pivots=finals(seen))
    try:
        runs.states()
    except OverflowError:
        reject()
    return runs


def met(runs: Runs) -> Met:
    """For each call what fails in some run when it has landed, and is caught around it."""
    found: dict[tuple[int, str], set[Leaf]] = {}
    for failure in runs.failures:
        for place, tool, _ in failure.now.landed:
            accepted = runs.accepted((place, tool, 0))
            if within(place, failure.catch) and not accepted:
                found.setdefault((id(runs.node(place)), tool), set()).add(failure.leaf)
    return found


def reached(runs: Runs) -> set[int]:
    """What some run calls: an else behind what cannot fail is never run."""
    return {id(runs.node(place)) for now in runs.following for place, _ in runs.turns(now)}


def pivots(seen: View) -> set[int]:
    """What calls something that nothing takes back."""
    return {
        id(spot.node)
        for spot, step, tool in seen.steps
        if tool.irreversible and step.accepted is None
    }


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_a_pivot_is_told_when_some_run_fails_behind_it(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    runs = played(plan, seen)
    found, run = met(runs), reached(runs)
    told_of = {id(each.spot.node) for each in breaches(seen, 1)} & run
    broken = {
        node for node, tool in found if node in pivots(seen) and seen.tools[tool].irreversible
    }
    if seen.graph.leaky:
        # A scope that breaks R502 has no else of which its body could be sure.
        assert told_of >= broken
        assert broken
    else:
        assert told_of == broken


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_all_that_can_fail_is_counted(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    runs = played(plan, seen)
    found, run = met(runs), reached(runs)
    for breach in breaches(seen, 100):
        assert len(breach.open) == breach.count
        if id(breach.spot.node) not in run:
            continue
        leaves = {(id(spot.node), spot.closing) for spot in breach.open}
        known = set[Leaf]().union(
            *(
                each
                for (node, tool), each in found.items()
                if node == id(breach.spot.node) and seen.tools[tool].irreversible
            )
        )
        assert leaves == known if not seen.graph.leaky else leaves >= known


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_an_undo_is_missed_when_some_run_has_to_take_back(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    if seen.graph.leaky:
        return
    runs = played(plan, seen)
    found, run = met(runs), reached(runs)
    if not all(id(spot.node) in run for spot, _, _ in seen.steps):
        return
    missed = {
        tool.name
        for spot, step, tool in seen.steps
        if not step.undos and any(map(undoable, tool.effects))
        # Begun again, an agent need not want what it did before.
        if found.get((id(spot.node), tool.name)) or isinstance(spot.node, AgentCall)
    }
    assert len([each for each in check(seen) if each.code == "R503"]) == len(missed)


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_a_clean_plan_never_strands(plan: Plan) -> None:
    """Where no check objects, whatever has landed when something fails can be taken back."""
    seen = view(plan)
    if any(each.code in ("R502", "R503") for each in check(seen)):
        return
    note(told(plan))
    found = met(played(plan, seen))
    for spot, step, tool in seen.steps:
        if tool.effects and found.get((id(spot.node), tool.name)):
            assert step.undos or step.accepted is not None
    assert len(prove(seen).steps) >= len({spot.index for spot, _, _ in seen.steps})
