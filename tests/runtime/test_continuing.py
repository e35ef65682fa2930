"""Two definitions of a saga: what differs, and where a live run may go on (case 22)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from sagalang.runtime.continuing import Comparison, compare
from sagalang.runtime.differences import differences
from sagalang.runtime.plan import Each, Parallel, Plan, Step, definition

from ..compiler.any_plans import any_plans
from ..compiler.journey import whole
from ..compiler.plans import fulfil
from ..compiler.programs import compiled

HEAD = """edition 2026
tool put(id: str) -> str {
  call python "shop:put" (id, idempotency_key: key)
  effect thing(id) reversible impact 3
  idempotent by key
  fails with Refused
  retry 3 times every 1s..30s
  undo drop(id)
}
tool drop(id: str) -> json {
  call python "shop:drop"
  effect thing restoring
  idempotent naturally
  retry 5 times
}
tool wipe(id: str) -> json {
  call python "shop:wipe"
  effect thing restoring
  idempotent naturally
  retry 5 times
}
tool mail(to: str) -> str {
  call python "shop:mail" (to, idempotency_key: key)
  effect mail(to) irreversible corrective "write again"
  idempotent by key
  retry forever
}
"""
BODY = """
  step a = put("{id}-a")
  step b = put("{id}-b")
  gate g needs "ops" shows id
  step c = put("{id}-c")
  step sent = mail(id)
  step d = put("{id}-d") else continue
