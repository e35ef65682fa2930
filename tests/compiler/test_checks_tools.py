"""R501, R508, R509, R511, R514, R516, R519, R522: what a catalogue and its use must say."""

from __future__ import annotations

import pytest

from sagalang.dsl.diagnostics import Severity

from .shop import judged, tools


def one(clauses: str, note: str = "", call: str = 'call python "d" (x, key)') -> str:
    """A tool `do` with some clauses, and what it is verified with."""
    return f"""
    record Thing {{ id: str }}
    tool find(x: str) -> Thing? {{ call python "f" effect none }}
    tool do(x: str) -> Thing {{{note}
      {call}
      retry 3 times
      {clauses}
    }}
    """


EFFECT = 'effect thing(x) irreversible corrective "x"'
STEP = "step a = do(id)"


def test_every_tool_states_its_effects() -> None:
    tools(one("", ' # error: [R501] "the tool does not say what it changes"'), STEP)
    tools(one("effect none"), STEP)


def test_tools_that_no_saga_reaches_state_their_effects_too() -> None:
    tools('tool alone() -> json { call python "a" } # error: [R501] "`alone` is called"')


SETTLED = {
    "a verify": "verify find(x)",
    "a key": "idempotent by key",
    "harmless": "idempotent naturally",
    "people look": "on unknown escalate",
}


@pytest.mark.parametrize("clauses", SETTLED.values(), ids=SETTLED)
def test_an_unknown_outcome_is_settled_by(clauses: str) -> None:
    tools(one(f"{EFFECT} {clauses}"), STEP)


def test_an_unknown_outcome_that_nothing_settles() -> None:
    note = ' # error: [R508] "whether `do` has happened cannot be asked, and calling it again"'
    tools(one(EFFECT, note), STEP)
    tools(one(EFFECT, note), f"{STEP}\nstep b = do(id)".replace(STEP, "step a = clock()"))
    # The step's own verify settles it; a read has no outcome to be known.
    tools(one(EFFECT), "step a = do(id) { verify find(id) }")
    tools(one("effect none"), STEP)


def test_two_irreversible_effects_are_two_tools() -> None:
    second = "\n# The second is the one too many.\n"
    note = (
        'effect mail(x) irreversible corrective "x" # error: [R509] "the thing stands, the mail is'
    )
    tools(one(f'{EFFECT} {second} {note}" \n idempotent by key'), STEP)
    tools(one(f"{EFFECT} effect stock(x) restoring idempotent by key"), STEP)


ASKED = {
    "verify": "{effect} verify reserve(x) # {mark}",
    "remember": "{effect} idempotent by key remember was = reserve(x) # {mark}",
}


@pytest.mark.parametrize(("clause", "clauses"), ASKED.items(), ids=ASKED)
def test_what_is_asked_only_reads(clause: str, clauses: str) -> None:
    mark = f'error: [R511] "`{clause}` asks `reserve` to find something out'
    text = one(clauses.format(effect=EFFECT, mark=mark + '"'))
    tools(text.replace("-> Thing {", "-> json {"), STEP)


def test_what_is_polled_and_expected_only_reads() -> None:
    judged("""
      step a = reserve(id) until it == 1 every 1s within 1m # error: [R511] "`until` asks `reserve`"
      step left = level(id)
      step b = charge(id, 1.00)
        expecting refund(id) unchanged since left # error: [R511] "`expecting` asks `refund`"
    """)


def test_what_nothing_takes_back_has_a_corrective() -> None:
    clauses = 'effect thing(x) irreversible # warning: [R514] "what is then done about the thing"'
    made = tools(one(f"{clauses}\n idempotent by key"), f"{STEP}\nstep b = do(id) else continue")
    assert [each.severity for each in made.diagnostics] == [Severity.WARNING]


def test_with_accept_a_corrective_is_needed() -> None:
    accept = 'accept irreversible because "x"'
    mark = '# error: [R514] "`a` may stand although the rest is taken back"'
    tools(one("effect thing(x) irreversible idempotent by key"), f"{STEP} {accept} {mark}")
    tools(one(f"{EFFECT} idempotent by key"), f"{STEP} {accept}")


def test_nothing_waits_longer_than_the_deadline() -> None:
    judged("""
      deadline 10h
      gate g needs "ops" shows id within 24h # error: [R516] "the saga's deadline of 10h is over"
      gate h needs "ops" shows id within 10h
      gate i needs "ops" shows id
    """)
    judged('gate g needs "ops" shows id within 24h')


def test_retries_longer_than_the_deadline_are_warned_about() -> None:
    judged("""
      deadline 10m
      step a = level(id) { retry 20 times } # warning: [R516] "still being tried when the saga's"
      step b = level(id) { retry 9 times every 1s..1s timeout 1m }
      step c = clock() until it > 3 every 1s within 1h # warning: [R516] "`c` is still being tried"
      step d = letter(id)
    """)


def test_the_key_is_passed_on() -> None:
    clauses = f'{EFFECT} idempotent by key # error: [R519] "the service does not get the key"'
    tools(one(clauses, call='call python "d" (x)'), STEP)
    tools(one(clauses, call='call python "d"'), STEP)
    tools(one(f"{EFFECT} idempotent by key", call='call python "d" ("{x}/{key}")'), STEP)
    tools(one(f"{EFFECT} idempotent naturally", call='call python "d" (x)'), STEP)


FOUND = {
    "the key": ("thing(x)", "verify find(key)"),
    "all that identifies it": ("thing(x)", "verify find(x)"),
    "the whole kind": ("thing", 'verify find("the one")'),
    "a thing of which there is one": ('thing("one")', 'verify find("one")'),
}


@pytest.mark.parametrize(("kind", "verify"), FOUND.values(), ids=FOUND)
def test_a_verify_that_finds_this_effect(kind: str, verify: str) -> None:
    tools(one(f'effect {kind} irreversible corrective "x" {verify}'), STEP)


def test_a_verify_that_may_find_another() -> None:
    mark = '# warning: [R522] "it is not asked by `x`, so the run takes that for its own"'
    tools(one(f'{EFFECT} verify find("any") {mark}'), STEP)


def test_a_step_s_own_verify_is_asked_in_the_saga_s_names() -> None:
    for asked in ("id", "args.x", "key"):
        tools(one(EFFECT), f"step a = do(id) {{ verify find({asked}) }}")
    tools(one(EFFECT), 'step a = do("one") { verify find("the one") }')
    mark = '# warning: [R522] "it is not asked by `x`"'
    tools(one(EFFECT), f'step a = do(id) {{ verify find("any") {mark}\n }}')


def test_a_tool_that_no_saga_reaches_is_checked_as_a_step_alone() -> None:
    tools("""
    tool lost(x: str) -> json { # error: [R508] "The answer of `lost` is lost: whether `lost` has"
      call python "l" (x)
      effect thing(x) irreversible # warning: [R514] "nothing says what is then done"
    }
    tool undone(x: str) -> json {
      call python "u" (x, key)
      effect thing(x) reversible
      idempotent by key
      retry 3 times
      undo back(x) # warning: [R505] "`back` is tried once, then people are needed"
    }
    tool back(x: str) -> json { call python "b" effect thing restoring idempotent naturally }
    tool set_thing(x: str) -> json {
      call python "s"
      effect thing(x) reversible
      idempotent naturally
      undo set_thing(x) # warning: [R505] "`set_thing` is tried once"
    }
    """)
