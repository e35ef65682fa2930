"""R507, R515: what expires is not relied on when it has."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given, strategies as st

from sagalang.compiler.proving.view import view
from sagalang.compiler.proving.windows import Windows
from sagalang.dsl.diagnostics import Severity
from sagalang.dsl.fixes import apply
from sagalang.runtime.plan import Step

from .programs import compiled
from .shop import TOOLS as SHOP, tools


def notify(clauses: str, lifetime: str = " for 5m") -> str:
    """A tool whose service forgets keys, and that is called as its clauses say."""
    return f"""
    tool notify(x: str) -> json {{
      call python "n" (x, key)
      effect ticket(x) irreversible corrective "x"
      idempotent by key{lifetime}
      {clauses}
    }}
    """


STEP = "step a = notify(id)"

WITHIN = {
    "one attempt": "timeout 10m",
    "the last begins in time": "timeout 1m retry 5 times every 1s..1s",
    "to the second": "timeout 1m retry 6 times every 0s..0s",
    "until further notice": "timeout 1m retry 3 times",
}


@pytest.mark.parametrize("clauses", WITHIN.values(), ids=WITHIN)
def test_attempts_that_end_while_the_key_is_known(clauses: str) -> None:
    tools(notify(clauses), STEP)
    tools(notify(clauses, ""), STEP)


def test_attempts_that_go_on_when_the_key_is_forgotten() -> None:
    mark = '# warning: [R515] "`a` is called again 5m 5s after its first attempt: the service keeps'
    made = tools(notify(f'timeout 1m retry 6 times every 1s..1s {mark}"'), STEP)
    (found,) = made.diagnostics
    assert [label.message for label in found.labels] == [
        "5 × 1m until given up + 5s of pauses = 5m 5s",
        "a key is kept for 5m",
    ]


def test_attempts_without_end() -> None:
    tools(notify('retry forever # warning: [R515] "is called again as long as it takes"'), STEP)
    tools(notify("retry forever", ""), STEP)


def test_the_steps_own_attempts_and_those_of_an_undo() -> None:
    own = '{ retry 9 times timeout 1m } # warning: [R515] "`a` is called again'
    tools(notify("retry 2 times"), f'{STEP} {own}"')
    by_step = "step c = notify(id) { timeout 9m } # retried not at all"
    tools(notify("retry never"), by_step)
    undo = """
    tool make(x: str) -> json {
      call python "m" effect thing(x) compensatable idempotent naturally retry 3 times
      undo unmake(x)
    }
    tool unmake(x: str) -> json {
      call python "u" (x, key) effect thing restoring idempotent by key for 1h
      retry 90 times every 1s..1m # warning: [R515] "The undo `unmake` of `a` is called again"
    }
    """
    tools(undo, 'step a = make(id)\nstep b = make("x")')


def test_the_fix_leaves_as_many_attempts_as_there_is_time_for() -> None:
    text = f"edition 2026\n{notify('timeout 1m retry 90 times every 1s..1m')}"
    made = compiled(f"{text}saga s(id: str) {{ {STEP} }}")
    (found,) = made.diagnostics
    assert found.fix is not None
    fixed = apply(made.sources["main.saga"], [found.fix], "ask")
    assert "retry 5 times every 1s..1m" in fixed
    assert compiled(fixed).diagnostics == ()
    assert compiled(fixed.replace("retry 5", "retry 6")).diagnostics != ()


MAKE = """
tool make(x: str) -> json {
  call python "m" effect thing(x) compensatable idempotent naturally retry 3 times
  undo unmake(x) within 14d
}
tool unmake(x: str) -> json {
  call python "u" effect thing restoring idempotent naturally retry 5 times
}
tool trial(x: str) -> json {
  call python "t" effect trial(x) compensatable idempotent naturally retry 3 times
  undo untrial(x) within 1h
}
tool untrial(x: str) -> json {
  call python "u" effect trial restoring idempotent naturally retry 5 times
}
"""


def windows(body: str, mark: str = "", tool: str = "make") -> None:
    """Judges a saga; what is said of its step `a`, which calls a tool, stands in `mark`."""
    steps = f"step a = {tool}("
    if mark:
        start = body.index(steps)
        end = body.index(")", start) + 1
        body = f"{body[:end]} {mark}\n{body[end:]}"
    tools(MAKE, body)


IN_TIME = {
    "before it": """
      gate ok needs "ops" shows id within 15d
      step a = make(id)
      requires n > 3
    """,
    "after it, all together": """
      step a = make(id)
      gate one needs "ops" shows id within 7d
      gate two needs "ops" shows id within 6d
    """,
    "one of two branches": """
      step a = make(id)
      if n > 3 { sleep 8d } else { sleep 7d }
      if n > 3 { sleep 4d } else { sleep 5d }
      requires n > 3
    """,
    "nothing fails behind it": """
      step a = make(id)
      sleep 15d
    """,
    "what fails then is passed over": """
      step a = make(id)
      sleep 15d
      step b = level(id) else continue
    """,
    "what fails then takes something else back": """
      step a = make(id)
      sleep 15d
      scope b { step c = level(id) } else { }
    """,
    "in the other branch": """
      if n > 3 { step a = make(id) } else {
        sleep 15d
        requires n > 1
      }
    """,
    "what it waits for": """
      parallel {
        step late = clock() until it > 3 every 1m within 20d
        step a = make(id) after late
      }
      requires n > 3
    """,
    "the deadline is earlier": """
      deadline 13d
      step a = make(id)
      sleep 8d
      sleep 7d
      requires n > 3
    """,
    "the items of `first` that were undone before": """
      first one = i in ["a", "b"] {
        step a = make(i)
        sleep 8d
        requires n > 3
      }
    """,
    "rounds up to the limit": """
      step a = make(id)
      repeat polls = x from 1 at most 13 times {
        sleep 1d
        return x
        next if n > x then x + 1 else none
      }
    """,
    "one batch of items beside each other": """
      each all = i in ["a", "b", "c"] by i at most 3 at once {
        sleep 7d
        step a = make(i)
        sleep 6d
        requires n > 3
      }
    """,
    "a later undo": """
      step a = make(id) { undo unmake(id) within 1h undo unmake("x") }
      sleep 15d
      requires n > 3
    """,
}

LATE = {
    "more rounds than there is time for": (
        """
      step a = make(id)
      repeat polls = x from 1 at most 20 times {
        sleep 1d
        return x
        next if n > x then x + 1 else none
      }
    """,
        '"up to 20d later `polls` is not over after 20 rounds"',
    ),
    "rounds behind a step in one of them": (
        """
      repeat polls = x from 1 at most 20 times {
        step a = make("{x}")
        sleep 1d
        requires n > 3
        next if n > x then x + 1 else none
      }
    """,
        '"`polls[*].a` is done, and up to 20d later"',
    ),
    "what stands before it, in another item": (
        """
      each all = i in ["a", "b", "c"] {
        gate ok needs "ops" shows i within 8d
        step a = make(i)
      }
    """,
        '"up to 16d later, in another item, `a` fails all 3 attempts"',
    ),
    "what stands before it, in an item beside it": (
        """
      each all = i in ["a", "b", "c"] by i at most 3 at once {
        gate ok needs "ops" shows i within 15d
        step a = make(i)
      }
    """,
        '"up to 15d later, in another item, `a` fails all 3 attempts"',
    ),
    "items beside it, and what comes behind them all": (
        """
      parallel {
        each all = i in ["a", "b", "c", "d"] by i at most 2 at once {
          gate ok needs "ops" shows i within 7d else continue
          step a = make(i)
          return i
        }
      }
      sleep 1d
      requires n > 3
    """,
        '"up to 15d later `requires n > 3` does not hold"',
    ),
    "more items than are tolerated": (
        """
      each all = i in ["a", "b", "c"] tolerate 1 {
        step a = make(i)
        gate ok needs "ops" shows i within 5d
      }
    """,
        '"`all[*].a` is done, and up to 15d later more than one item of `all` fails"',
    ),
    "every item of a later `first`": (
        """
      each all = i in ["a", "b"] {
        first one = x in ["x", "y"] {
          step a = make(x)
          wait told: str within 5d
        }
      }
    """,
        '"`all[*].one[*].a` is done, and up to 15d later, in another item, every item"',
    ),
    "a gate that may lapse": (
        """
      step a = make(id)
      gate ok needs "ops" shows id within 15d
    """,
        '"`a` is done, and up to 15d later `ok` is rejected: `unmake` is accepted for 14d only"',
    ),
    "all together": (
        """
      step a = make(id)
      gate one needs "ops" shows id within 10d
      wait two: str within 10d else continue
      requires n > 3
    """,
        '"up to 20d later `requires n > 3` does not hold"',
    ),
    "the longer branch": (
        """
      step a = make(id)
      if n > 3 { sleep 15d } else { sleep 13d }
      requires n > 3
    """,
        '"up to 15d later"',
    ),
    "polling": (
        """
      step a = make(id)
      step b = clock() until it > 3 every 1m within 15d
    """,
        '"up to 15d later `b` does not come true within 15d"',
    ),
    "beside it": (
        """
      parallel {
        step a = make(id)
        step b = clock() until it > 3 every 1m within 15d
      }
    """,
        '"up to 15d later `b`"',
    ),
    "beside it, then behind it": (
        """
      parallel {
        step b = clock() until it > 3 every 1m within 8d
        step c = clock() until it > 3 every 1m within 7d after b
        step a = make(id)
      }
      requires n > 3
    """,
        '"up to 15d later `c` does not come true within 7d"',
    ),
    "a scope that is over, and what fails outside": (
        """
      scope s { step a = make(id) } else { }
      sleep 15d
      requires n > 3
    """,
        '"`s.a` is done, and up to 15d later"',
    ),
    "the else behind the body": (
        """
      step a = make(id)
      scope s { sleep 8d step b = level(id) } else { sleep 7d }
      requires n > 3
    """,
        '"up to 15d later"',
    ),
    "each item": (
        """
      each all = i in ["a", "b", "c"] {
        step a = make(i)
        sleep 5d
        requires n > 3
      }
    """,
        '"`all[*].a` is done, and up to 15d later"',
    ),
}


@pytest.mark.parametrize("body", IN_TIME.values(), ids=IN_TIME)
def test_undos_that_come_in_time(body: str) -> None:
    windows(body)


@pytest.mark.parametrize(("body", "words"), LATE.values(), ids=LATE)
def test_undos_that_come_too_late(body: str, words: str) -> None:
    windows(body, f"# error: [R507] {words}")


CALLED = {
    "over, it is undone by what its call says": """