"""


def plan(body: str = BODY, head: str = HEAD, inputs: str = "id: str") -> Plan:
    """A saga; warnings and errors of proofs do not matter here."""
    made = compiled(f"{head}\nsaga s({inputs}) {{\n{body}\n}}\n")
    assert made.plans, [each.message for each in made.diagnostics]
    return made.plans["s"]


def verdicts(one: Comparison) -> dict[str, str]:
    return {place.at: place.verdict for place in one.places}


def named(one: Comparison) -> list[str]:
    return [str(difference) for difference in one.differences]


OLD = plan()
ALL = ("a", "b", "g", "c", "sent", "d")


def judged(new: Plan, old: Plan = OLD) -> tuple[list[str], list[str], list[str], list[str]]:
    """What differs; where a run goes on, can only be rolled back, or neither."""
    one = compare(old, new)
    found = verdicts(one)
    by_kind = {
        kind: [at for at in found if found[at] == kind]
        for kind in ("goes_on", "only_rolls_back", "incompatible")
    }
    return named(one), by_kind["goes_on"], by_kind["only_rolls_back"], by_kind["incompatible"]


def test_layout_is_no_difference() -> None:
    one = compare(OLD, plan(BODY.replace("\n", "\n # a comment\n")))
    assert one.old == one.new
    assert one.differences == ()
    assert one.all_go_on


def test_a_step_that_is_inserted() -> None:
    """Case 22 a: a run before it may go on, one behind it has not done it."""
    new = plan(BODY.replace("  step b", '  step x = put("x")\n  step b'))
    assert judged(new) == (
        ["the step `x` is new"],
        ["a"],
        ["b", "g", "c"],
        ["sent", "d"],
    )
    [_, b, *_] = compare(OLD, new).places
    assert b.because == ("`x` is new and comes before `b`",)


def test_a_step_that_is_removed() -> None:
    new = plan(BODY.replace('  step b = put("{id}-b")\n', ""))
    assert judged(new) == (["the step `b` is gone"], ["a"], ["b", "g", "c"], ["sent", "d"])


def test_a_step_that_is_renamed() -> None:
    new = plan(BODY.replace("step b", "step b2"))
    said, goes_on, *_ = judged(new)
    assert said == ["the step `b` is gone", "the step `b2` is new"]
    assert goes_on == ["a"]


def test_steps_that_change_places() -> None:
    """A log is folded in its order, which is none of the new definition."""
    lines = BODY.split("\n")
    lines[1], lines[2] = lines[2], lines[1]
    said, goes_on, rolls_back, incompatible = judged(plan("\n".join(lines)))
    assert said == ["the step `b` no longer waits for `a`"]
    assert (goes_on, rolls_back, incompatible) == ([], ["a", "b", "g", "c"], ["sent", "d"])


def test_another_undo_is_a_matter_of_the_log() -> None:
    new = plan(head=HEAD.replace("  undo drop(id)\n", "  undo wipe(id)\n"))
    said, goes_on, *_ = judged(new)
    assert "the tool `put` differs in undo (drop(id) → wipe(id))" in said
    assert goes_on == list(ALL)


def test_an_effect_of_another_class_is_another_past() -> None:
    new = plan(
        head=HEAD.replace(
            "effect thing(id) reversible impact 3",
            'effect thing(id) irreversible impact 3 corrective "look"',
        ).replace("  undo drop(id)\n", "")
    )
    said, goes_on, rolls_back, incompatible = judged(new)
    assert "thing(id) reversible impact 3 → thing(id) irreversible impact 3" in "; ".join(said)
    assert (goes_on, rolls_back, incompatible) == ([], ["a", "b", "g", "c"], ["sent", "d"])


def test_other_retries_change_nothing_for_a_live_run() -> None:
    new = plan(head=HEAD.replace("retry 3 times every 1s..30s", "retry 9 times every 1s..30s"))
    said, goes_on, *_ = judged(new)
    assert said == [
        "the tool `put` differs in retry (3 times every 1s..30s → 9 times every 1s..30s)"
    ]
    assert goes_on == list(ALL)


def test_another_binding_matters_to_a_call_on_its_way() -> None:
    new = plan(head=HEAD.replace('"shop:mail"', '"post:mail"'))
    _, goes_on, rolls_back, incompatible = judged(new)
    assert (goes_on, rolls_back, incompatible) == (["a", "b", "g", "c", "d"], [], ["sent"])


def test_other_inputs() -> None:
    with_default = plan(inputs="id: str, n: int = 1", body=BODY + "  requires n > 0\n")
    assert judged(with_default)[1] == list(ALL)
    without = plan(inputs="id: str, n: int", body=BODY + "  requires n > 0\n")
    assert judged(without)[1] == []
    assert compare(OLD, without).places[0].because == ("the input `n` is new and has no default",)


def test_another_shape_of_a_value() -> None:
    record = 'record R { a: str }\ntool get(id: str) -> R { call python "x:y" effect none }\n'
    body = "  step r = get(id)\n" + BODY
    old = plan(body, HEAD + record)
    new = plan(body, HEAD + record.replace("a: str", "a: str, b: int"))
    said, goes_on, rolls_back, incompatible = judged(new, old)
    assert said == ["the record `R` differs in fields (a: str → a: str, b: int)"]
    assert (goes_on, rolls_back, incompatible) == ([], ["r", "a", "b", "g", "c"], ["sent", "d"])


def test_side_by_side_nobody_knows_what_has_happened() -> None:
    """`b` may have run when `a` is called; what waits for `a` has not."""
    side = (
        '  parallel {\n  step a = put("a")\n  step b = put("b")\n  step c = put("c") after a\n  }\n'
    )
    old = plan(side)
    changed = judged(plan(side.replace('put("b")', 'put("z")')), old)
    assert changed[1:] == ([], ["a", "b", "c"], [])
    later = judged(plan(side.replace('put("c")', 'put("z")')), old)
    assert later[1:] == (["a"], ["b", "c"], [])


def test_the_other_branch_has_not_happened() -> None:
    either = '  if id == "x" {\n  step a = put("a")\n  } else {\n  step b = put("b")\n  }\n'
    old = plan(either)
    assert judged(plan(either.replace('put("b")', 'put("z")')), old)[1:] == (["a"], ["b"], [])


def test_items_have_other_items_behind_them() -> None:
    old = whole()
    known, side, *rest = old.body
    assert isinstance(side, Parallel)
    picks, *beside = side.body
    assert isinstance(picks, Each)
    requires, step, returned = picks.body
    assert isinstance(step, Step)
    other = msgspec.structs.replace(step, args=step.args[:1])
    picks = msgspec.structs.replace(picks, body=(requires, other, returned))
    side = msgspec.structs.replace(side, body=(picks, *beside))
    found = verdicts(compare(old, msgspec.structs.replace(old, body=(known, side, *rest))))
    assert found["picks[*].pick"] == "only_rolls_back"
    assert found["look"] == "only_rolls_back"
    # Beside it nobody knows how far the items are.
    assert found["pages[*].page"] == "only_rolls_back"
    assert found["carrier[*].booked"] == "incompatible"


@pytest.mark.parametrize("made", [fulfil, whole])
def test_everything_may_go_on_with_itself(made: Callable[[], Plan]) -> None:
    one = compare(made(), made())
    assert one.differences == ()
    assert one.all_go_on


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(any_plans(), any_plans())
def test_there_is_a_difference_exactly_when_the_meanings_differ(old: Plan, new: Plan) -> None:
    found = differences(old, new)
    assert bool(found) == (definition(old) != definition(new))
    assert differences(old, old) == []
    places = compare(old, new).places
    assert all(bool(place.because) == (place.verdict != "goes_on") for place in places)
