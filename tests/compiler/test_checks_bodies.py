"""The pivot barrier, undos, deadlines and promises over scopes, loops, called sagas and agents."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sagalang.compiler.proving.proofs import Proofs

from .programs import compiled
from .shop import TOOLS, proved

CHILD = """
saga child(id: str) -> str {
  step hold = reserve(id)
  step pay = charge(id, 1.00)
  return pay
}
saga final(id: str) -> str {
  step note = mail(id)
  return id
}
agent buyer(goal: str) -> json { call python "agents:buyer" may use reserve, level }
agent sender(goal: str) -> json {
  call python "agents:sender"
  may use mail needs "ops", letter needs "ops"
}
"""


def whole(body: str, more: str = CHILD) -> str:
    """A program of the shop's tools, sagas and agents with one saga over them."""
    parameters = "id: str, n: int, ok: bool, ids: list[str]"
    return f"edition 2026\n{TOOLS}{more}\nsaga s({parameters}) {{\n{body}\n}}\n"


def proofs(body: str, more: str = CHILD) -> Proofs:
    """What is proved of a saga that says exactly what its comments mark."""
    return proved(whole(body, more)).proofs["s"]


CLEAN = {
    "an alternative for a pivot": """
      scope sent { step note = mail(id) } else { step other = mail(n_of(n)) }
    """,
    "one that may be left out": """
      scope sent { step note = mail(id) } else { }
      step pay = letter(id)
    """,
    "the first that is not refused": """
      first sent = to in ids { step note = mail(to) }
    """,
    "so few items that one more cannot fail beside one that did not": """
      each sent = to in ["a", "b"] tolerate 1 { step note = mail(to) }
    """,
    "never more items than are tolerated": """
      step paper = letter(id)
      each sent = to in sorted(["a", "b"]) by to tolerate 2 { step note = reserve(to) }
    """,
    "tolerated items in which nothing fails": """
      each sent = to in ids tolerate 2 { step paper = letter(to) }
    """,
    "what was accepted stands, however many items fail": """
      each sent = to in ids tolerate 2 {
        step note = mail(to) accept irreversible because "who has read it has read it"
      }
    """,
    "what can fail is over before the loop begins": """
      each held = it in ids by it { step hold = reserve(it) }
      each sent = to in ids { step paper = letter(to) }
    """,
    "keys that cannot repeat": """
      step paper = letter(id)
      each sent = to in unique(ids) by to { step more = letter(to) }
    """,
    "a called saga that goes on": """
      step paper = letter(id)
      step c = child(id) else continue
    """,
    "an agent whose failure people judge": """
      step bought = sender("chairs") else escalate
    """,
    "a wait without an end": """
      step paper = letter(id)
      wait told: str
    """,
    "a wait that is passed over": """
      step paper = letter(id)
      wait told: str within 1h else continue
    """,
}

