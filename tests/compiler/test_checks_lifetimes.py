"""R515: what expires is not relied on when it has."""

from __future__ import annotations

import pytest

from sagalang.dsl.fixes import apply

from .programs import compiled
from .shop import tools


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
