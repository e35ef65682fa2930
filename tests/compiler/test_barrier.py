"""The pivot barrier, the need of an undo, and the report, held against every run of small plans."""

from __future__ import annotations

from hypothesis import given, note, settings

from sagalang.compiler.checks import check
from sagalang.compiler.proving.barrier import breaches
from sagalang.compiler.proving.failures import pivot
from sagalang.compiler.proving.proofs import prove
from sagalang.compiler.proving.tables import undoable
from sagalang.compiler.proving.view import View, view
from sagalang.runtime.plan import Plan

from .runs import Runs
from .shapes_of_plans import braids, plans, told


def failing_after(plan: Plan, seen: View) -> dict[str, set[str]]:
    """For each step, what can fail in some run when the step has landed."""
    runs = Runs(plan)
    by_node = {id(node): place for place, node in runs.nodes.items()}
    fallible = {by_node[id(seen.graph.spots[index].node)] for index in seen.failures}
    found: dict[str, set[str]] = {}
    for now in runs.states():
        turns = set(runs.callable(now, plan.body, ())) & fallible
        for place in now.landed:
            found.setdefault(runs.nodes[place].path, set()).update(
                runs.nodes[turn].path for turn in turns - {place}
            )
    return found


@settings(max_examples=80)
@given(plans() | braids())
def test_a_pivot_is_told_when_some_run_fails_behind_it(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    after = failing_after(plan, seen)
    told_of = {each.spot.path for each in breaches(seen, 1)}
    final = {step.path for _, step, tool in seen.steps if pivot(step, tool)}
    assert told_of == {path for path in final if after.get(path)}


@settings(max_examples=80)
@given(plans() | braids())
def test_all_that_can_fail_is_counted(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    after = failing_after(plan, seen)
    for breach in breaches(seen, 100):
        assert len(breach.open) == breach.count
        assert {spot.path for spot in breach.open} == after[breach.spot.path]


@settings(max_examples=80)
@given(plans() | braids())
def test_an_undo_is_missed_when_some_run_has_to_take_back(plan: Plan) -> None:
    note(told(plan))
    seen = view(plan)
    after = failing_after(plan, seen)
    missed = {
        step.tool
        for _, step, tool in seen.steps
        if not step.undos and any(map(undoable, tool.effects)) and after.get(step.path)
    }
    found = [each for each in check(seen) if each.code == "R503"]
    assert len(found) == len(missed)


@settings(max_examples=80)
@given(plans() | braids())
def test_a_clean_plan_never_strands(plan: Plan) -> None:
    """Where no check objects, whatever has landed when something fails can be taken back."""
    seen = view(plan)
    if any(each.code in ("R502", "R503") for each in check(seen)):
        return
    after = failing_after(plan, seen)
    for _, step, tool in seen.steps:
        if after.get(step.path) and tool.effects:
            assert step.undos or step.accepted is not None
    assert len(prove(seen).steps) == len(seen.steps)
