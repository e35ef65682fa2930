"""P701, P702, P703: what is promised of every state of a run holds in every state of every run."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, note, reject, settings, strategies as st

from sagalang.compiler.proving.promises import before
from sagalang.compiler.proving.view import view
from sagalang.runtime.plan import Plan, Step

from .programs import compiled
from .runs import Runs, failing, finals
from .shapes_of_plans import braids, plans, told, wholes
from .shop import TOOLS, judged, proved, saga

HOLDS = {
    "until the step that is final": """
      promise reversible until paper
      step pay = charge(id, 1.00)
      step paper = letter(id)
      step more = letter("x")
    """,
    "everything is undone": """
      promise reversible
      step pay = charge(id, 1.00)
      step left = level(id)
    """,
    "until either of two": """
      promise reversible until paper, note
      if ok { step paper = letter(id) } else { step note = mail(id) else continue }
    """,
    "readiness up to the pivot": """
      promise readiness >= 0.9 until paper
      step pay = charge(id, 1.00)
      step paper = letter(id)
    """,
    "readiness with it": """
      promise readiness >= 0.66
      step pay = charge(id, 1.00)
      step paper = letter(id)
    """,
    "a bound that is worked out": """
      promise readiness >= 1 - 1 / 3
      step pay = charge(id, 1.00)
      step paper = letter(id)
    """,
    "people are asked": """
      promise gated impact >= 4
      gate g needs "ops" shows id
      step pay = charge(id, 1.00)
      step paper = letter(id)
    """,
    "asked where it matters": """
      promise gated impact >= 4
      gate g needs "ops" shows id when n > 10
      step paper = letter(id) when n > 10
    """,
    "asked from less on": """
      promise gated impact >= 4
      gate g needs "ops" shows id when n > 10
      if ok and n >= 12 { step paper = letter(id) }
    """,
    "asked in each branch": """
      promise gated impact >= 4
      if ok { gate g needs "ops" shows id } else { gate h needs "leads" shows n }
      step paper = letter(id)
    """,
    "the other branch of the same question": """
      promise gated impact >= 4
      gate g needs "ops" shows id when not (n <= 10 or ok)
      if n <= 10 or ok { step a = clock() } else { step paper = letter(id) }
    """,
    "what is required": """
      promise gated impact >= 4
      requires n > 10
      gate g needs "ops" shows id when n > 10
      step paper = letter(id)
    """,
    "what was approved although it may go on without": """
      promise gated impact >= 4
      gate g needs "ops" shows id within 1h else continue
      step paper = letter(id) when g != none and g.approved
    """,
    "beside each other, ordered": """
      promise gated impact >= 4
      parallel {
        gate g needs "ops" shows id
        step paper = letter(id) after g
      }
    """,
    "only up to": """
      promise gated impact >= 4 until pay
      step pay = charge(id, 1.00)
    """,
}

BROKEN = {
    "something final comes first": """
      promise reversible until pay  # error: [P701] "`paper` is done before `pay`: nothing takes"
      step paper = letter(id)
      step pay = charge(id, 1.00) else continue
    """,
    "beside it is before it": """
      promise reversible until paper  # error: [P701] "`more` is done before `paper`"
      parallel {
        step paper = letter("y")
        step more = letter("x")
      }
    """,
    "what it waits for may be skipped": """
      promise reversible until paper  # error: [P701] "`more` is done before `paper`"
      step paper = letter(id) when ok
      step more = letter("x")
    """,
    "an accepted one is final too": """
      promise reversible  # error: [P701] "`note` is done: nothing takes the mail back"
      step note = mail(id) accept irreversible because "x"
    """,
    "too little can be taken back": """
      promise readiness >= 0.7  # error: [P702] "When `pay` and `paper` have landed, only 0.6666 of"
      step pay = charge(id, 1.00)
      step paper = letter(id)
    """,
    "the worst state is in the middle": """
      promise readiness >= 0.5  # error: [P702] "When `paper` has landed, only 0 of the impact can"
      step paper = letter(id)
      step pay = charge(id, 1.00) else continue
    """,
    "the heaviest of an each order": """
      promise readiness >= 0.5  # error: [P702] "`paper` has landed, only 0 of"
      parallel {
        step pay = charge(id, 1.00) else continue
        step paper = letter(id)
      }
    """,
    "nobody is asked": """
      promise gated impact >= 4  # error: [P703] "`paper` touches the letter with impact 4"
      step paper = letter(id)
    """,
    "asked too late": """
      promise gated impact >= 8  # error: [P703] "`pay` touches the payment with impact 8"
      step pay = charge(id, 1.00)
      gate g needs "ops" shows id
    """,
    "asked only sometimes": """
      promise gated impact >= 4  # error: [P703] "nobody had to agree before"
      gate g needs "ops" shows id when n > 10
      step paper = letter(id) when n > 9
    """,
    "asked about another thing": """
      promise gated impact >= 4  # error: [P703] "nobody had to agree before"
      gate g needs "ops" shows id when ok
      step paper = letter(id) when n > 9 or ok
    """,
    "it goes on when nobody answers": """
      promise gated impact >= 4  # error: [P703] "nobody had to agree before"
      gate g needs "ops" shows id within 1h else continue
      step paper = letter(id)
    """,
    "asked in one branch": """
      promise gated impact >= 4  # error: [P703] "nobody had to agree before"
      if ok { gate g needs "ops" shows id }
      step paper = letter(id)
    """,
    "beside it": """
      promise gated impact >= 4  # error: [P703] "nobody had to agree before"
      parallel {
        gate g needs "ops" shows id
        step paper = letter(id)  # error: [R502] "beside it `g` is rejected"
        step more = clock() after g
      }
    """,
}


CALLED = {
    "the caller's branch is what the called saga's gate asks for": """
