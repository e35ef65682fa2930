"""The pivot barrier, the need of an undo, and the report, held against every run of small plans."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, note, reject, settings

from sagalang.compiler.checks import check
from sagalang.compiler.proving.barrier import breaches
from sagalang.compiler.proving.proofs import prove
from sagalang.compiler.proving.tables import undoable
from sagalang.compiler.proving.view import View, view
from sagalang.runtime.plan import AgentCall, Each, Plan

from .runs import Failure, Leaf, Runs, failing, finals, within
from .shapes_of_plans import braids, plans, told, wholes

Met = Mapping[tuple[str, str], set[Leaf]]


def played(plan: Plan, seen: View) -> Runs:
    """Every run of a plan; large plans are passed over."""
    runs = Runs(plan, fallible=failing(seen), pivots=finals(seen))
    try:
        runs.states()
    except OverflowError:
        reject()
    return runs


def met(runs: Runs, *, own: bool) -> Met:
    """For each call, by path and tool, what fails in some run when it has landed and is caught
    around it. With `own` also that more items of its loop failed than are tolerated.
    """
    found: dict[tuple[str, str], set[Leaf]] = {}
    for failure in runs.failures:
        for place, tool, _ in failure.now.landed:
            accepted = runs.accepted((place, tool, 0))
            if (
                within(place, failure.catch)
                and not accepted
                and (own or not _own(runs, failure, place))
            ):
                found.setdefault((runs.node(place).path, tool), set()).add(failure.leaf)
    return found


def _own(runs: Runs, failure: Failure, place: tuple[int, ...]) -> bool:
    loop = isinstance(runs.node(failure.place), Each) and failure.leaf[1]
    return loop and within(place, failure.place)


def reached(runs: Runs) -> set[str]:
    """The paths of what some run calls: an else behind what cannot fail is never run."""
    return {runs.node(place).path for now in runs.following for place, _ in runs.turns(now)}


def pivots(seen: View) -> set[str]:
    """The paths of what calls something that nothing takes back."""
    return {
        spot.path for spot, step, tool in seen.steps if tool.irreversible and step.accepted is None
    }


@settings(max_examples=150)
@given(plans() | braids() | wholes())
def test_a_pivot_is_told_when_some_run_fails_behind_it(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    runs = played(plan, seen)
    found, run = met(runs, own=False), reached(runs)
    told_of = {each.spot.path for each in breaches(seen, 1)} & run
    broken = {
        path for path, tool in found if path in pivots(seen) and seen.tools[tool].irreversible
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
    found, run = met(runs, own=False), reached(runs)
    for breach in breaches(seen, 100):
        assert len(breach.open) == breach.count
        if breach.spot.path not in run:
            continue
        leaves = {(id(spot.node), spot.closing) for spot in breach.open}
        known = set[Leaf]().union(
            *(
                each
                for (path, tool), each in found.items()
                if path == breach.spot.path and seen.tools[tool].irreversible
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
    found, run = met(runs, own=True), reached(runs)
    if not all(spot.path in run for spot, _, _ in seen.steps):
        return
    missed = {
        tool.name
        for spot, step, tool in seen.steps
        if not step.undos and any(map(undoable, tool.effects))
        # Begun again, an agent need not want what it did before.
        if found.get((spot.path, tool.name)) or isinstance(spot.node, AgentCall)
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
    found = met(played(plan, seen), own=False)
    for spot, step, tool in seen.steps:
        if tool.effects and found.get((spot.path, tool.name)):
            assert step.undos or step.accepted is not None
    assert len(prove(seen).steps) >= len({spot.index for spot, _, _ in seen.steps})