NOT_CLEAN = {
    "items one after another": """
      each sent = to in ids {
        step hold = reserve(to)
        step note = letter(to)  # error: [R502] "item 1's `note` is done, then item 2's `hold` is"
      }
    """,
    "a pivot that can fail itself meets the next item's": """
      each sent = to in ids {
        step note = mail(to)  # error: [R502] "item 1's `note` is done, then item 2's `note` is"
      }
    """,
    "items beside each other": """
      each sent = to in ids by to at most 2 at once {
        step note = mail(to)  # error: [R502] "item 1's `note` is done while beside it item 2's"
      }
    """,
    "rounds": """
      repeat sent = x from id at most 3 times {
        step note = letter(x)  # error: [R502] "`note` is done, then `sent` is not over after 3"
        next none_of(n)
      }
    """,
    "other branches in other items": """
      each sent = to in ids {
        if ok { step hold = reserve(to) }
        else { step note = letter(to) }  # error: [R502] "item 1's `note` is done, then item 2's"
      }
    """,
    "a scope passes a failure on": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then `pay` is refused"
      scope paid { step pay = charge(id, 1.00) }
    """,
    "an else can fail as well": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then `back` is refused"
      scope paid { step pay = charge(id, 1.00) } else { step back = charge(id, 2.00) }
    """,
    "a body that breaks the rule has no sure else": """
      scope sent {
        step paper = letter(id)  # error: [R502] "`paper` is done, then `pay` is refused"
        step pay = charge(id, 1.00)
      } else { step back = charge(id, 2.00) }
    """,
    "every item fails": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then every item of `sent` fails"
      first sent = to in ids { step note = mail(to) }
    """,
    "more other items than are tolerated": """
      each sent = to in ids tolerate 2 {
        step note = mail(to)  # error: [R502] "item 1's `note` is done, then more than 2 other"
      }
    """,
    "one more than the one that is tolerated": """
      each sent = to in ["a", "b", "c"] tolerate 1 {
        step hold = reserve(to)
        step note = letter(to)  # error: [R502] "then more than one other item of `sent` fails"
      }
    """,
    "tolerated items of an item before": """
      each all = x in ids {
        each sent = to in ["a", "b"] tolerate 1 {
          step note = mail(to)  # error: [R502] "`note` is done, then in item 2 more than one"
        }
      }
    """,
    "more items than are tolerated": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then more than 2 items of `sent`"
      each sent = to in ids tolerate 2 { step hold = reserve(to) }
    """,
    "two items of one key": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then two items of `sent` have the"
      each sent = to in ids by to { step more = letter(to) }
    """,
    "a called saga fails": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then `hold` is refused"
      step c = child(id)
    """,
    "an agent gives up": """
      step bought = sender("chairs")  # error: [R502] "`bought[n]` is done, then `bought` gives up"
    """,
    "a signal does not come": """
      step paper = letter(id)  # error: [R502] "`paper` is done, then `told` does not come"
      wait told: str within 1h
    """,
    "what is undone is of the scope that fails": """
      step hold = reserve(id)
      scope paid {
        step stock = reserve("a")
        step paper = letter(id)  # error: [R502] "`stock` is undone, but nothing takes the"
        step pay = charge(id, 1.00)
      } else { }
    """,
}


def text(body: str) -> str:
    return body.replace("n_of(n)", "id").replace("none_of(n)", "if ok then x else none")


@pytest.mark.parametrize("body", CLEAN.values(), ids=CLEAN)
def test_a_pivot_with_nothing_behind_it(body: str) -> None:
    proofs(text(body))


@pytest.mark.parametrize("body", NOT_CLEAN.values(), ids=NOT_CLEAN)
def test_a_pivot_that_something_fails_behind(body: str) -> None:
    proofs(text(body))


def test_a_called_saga_with_a_pivot_is_one() -> None:
    """The mark stands at the pivot: that is where the run begins that goes wrong."""
    told = "`note` is done, then `pay` is refused"
    child = f"""
      saga posted(id: str) {{
        step note = letter(id)  # error: [R502] "{told}"
      }}
    """
    proofs("step c = posted(id)\n step pay = charge(id, 1.00)", child)
    proofs("step c = posted(id)\n step d = posted(id)\n step pay = charge(id, 1.00)", child)


HELD = """
tool hold_seat(id: str) -> str {
  call python "seats:hold" (id, idempotency_key: key)
  effect seat(id) reversible
  idempotent by key
  retry forever
}
"""
NO_UNDO = HELD.replace("tool hold_seat", "tool hold_seat", 1).replace(
    "tool hold_seat(id: str) -> str {",
    'tool hold_seat(id: str) -> str {  # error: [R503] "MARK"',
)


