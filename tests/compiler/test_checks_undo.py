"""R503, R504, R505, R513, R520: what has to be taken back can be, whatever became of the call."""

from __future__ import annotations

import pytest

from sagalang.dsl.diagnostics import Severity

from .shop import judged, tools

READ = """
record Thing { id: str, old: int }
tool find(x: str) -> Thing? { call python "f" effect none }
"""
TAKE = """
tool take(x: str) -> json {
  call python "t"
  effect thing restoring
  idempotent naturally
  retry 5 times
}
tool send(x: str) -> json {
  call python "s" (x, key)
  effect mail(x) irreversible corrective "x"
  idempotent by key
  retry 3 times
}
"""


def make(clauses: str, *, idempotent: str = "idempotent by key", note: str = "") -> str:
    """A tool that makes a thing, with clauses of its own."""
    return f"""
{READ}
{TAKE}
tool make(x: str) -> Thing {{{note}
  call python "m" (x, key)
  effect thing(x) compensatable
  {idempotent}
  retry 3 times
  {clauses}
}}
"""


STEPS = "step a = make(id)\nstep b = level(id)"


def test_what_a_failure_takes_back_has_an_undo() -> None:
    run = "`a` is done, then `b` fails all 5 attempts"
    todo = "the thing has to be taken back, and `make` has no undo."
    made = tools(make("", note=f' # error: [R503] "{run}: {todo}"'), STEPS)
    (found,) = made.diagnostics
    assert [label.message for label in found.labels] == [
        "has no undo",
        "compensatable, but no `undo` says how",
        "can fail: `b` fails all 5 attempts",
        "used here",
    ]


def test_it_is_told_once_at_the_tool() -> None:
    note = ' # error: [R503] "`make` has no undo"'
    tools(make("", note=note), "step a = make(id)\nstep b = make(id)\nstep c = level(id)")


@pytest.mark.parametrize(
    "body",
    {
        "nothing can fail behind it": "step a = make(id)",
        "what can fail stands before": "step b = level(id)\nstep a = make(id)",
        "a failure is passed over": "step a = make(id)\nstep b = level(id) else continue",
        "no run has both": "if n > 1 { step a = make(id) } else { step b = level(id) }",
        "the step says how": "step a = make(id) { undo take(id) }\nstep b = level(id)",
    }.values(),
)
def test_where_nothing_takes_it_back_it_needs_no_undo(body: str) -> None:
    tools(make(""), body)


def test_beside_it_counts() -> None:
    note = ' # error: [R503] "`a` is done, then beside it `b` fails all 5 attempts"'
    tools(make("", note=note), f"parallel {{ {STEPS} }}")


def test_a_deadline_takes_back_too() -> None:
    """Behind nothing that is final, a lapsed deadline fails the saga at its next call."""
    note = ' # error: [R503] "the deadline is over before `b` is called"'
    steps = "step a = make(id) { retry forever }\nstep b = clock()"
    tools(make("", note=note), f"deadline 10d\n{steps}")
    tools(make(""), f"deadline 10d\nstep p = letter(id)\n{steps}")


COUNTS = {
    "parameters": "undo take(x)",
    "the key": "undo take(key)",
    "remembered": 'remember was = find(x) else "no such thing"\nundo take(was.id)',
    "the second of two": "undo take(result.id)\nundo take(key)",
    "a condition, and one without": 'undo take(x) when x != ""\nundo take(key)',
    "a verify that gives the result": "verify find(x)\nundo take(result.id)",
    "a verify whose verdict gives it": """
      verify find(x) { applied when it.old == 1 absent when it.old == 2 }
      undo take(result.id)
    """,
}


@pytest.mark.parametrize("clauses", COUNTS.values(), ids=COUNTS)
def test_an_undo_that_counts(clauses: str) -> None:
    tools(make(clauses), STEPS)


def error(text: str) -> str:
    return f'# error: [R504] "{text}"'


FAILS = {
    "nothing brings the result back": (
        "on unknown escalate",
        "undo take(result.id) "
        + error("`a` has landed and its answer is lost: `take` needs `result`, and nothing brings"),
    ),
    "the verify never says that it has happened": (
        "",
        "verify find(x) { absent when it.old == 1 conflict when it.old == 2 }\n"
        "undo take(result.id) " + error("nothing brings it back"),
    ),
    "a condition alone": (
        "idempotent by key",
        'undo take(x) when x != "" ' + error("no undo of it is sure to be possible"),
    ),
    "two conditions, whatever they say": (
        "idempotent by key",
        'undo take(x) when x != "" '
        + error("no undo of it is sure")
        + '\nundo take(key) when x == ""',
    ),
    "arguments that need not have a value": (
        "idempotent by key",
        "undo take(str(1 / int(x))) " + error("no undo of it is sure to be possible"),
    ),
}


@pytest.mark.parametrize(("idempotent", "clauses"), FAILS.values(), ids=FAILS)
def test_an_undo_that_a_lost_answer_makes_impossible(idempotent: str, clauses: str) -> None:
    tools(make(clauses, idempotent=idempotent), STEPS)


def test_a_repeated_call_brings_it_back_with_a_warning() -> None:
    made = tools(
        make(
            'undo take(result.id) # warning: [R504] "which only calling `make` again brings back"'
        ),
        STEPS,
    )
    (found,) = made.diagnostics
    assert found.severity is Severity.WARNING