saga child(x: str) {
  step a = make(x)
}
saga main(id: str, n: int) {
  step c = child(id) { undo unmake(args.x) }
  sleep 15d
  requires n > 3
}
""",
    "without undos of the call its steps are undone": """
saga child(x: str) {
  step a = make(x)  # error: [R507] "`c.a` is done, and up to 15d later `requires n > 3` does not"
}
saga main(id: str, n: int) {
  step c = child(id)
  sleep 15d
  requires n > 3
}
""",
    "a failure in it finds it not over": """
saga child(x: str) {
  step a = make(x)  # error: [R507] "`a` is done, and up to 15d later `ok` is rejected"
  gate ok needs "ops" shows x within 15d
}
saga main(id: str) {
  step c = child(id) { undo unmake(args.x) }
}
""",
    "beside it something fails when it need not be over": """
saga child(x: str) {
  step a = make(x)  # error: [R507] "`c.a` is done, and up to 15d later `ok` is rejected"
  step b = clock()
}
saga main(id: str) {
  parallel {
    step c = child(id) { undo unmake(args.x) }
    gate ok needs "ops" shows id within 15d
    step left = level(id) after ok
  }
}
""",
    "the undo of the call has a window as well": """
saga child(x: str) {
  step a = make(x)
  sleep 10d
}
saga main(id: str, n: int) {
  step c = child(id) { undo unmake(args.x) within 14d }  # error: [R507] "`c` is done, and up to"
  sleep 5d
  requires n > 3
}
""",
}


@pytest.mark.parametrize("text", CALLED.values(), ids=CALLED)
def test_called_sagas_with_undos_of_their_own(text: str) -> None:
    tools(f"{MAKE}{text}")


def test_what_takes_the_time_is_shown() -> None:
    body = 'step a = make(id) gate b needs "ops" shows id within 3d sleep 12d requires n > 3'
    made = compiled(f"edition 2026 {MAKE} saga s(id: str, n: int) {{ {body} }}")
    (found,) = made.diagnostics
    text = made.sources["main.saga"].text
    assert [(text[each.start : each.end], each.message) for each in found.labels] == [
        ("a", "what has to be taken back"),
        ("undo unmake(x) within 14d", "accepted for 14d after the first attempt"),
        ("b", "may take 3d"),
        ("sleep", "may take 12d"),
        ("requires", "can fail: `requires n > 3` does not hold"),
    ]


def test_the_worst_case_counts_attempts_pauses_and_the_undos_before() -> None:
    late = "step a = trial(id) step b = level(id) { retry 60 times timeout 1m }"
    said = '"in the worst case 1h 31m later `b` fails all 60 attempts"'
    windows(late, f"# warning: [R507] {said}", "trial")
    windows(late.replace("60", "25"), "", "trial")
    before = "step a = trial(id) step c = reserve(id) step b = level(id) { retry 25 times }"
    windows(before, "", "trial")
    undone = before.replace("reserve(id)", "reserve(id) { undo release(id) { timeout 10m } }")
    windows(undone, '# warning: [R507] "in the worst case"', "trial")


ENDLESS = {
    "a gate that waits": 'step a = trial(id) gate ok needs "ops" shows id',
    "a signal": "step a = trial(id) wait ok: str requires n > 3",
    "attempts without end": "step a = trial(id) step b = clock() requires n > 3",
    "a list": "step a = trial(id) each all = i in range(0, n) { step b = clock() } requires n > 3",
    "in a loop": "each all = i in range(0, n) { step a = trial(str(i)) requires n > 3 }",
    "rounds": """
      step a = trial(id)
      repeat all = x from n at most 3 times { wait ok: str next if x > 3 then none else x }
    """,
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_what_nobody_knows_is_noted_once(body: str) -> None:
    text = f"edition 2026 {MAKE} {SHOP} saga s(id: str, n: int) {{ {body} }}"
    found = [each for each in compiled(text).diagnostics if each.code == "R507"]
    assert [each.severity for each in found] == [Severity.NOTE]
    assert "nobody can say how long it takes" in found[0].message
    bounded = text.replace("n: int) {", "n: int) { deadline 30m ")
    assert [each for each in compiled(bounded).diagnostics if each.code == "R507"] == []


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    """Durations of members of a `parallel`, and what each waits for: earlier ones, shuffled."""
    lengths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    waits = [draw(st.lists(st.sampled_from(range(i)), unique=True, max_size=3)) if i else []
             for i in range(len(lengths))]  # fmt: skip
    return lengths, waits


@given(graphs(), st.data())
def test_the_longest_path_is_found(
    drawn: tuple[list[int], list[list[int]]], data: st.DataObject
) -> None:
    """Against every path of what has not settled before, one by one."""
    lengths, waits = drawn
    order = data.draw(st.permutations(range(len(lengths))))
    members = {
        i: f"step m{i} = clock() until it > 1 every 1s within {lengths[i]}h"
        + (f" after {', '.join(f'm{w}' for w in waits[i])}" if waits[i] else "")
        for i in range(len(lengths))
    }
    body = "parallel {" + "\n".join(members[i] for i in order) + "}\nrequires n > 3"
    text = f"edition 2026 {SHOP} saga s(id: str, n: int) {{ {body} }}"
    seen = view(compiled(text).plans["s"])
    times = Windows(seen)
    before = {i: settled(i, waits) for i in range(len(lengths))}
    for i in range(len(lengths)):
        (spot,) = seen.graph.named(f"m{i}")
        rest = [j for j in range(len(lengths)) if j not in before[i]]
        longest = max(
            sum(lengths[j] for j in path)
            for chosen in product((False, True), repeat=len(rest))
            for path in [[j for j, taken in zip(rest, chosen, strict=True) if taken]]
            if all(a in before[b] for a, b in pairwise(path))
        )
        wait = times.longest(spot, "declared")
        assert wait is not None
        assert wait.length == longest * 3_600_000


@given(graphs(), st.sets(st.integers(0, 5)), st.booleans())
def test_tails_say_what_lines_drawn_for_each_step_say(
    drawn: tuple[list[int], list[list[int]]], sure: set[int], looped: bool
) -> None:
    """What is found once for a `parallel` is what is found for each step of it alone."""
    lengths, waits = drawn
    members = "\n".join(
        f"step m{i} = clock() until it > 1 every 1s within {length}h"
        + (f" after {', '.join(f'm{w}' for w in waits[i])}" if waits[i] else "")
        + (" else continue" if i in sure else "")
        for i, length in enumerate(lengths)
    )
    body = f"parallel {{\n{members}\n}}"
    body = f"each all = i in ids at most 2 at once {{ {body} }}" if looped else body
    text = f"edition 2026 {SHOP} saga s(id: str, ids: list[str]) {{ {body} }}"
    seen = view(compiled(text).plans["s"])
    fast, slow = Windows(seen), Windows(seen)
    slow._tailed = lambda region, kind, frame: None  # type: ignore[method-assign]
    for spot in seen.graph.spots:
        if not isinstance(spot.node, Step):
            continue
        for kind in ("declared", "worst"):
            assert fast.longest(spot, kind) == slow.longest(spot, kind)
            assert fast.last(spot) is slow.last(spot)


def settled(member: int, waits: list[list[int]]) -> set[int]:
    found: set[int] = set()
    todo = list(waits[member])
    while todo:
        one = todo.pop()
        found.add(one)
        todo += waits[one]
    return found
