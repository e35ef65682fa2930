"""R502: behind a step that nothing takes back, nothing can fail."""

from __future__ import annotations

import pytest

from .shop import judged, proved

GOOD = {
    "what can fail stands before": """
      step pay = charge(id, 1.00)
      step note = mail(id)
    """,
    "the pivot itself may be refused: it has not happened then": "step note = mail(id)",
    "accepted, it may stand": """
      step note = mail(id) accept irreversible because "it only says that we are on it"
      step pay = charge(id, 1.00)
    """,
    "a failure is passed over": """
      step note = mail(id)
      step pay = charge(id, 1.00) else continue
    """,
    "a failure is for people": """
      step note = mail(id)
      step pay = charge(id, 1.00) else escalate
    """,
    "it is tried until it succeeds": """
      step note = mail(id)
      step paper = letter(id)
      step time = clock()
    """,
    "a step's own retry makes it so": """
      step note = mail(id)
      step left = level(id) { retry forever }
      step end = letter(id, left)
    """,
    "no run has both": """
      if ok {
        step note = mail(id)
      } else {
        step pay = charge(id, 1.00)
      }
    """,
    "ordered beside each other": """
      parallel {
        step note = mail(id) after pay, hold
        step pay = charge(id, 1.00)
        step hold = reserve(id)
      }
    """,
    "ordered by data": """
      parallel {
        step paper = letter(id, left)
        step left = level(id)
      }
    """,
    "ordered by what it waits for in a branch": """
      parallel {
        if ok { step pay = charge(id, 1.00) }
        step paper = letter(id) when pay != none
      }
    """,
    "total expressions do not fail": """
      step paper = letter(id, n + 2 * n - 1)
      let more = [n, n // 2, max(n, 1)]
      if n > 3 { step second = letter("{id} {len(more)}") }
    """,
    "checkpoints and nothing": """
      step paper = letter(id)
      checkpoint done
    """,
}

BAD = {
    "refused behind it": """
      # The message follows the run: what is done, what then fails, what stays.
      step note = mail(id)  # error: [R502] "`note` is done, then `pay` is refused (CardDeclined)"
      step pay = charge(id, 1.00)
    """,
    "what was done before is undone": """
      step hold = reserve(id)
      step note = mail(id)  # error: [R502] "`hold` is undone, but nothing takes the mail back."
      step pay = charge(id, 1.00)
    """,
    "attempts run out behind it": """
      step paper = letter(id)  # error: [R502] "then `left` fails all 5 attempts"
      step left = level(id)
    """,
    "a second pivot that can be refused": """
      step one = mail(id)  # error: [R502] "then `two` is refused (Bounced)"
      step two = mail("x")
    """,
    "two pivots beside each other, each in the way of the other": """
      parallel {
        step one = mail("y")  # error: [R502] "`one` is done while beside it `two` is refused"
        step two = mail("x")  # error: [R502] "`two` is done while beside it `one` is refused"
      }
    """,
    "beside it": """
      parallel {
        step pay = charge(id, 1.00)
        step paper = letter(id)  # error: [R502] "`paper` is done while beside it `pay` is refused"
      }
    """,
    "a gate": """
      step paper = letter(id)  # error: [R502] "then `release` is rejected"
      gate release needs "ops" shows id
    """,
    "a gate that goes on when nobody answers can still be rejected": """
      step paper = letter(id)  # error: [R502] "then `release` is rejected"
      gate release needs "ops" shows id within 1h else continue
    """,
    "a condition": """
      step paper = letter(id)  # error: [R502] "then `requires n > 3` does not hold"
      requires n > 3
    """,
    "a value that need not exist": """
      step paper = letter(id)  # error: [R502] "`part` cannot be computed (division by zero)"
      let part = 1 / n
      step more = letter("{part}")
    """,
    "a conversion": """
      step paper = letter(id)  # error: [R502] "cannot be computed (a conversion with `int()`)"
      step more = letter(id, int(id))
    """,
    "the condition of a step": """
      step paper = letter(id)  # error: [R502] "`n % n == 0` of `more` cannot be computed (division"
      step more = letter(id) when n % n == 0
    """,
    "the condition of a branch": """
      step paper = letter(id)  # error: [R502] "`if 1 // n == 1` cannot be computed"
      if 1 // n == 1 { step more = letter("more") }
    """,
    "one branch, then a step for both": """
      if ok {
        step note = mail(id)  # error: [R502] "then `pay` is refused"
      } else {
        step hold = reserve(id)
      }
      step pay = charge(id, 1.00)
    """,
    "in a branch behind it": """
      step note = mail(id)  # error: [R502] "then `hold` is refused"
      if ok { step hold = reserve(id) }
    """,
    "waiting for one branch is not waiting for what it waits for": """
      parallel {
        step left = level(id)
        if ok { step more = reserve(str(left)) }
        step paper = letter(id) after rest  # error: [R502] "while beside it `left` fails"
        step rest = clock()
      }
    """,
    "polling lapses": """
      step paper = letter(id)  # error: [R502] "then `time` does not come true within 10m"
      step time = clock() until it > n every 10s within 10m
    """,
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD)
def test_clean(body: str) -> None:
    judged(body)


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_the_way_back_is_barred(body: str) -> None:
    judged(body)


def test_the_value_that_is_returned_counts() -> None:
    judged(
        """
        step paper = letter(id)  # error: [R502] "what is returned cannot be computed (division"
        return 100 / n
        """,
        result="decimal",
    )


def test_all_that_can_fail_is_told_in_order_and_counted() -> None:
    """One diagnostic for a pivot: where it is, the first few that can fail, how many they are."""
    body = "\n".join(["step paper = letter(id)", *(f"step l{i} = level(id)" for i in range(9))])
    made = judged(
        body.replace("(id)\n", '(id)  # error: [R502] "nothing takes the letter back"\n', 1)
    )
    (found,) = made.diagnostics
    said = [label.message for label in found.labels]
    assert (
        said[0] == "behind this step there is no way back; 9 statements after or beside it can fail"
    )
    assert said[1:4] == [f"can fail after it: `l{i}` fails all 5 attempts" for i in range(3)]
    assert said[4:] == ["this effect is irreversible"]


def test_a_pivot_in_an_imported_file_is_told_with_its_effect() -> None:
    """The tool's file is named where the effect stands; the step is what is in the way."""
    shop = """edition 2026
    tool note(to: str) -> json {
      call python "n" (to, key)
      effect note(to) irreversible corrective "x"
      idempotent by key
      retry 3 times
    }
    tool look() -> json { call python "l" effect none }
    """
    made = proved(
        """edition 2026
        import { note, look } from "parts/shop.saga"
        saga s() {
          step a = note("x")  # error: [R502] "nothing takes the note back"
          step b = look()
        }
        """,
        {"parts/shop.saga": shop},
    )
    (found,) = made.diagnostics
    assert [label.source for label in found.labels] == ["main.saga", "main.saga", "parts/shop.saga"]