@pytest.mark.parametrize(
    ("body", "run"),
    [
        (
            "scope s { step seat = hold_seat(id) } else { step pay = charge(id, 1.00) }",
            "",
        ),
        (
            "scope s { step seat = hold_seat(id)\n step pay = charge(id, 1.00) } else { }",
            "`s.seat` is done, then `pay` is refused",
        ),
        (
            "each s = to in ids { step pay = charge(to, 1.00)\n step seat = hold_seat(to) }",
            "`s[*].seat` is done, then `pay` is refused",
        ),
        (
            "each s = to in ids tolerate 1 {\n"
            "step pay = charge(to, 1.00)\n step seat = hold_seat(to) }",
            "`s[*].seat` is done, then more than one item of `s` fails",
        ),
        (
            "first s = to in ids { step pay = charge(to, 1.00)\n step seat = hold_seat(to) }",
            "",
        ),
        (
            "repeat s = x from id at most 2 times { step seat = hold_seat(x)\n next none_of(n) }",
            "`s[*].seat` is done, then `s` is not over after 2 rounds",
        ),
        (
            "each s = to in ids tolerate 1 { step seat = hold_seat(to) }",
            "",
        ),
        (
            'step b = holder("x") else continue',
            "`b[n]` is done, then `b` is begun again and does not ask for it any more",
        ),
    ],
)
def test_what_has_to_be_taken_back_has_an_undo(body: str, run: str) -> None:
    more = f"{NO_UNDO.replace('MARK', run)}" if run else HELD
    holder = 'agent holder(x: str) -> json { call python "a:h" may use hold_seat }'
    proofs(text(body), more + holder * ("holder" in body))


def test_a_called_saga_is_undone_by_what_its_call_says() -> None:
    """Once it is over, none of its own undos is needed; before that they are."""
    held = "saga held(id: str) -> str { step seat = hold_seat(id)\n return seat }"
    undone = "step c = held(id) { undo release(args.id) }\n step pay = charge(id, 1.00)"
    proofs(undone, HELD + held)
    proofs(
        "step c = held(id)\n step pay = charge(id, 1.00)",
        NO_UNDO.replace("MARK", "`c.seat` is done, then `pay` is refused") + held,
    )
    # Beside it something fails while it is under way.
    beside = (
        "parallel { step c = held(id) { undo release(args.id) }\n step pay = charge(id, 1.00) }"
    )
    told = "`c.seat` is done, then beside it `pay` is refused"
    proofs(beside, NO_UNDO.replace("MARK", told) + held)
    ordered = "parallel { step c = held(id) { undo release(args.id) } "
    proofs(ordered + "step pay = charge(id, 1.00) after c }", HELD + held)


def test_readiness_asks_the_undo_of_the_call_when_it_is_over() -> None:
    """While it runs its own undos are asked, and all of it can be taken back."""
    assert judged_quietly("step c = child(id)").readiness.least == 1
    assert judged_quietly("step c = child(id) { undo refund(result) }").readiness.least == 1
    unsure = judged_quietly("step c = child(id) { undo refund(result) when ok }")
    assert unsure.readiness.least == 0
    assert unsure.readiness.after == ("c.hold", "c.pay")


@pytest.mark.parametrize(
    "body",
    [
        """
        step b = charge(id, 1.00) when ok
        step c = child(id) {
          undo refund("{b}")  # error: [R504] "`c` is over and has to be taken back: no undo of it"
        }
        """,
        """
        each s = to in ids {
          step first_one = level(to) when ok
          step hold = reserve(to) {
            undo release("{first_one}")  # error: [R504] "has landed and has to be taken back: no"
          }
        }
        """,
        """
        step c = child(id) {
          undo refund(result) { retry 2 times }  # warning: [R505] "`refund` is tried twice"
        }
        """,
    ],
)
def test_the_undo_of_a_call_can_be_relied_on(body: str) -> None:
    proofs(body)


def test_names_are_looked_up_where_the_undo_stands() -> None:
    """A name of a loop, of what is around it, of the inputs; each surely there."""
    proofs("""
      step around = level(id)
      each s = to in ids {
        let inside = "{to}{around}"
        step hold = reserve(to) { undo release("{inside}{id}{args.sku}") }
      }
    """)


@pytest.mark.parametrize(
    "body",
    [
        """
        each s = to in ids { wait w: str within 2h }  # error: [R516] "`w` comes in time, within 2h"
        """,
        """
        scope s { sleep 3h } else { }  # error: [R516] "the saga sleeps for 3h: the saga's deadline"
        """,
        """
        first s = to in ids {
          gate g needs "ops" shows to within 90m  # error: [R516] "`g` is approved in time, within"
        }
        """,
    ],
)
def test_an_inner_wait_is_not_longer_than_the_deadline(body: str) -> None:
    proofs(f"deadline 1h\n{body}", "")