STEP_UNDOS = {
    "an input": "step a = reserve(id) { undo release(id) }",
    "the arguments": "step a = reserve(id) { undo release(args.sku) }",
    "a step that has settled": "step x = clock()\nstep a = reserve(id) { undo release(str(x)) }",
    "a value": "let x = id\nstep a = reserve(id) { undo release(x) }",
    "a name that both branches give": """
      if ok { step x = clock() } else { step x = clock() }
      step a = reserve(id) { undo release(str(x)) }
    """,
    "a step waited for": """
      parallel {
        step x = level(id)
        step a = reserve(id) after x { undo release(str(x)) }
      }
    """,
}


@pytest.mark.parametrize("body", STEP_UNDOS.values(), ids=STEP_UNDOS)
def test_an_undo_of_a_step_may_name_what_is_sure(body: str) -> None:
    judged(body)


UNSURE = {
    "passed over": """
      step x = level(id) else continue
      step a = reserve(id) { undo release("{x}") }  # error: [R504] "no undo of it is sure"
    """,
    "skipped": """
      step x = clock() when ok
      step a = reserve(id) { undo release("{x}") }  # error: [R504] "no undo of it is sure"
    """,
    "in one branch": """
      if ok { step x = clock() }
      step a = reserve(id) { undo release("{x}") }  # error: [R504] "no undo of it is sure"
    """,
}


@pytest.mark.parametrize("body", UNSURE.values(), ids=UNSURE)
def test_an_undo_of_a_step_may_not_rely_on_what_need_not_be(body: str) -> None:
    made = judged(body)
    assert (
        "needs `x`, which need not be there when `a` is called"
        in made.diagnostics[0].primary.message
    )


def undo_tool(clauses: str) -> str:
    return f"""
tool back(x: str) -> json {{
  call python "b" (x, key)
  {clauses}
}}
"""


RELIABLE = {
    "restoring": "effect thing restoring idempotent naturally retry 3 times",
    "reversible": "effect thing reversible idempotent by key retry forever",
    "compensatable": "effect thing compensatable idempotent by key retry 9 times",
}


@pytest.mark.parametrize("clauses", RELIABLE.values(), ids=RELIABLE)
def test_an_undo_that_can_be_relied_on(clauses: str) -> None:
    tools(make("undo back(x)") + undo_tool(clauses), STEPS)


def test_an_undo_may_be_the_tool_itself() -> None:
    """A price is set back by setting it."""
    tools(
        """
        tool price(x: str) -> int { call python "p" effect none }
        tool set_price(x: str, to: int) -> json {
          call python "s"
          effect price(x) reversible
          idempotent naturally
          retry 5 times
          remember before = price(x)
          undo set_price(x, before)
        }
        """,
        "step a = set_price(id, 3)\nstep b = level(id)",
    )


UNRELIABLE = {
    "it only reads": ("effect none", 'error: [R505] "it only reads, so nothing is taken back"'),
    "it is irreversible": (
        'effect thing irreversible corrective "x" idempotent by key retry 5 times',
        'error: [R505] "that is irreversible itself"',
    ),
    "it may happen twice": (
        "effect thing restoring retry 5 times",
        'error: [R505] "the answer of `back` is lost: calling it again may do it twice"',
    ),
    "it is tried once": (
        "effect thing restoring idempotent naturally",
        'warning: [R505] "`back` is tried once, then people are needed"',
    ),
    "it is tried twice": (
        "effect thing restoring idempotent naturally retry 2 times",
        'warning: [R505] "is tried twice"',
    ),
    "it touches another kind": (
        "effect thing restoring effect other restoring idempotent naturally retry 5 times",
        'warning: [R513] "which touches `other`: `make` never did"',
    ),
}


@pytest.mark.parametrize(("clauses", "mark"), UNRELIABLE.values(), ids=UNRELIABLE)
def test_an_undo_that_cannot_be_relied_on(clauses: str, mark: str) -> None:
    tools(make(f"undo back(x)  # {mark}") + undo_tool(clauses), STEPS)


def test_the_attempts_that_count_are_those_in_force() -> None:
    slow = undo_tool("effect thing restoring idempotent naturally")
    tools(make("undo back(x) { retry 5 times }") + slow, STEPS)
    fast = undo_tool("effect thing restoring idempotent naturally retry 5 times")
    tools(make('undo back(x) { retry never } # warning: [R505] "tried once"') + fast, STEPS)


def test_a_verify_of_what_is_undone_can_say_absent() -> None:
    always = 'tool item(x: str) -> Thing { call python "i" effect none }'
    note = '# error: [R520] "it always answers something"'
    tools(always + make(f"verify item(x) {note}\nundo take(x)"), STEPS)
    judging = "verify item(x) { applied when it.old == 1 absent when it.old == 2 }"
    tools(always + make(f"{judging}\nundo take(x)"), STEPS)
    tools(make("verify find(x)\nundo take(x)"), STEPS)
    # What is not undone need not be found gone.
    tools(always + make("verify item(x)"), "step a = make(id)")


def test_an_answer_that_was_not_given_is_no_result() -> None:
    """`gives none` says that it has happened, and nothing else."""
    tools(
        """
        tool back(x: json) -> json {
          call python "b" effect thing restoring idempotent naturally retry 5 times
        }
        tool was(x: str) -> json { call python "w" effect none }
        tool do(x: str) -> json {
          call python "d" (x)
          effect thing(x) reversible
          retry 3 times
          verify was(x) { applied when it == 1 gives it applied when it == 2 gives none }
          undo back(result)  # error: [R504] "`back` needs `result`, and nothing brings it back"
        }
        """,
        "step a = do(id)\nstep b = level(id)",
    )