saga child(to: str, sum: int) {
  gate g needs "ops" shows to when sum > 10
  step paper = letter(to)
}
saga s(id: str, n: int) {
  promise gated impact >= 4
  if n > 10 { step c = child(id, n) }
}
""",
    "the call is made only then": """
saga child(to: str, sum: int) {
  gate g needs "ops" shows to when sum > 10
  step paper = letter(to)
}
saga s(id: str, n: int) {
  promise gated impact >= 4
  step c = child(id, n + 1) when n + 1 > 11
}
""",
    "a saga that asks, called before": """
saga ask(sum: int) {
  gate g needs "ops" shows sum when sum > 10
}
saga s(id: str, n: int) {
  promise gated impact >= 4
  step asked = ask(n)
  step paper = letter(id) when n > 10
}
""",
    "a gate of the caller for a step of the called saga": """
saga child(to: str, sum: int) {
  step paper = letter(to) when sum > 10
}
saga s(id: str, n: int) {
  promise gated impact >= 4
  gate g needs "ops" shows id when n > 10
  step c = child(id, n)
}
""",
}

NOT_CALLED = {
    "a name of the called saga's own is another value": """
saga child(to: str, n: int) {
  gate g needs "ops" shows to when n > 10
  step paper = letter(to)
}
saga s(id: str, n: int) {
  promise gated impact >= 4  # error: [P703] "`c.paper` touches the letter with impact 4"
  if n > 10 { step c = child(id, n - 5) }
}
""",
    "two calls with different values": """
saga ask(sum: int) {
  gate g needs "ops" shows sum when sum > 10
}
saga s(id: str, n: int, m: int) {
  promise gated impact >= 4  # error: [P703] "`paper` touches the letter with impact 4"
  step asked = ask(m)
  step paper = letter(id) when n > 10
}
""",
    "other items of a loop that is over": """