def test_the_deadline_of_a_called_saga_is_around_what_is_in_it() -> None:
    slow = """
      saga slow(id: str) {
        deadline 1h
        wait w: str within 2h  # error: [R516] "`w` comes in time, within 2h: the saga's deadline"
      }
    """
    proofs("step c = slow(id)", slow)


@pytest.mark.parametrize(
    ("body", "least", "after", "approached"),
    [
        ("each s = to in ids { step paper = letter(to) }", "0", ("s[*].paper",), False),
        (
            "step pay = charge(id, 1.00)\n each s = to in ids { step paper = letter(to) }",
            "0",
            ("s[*].paper",),
            True,
        ),
        (
            "repeat s = x from id at most 3 times { step paper = letter(x) else escalate accept "
            'irreversible because "x"\n next none_of(n) }\n step pay = charge(id, 1.00)',
            "0",
            ("s[*].paper",),
            False,
        ),
        (
            "step pay = charge(id, 1.00)\n"
            'scope s { step paper = letter(id) accept irreversible because "x"\n'
            "step hold = reserve(id) } else { step more = letter(id) }",
            "1/2",
            ("pay", "s.paper", "s.else.more"),
            False,
        ),
        (
            "step pay = charge(id, 1.00)\n"
            "parallel { each s = to in ids { step paper = letter(to) } step hold = reserve(id) }",
            "0",
            ("s[*].paper",),
            True,
        ),
        (
            'step pay = charge(id, 1.00)\n step b = sender("x") else escalate',
            "0",
            ("b[n]",),
            True,
        ),
    ],
)
def test_least_readiness_and_where_it_is(
    body: str, least: str, after: tuple[str, ...], approached: bool
) -> None:
    found = judged_quietly(text(body))
    assert found.readiness.least == Fraction(least)
    assert (found.readiness.after, found.readiness.approached) == (after, approached)


def judged_quietly(body: str) -> Proofs:
    """What is proved whether or not it checks clean."""
    return compiled(whole(body)).proofs["s"]


def test_promises_over_loops_and_called_sagas() -> None:
    found = judged_quietly("""
      promise reversible until sent
      promise readiness >= 0.1
      promise gated impact >= 4
      step c = child(id)
      each sent = to in ids {
        gate g needs "ops" shows to
        step paper = letter(to)
      }
    """)
    assert [(each.text, each.holds) for each in found.promises] == [
        ("promise reversible until sent", True),
        ("promise readiness >= 0.1", False),
        ("promise gated impact >= 4", False),
    ]
    told = [each.counterexample or "" for each in found.promises]
    assert told[1] == (
        "When `sent[*].paper` has landed again and again, little more than 0 of the impact can be "
        "taken back: less than 0.1."
    )
    assert told[2].startswith("`c.pay` touches the payment with impact 8, and nobody")


def test_what_a_called_saga_knows_is_not_what_its_caller_knows() -> None:
    """The same name means another value there."""
    found = judged_quietly_of(
        """
      saga inner(n: int) { step paper = letter("x") }
    """,
        """
      promise gated impact >= 4
      gate g needs "ops" shows n when n > 10
      step c = inner(11)
    """,
    )
    assert [each.holds for each in found.promises] == [False]
    agreed = judged_quietly_of(
        "",
        """
      promise gated impact >= 4
      step b = sender("x")
    """,
    )
    assert [each.holds for each in agreed.promises] == [True]


def judged_quietly_of(more: str, body: str) -> Proofs:
    return compiled(whole(body, CHILD + more)).proofs["s"]


def test_the_report_names_agents_and_called_sagas() -> None:
    found = judged_quietly("""
      step c = child(id)
      step d = child(id) else continue
      step bought = buyer("x") else escalate
    """)
    assert [(each.path, each.tool, each.step_class, each.retriable) for each in found.steps] == [
        ("c", "child", "saga", False),
        ("c.hold", "reserve", "reversible", False),
        ("c.pay", "charge", "compensatable", False),
        ("d", "child", "saga", True),
        ("d.hold", "reserve", "reversible", False),
        ("d.pay", "charge", "compensatable", False),
        ("bought", "buyer", "agent", True),
    ]
