"""A fix mends what it is offered for, and breaks nothing."""

from __future__ import annotations

import pytest

from sagalang.dsl.diagnostics import Diagnostic, Severity
from sagalang.dsl.fixes import apply

from .programs import compiled
from .shop import saga
from .test_checks_pivot import BAD


def errors(text: str) -> list[Diagnostic]:
    found = compiled(text).diagnostics
    return [each for each in found if each.severity is Severity.ERROR]


def mended(text: str) -> tuple[str, list[Diagnostic]]:
    """The text with the fix of its first error made, and the errors that are left."""
    made = compiled(text)
    first = next(each for each in made.diagnostics if each.severity is Severity.ERROR)
    assert first.fix is not None
    fixed = apply(made.sources["main.saga"], [first.fix], first.fix.applicability)
    return fixed, errors(fixed)


FIXES = {
    "behind what can fail": (
        """
        step note = mail(id)
        step pay = charge(id, 1.00)
        checkpoint paid
        """,
        """
        step pay = charge(id, 1.00)
        step note = mail(id)
        checkpoint paid
        """,
    ),
    "with its documentation and its comment": (
        """
        \"\"\"Says that it is done.\"\"\"
        step note = mail(id)  # the customer waits for it
        step pay = charge(id, 1.00)  # and so do we
        """,
        """
        step pay = charge(id, 1.00)  # and so do we
        \"\"\"Says that it is done.\"\"\"
        step note = mail(id)  # the customer waits for it
        """,
    ),
    "behind a branch": (
        """
        step note = mail(id)
        if ok {
          step pay = charge(id, 1.00)
        }
        """,
        """
        if ok {
          step pay = charge(id, 1.00)
        }
        step note = mail(id)
        """,
    ),
    "waiting for what is beside it": (
        """
        parallel {
          step note = mail(id)
          step pay = charge(id, 1.00)
          step hold = reserve(id)
        }
        """,
        """
        parallel {
          step note = mail(id) after pay, hold
          step pay = charge(id, 1.00)
          step hold = reserve(id)
        }
        """,
    ),
    "behind another pivot, its own failure passed over": (
        """
        step one = mail(id) { timeout 5s }
        step two = mail("x")
        """,
        """
        step two = mail("x")
        step one = mail(id) else continue { timeout 5s }
        """,
    ),
    "for people, where what fails needs it": (
        """
        step note = mail(id)
        step pay = charge("{note}", 1.00)
        """,
        """
        step note = mail(id)
        step pay = charge("{note}", 1.00) else escalate
        """,
    ),
    "waiting for one more, inside a scope": (
        """
        scope all {
          parallel {
            gate yes needs "ops" shows id
            step note = mail(id) after yes else continue
            step pay = charge(id, 1.00)
          }
        } else { }
        """,
        """
        scope all {
          parallel {
            gate yes needs "ops" shows id
            step note = mail(id) after yes, pay else continue
            step pay = charge(id, 1.00)
          }
        } else { }
        """,
    ),
    "for people, where it said something else": (
        """
        step note = mail(id)
        step pay = charge("{note}", 1.00) else rollback { timeout 5s }
        """,
        """
        step note = mail(id)
        step pay = charge("{note}", 1.00) else escalate { timeout 5s }
        """,
    ),
    "on one line": (
        "step note = mail(id) step pay = charge(id, 1.00) checkpoint paid",
        "step pay = charge(id, 1.00) step note = mail(id) checkpoint paid",
    ),
}


@pytest.mark.parametrize(("wrong", "right"), FIXES.values(), ids=FIXES)
def test_the_pivot_is_put_where_it_may_stand(wrong: str, right: str) -> None:
    fixed, left = mended(saga(wrong))
    assert fixed == saga(right)
    assert left == []


def test_where_no_single_edit_helps_none_is_offered() -> None:
    text = saga(
        """
        step note = mail(id)
        requires n > 3
        step pay = charge("{note}", 1.00)
        """
    )
    (found,) = errors(text)
    assert found.fix is None


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_every_fix_takes_an_error_away_and_brings_none(body: str) -> None:
    text = saga(body)
    before = errors(text)
    for each in before:
        if each.fix is not None:
            made = compiled(text)
            fixed = apply(made.sources["main.saga"], [each.fix], each.fix.applicability)
            assert len(errors(fixed)) < len(before)


@pytest.mark.parametrize(
    ("call", "fixed"),
    [
        ('"d" (x)', '"d" (x, idempotency_key: key)'),
        ('"d" ()', '"d" (idempotency_key: key)'),
        ('"d" (x,)', '"d" (x,idempotency_key: key)'),
        ('"d"', '"d" (x, idempotency_key: key)'),
    ],
)
def test_the_key_is_added_to_what_is_passed(call: str, fixed: str) -> None:
    text = f"""edition 2026
    tool do(x: str) -> json {{
      call python {call}
      effect thing(x) irreversible corrective "x"
      idempotent by key
    }}
    saga s(id: str) {{ step a = do(id) }}
    """
    assert mended(text) == (text.replace(call, fixed), [])