saga s(id: str, n: int) {
  promise gated impact >= 4  # error: [P703] "`sent[*].paper` touches the letter"
  repeat polls = x from 1 at most 3 times {
    gate g needs "ops" shows x when x > 10
    return x
    next if n > x then x + 1 else none
  }
  each sent = x in polls {
    step paper = letter(id) when x > 10
  }
}
""",
}


@pytest.mark.parametrize("text", CALLED.values(), ids=CALLED)
def test_a_promise_that_holds_over_called_sagas(text: str) -> None:
    made = proved(f"edition 2026\n{TOOLS}\n{text}")
    assert [each.holds for each in made.proofs["s"].promises] == [True]


@pytest.mark.parametrize("text", NOT_CALLED.values(), ids=NOT_CALLED)
def test_a_promise_that_is_broken_over_called_sagas(text: str) -> None:
    proved(f"edition 2026\n{TOOLS}\n{text}")


HELPS = {
    "nobody is asked": (
        "step paper = letter(id, 2)",
        ['Put a gate before `paper`: `gate NAME needs "group" shows id`.'],
    ),
    "asked only sometimes": (
        'gate g needs "ops" shows id when n > 10 step paper = letter(id)',
        [
            "Let `g` ask always, or wherever `paper` is done: its `when` must follow from an `if`, "
            "a `requires` or the step's own `when`."
        ],
    ),
    "it goes on when nobody answers": (
        'gate g needs "ops" shows id within 1h else continue step paper = letter(id)',
        [
            "Let `g` fail when nobody answers: `else rollback`.",
            "Or do `paper` only when it was approved: `when g != none and g.approved`.",
        ],
    ),
}


@pytest.mark.parametrize(("body", "helps"), HELPS.values(), ids=HELPS)
def test_what_lets_people_agree_before_is_said(body: str, helps: list[str]) -> None:
    made = compiled(saga(f"promise gated impact >= 4\n{body}"))
    found = next(each for each in made.diagnostics if each.code == "P703")
    assert list(found.helps) == helps


@pytest.mark.parametrize("body", HOLDS.values(), ids=HOLDS)
def test_a_promise_that_holds(body: str) -> None:
    made = judged(body)
    assert [each.holds for each in made.proofs["s"].promises] == [True]


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_a_promise_that_is_broken(body: str) -> None:
    made = judged(body)
    (promise,) = made.proofs["s"].promises
    assert promise.counterexample in [each.message for each in made.diagnostics]


def test_the_report_says_class_readiness_and_promises() -> None:
    made = judged("""
      promise readiness >= 0.5 until paper
      step left = level(id)
      step hold = reserve(id)
      step pay = charge(id, 1.00)
      step early = mail(id) else escalate accept irreversible because "it says nothing"
      step paper = letter(id)
    """)
    proofs = made.proofs["s"]
    assert [(s.path, s.tool, s.step_class, s.retriable) for s in proofs.steps] == [
        ("left", "level", "read", False),
        ("hold", "reserve", "reversible", False),
        ("pay", "charge", "compensatable", False),
        ("early", "mail", "accepted", True),
        ("paper", "letter", "irreversible", True),
    ]
    assert proofs.readiness.least == Fraction(10, 15)
    assert proofs.readiness.after == ("hold", "pay", "early", "paper")
    assert [(p.text, p.holds) for p in proofs.promises] == [
        ("promise readiness >= 0.5 until paper", True)
    ]


def test_nothing_done_is_fully_ready() -> None:
    proofs = judged("step left = level(id)").proofs["s"]
    assert (proofs.readiness.least, proofs.readiness.after) == (Fraction(1), ())


@settings(max_examples=80)
@given(plans() | braids() | wholes(), st.data())
def test_what_can_land_before_is_what_some_run_lands(plan: Plan, data: st.DataObject) -> None:
    note(told(plan))
    seen = view(plan)
    steps = [spot for spot in seen.graph.spots if isinstance(spot.node, Step)]
    names = sorted({spot.path for spot in steps})
    until = tuple(data.draw(st.lists(st.sampled_from(names), max_size=2))) if names else ()
    lands = before(seen, until)
    runs = Runs(plan, until, failing(seen), finals(seen))
    try:
        landed = {id(runs.node(place)) for now in runs.states() for place, _, _ in now.landed}
    except OverflowError:
        reject()
    for spot in steps:
        assert lands(spot) == (id(spot.node) in landed), spot.path
