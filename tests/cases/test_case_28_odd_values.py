"""Case 28: a value comes back equal, with its type, in another process, or is refused.

Every value there is, one by one: tests/runtime/test_values.py. Sets, UUIDs and data frames are
among those refused there.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench

pytestmark = pytest.mark.slow

SAGA = """edition 2026
tool make() -> json {
  call python "odd:make" (key: key) effect thing reversible idempotent naturally undo unmake()
  retry 3 times every 10ms..20ms
}
tool unmake() -> json {
  call python "odd:unmake" effect thing restoring idempotent naturally
  retry 3 times every 10ms..20ms
}
tool use(value: json) -> str {
  call python "odd:use" effect other reversible idempotent naturally undo unmake_other()
}
tool unmake_other() -> json {
  call python "odd:unmake" effect other restoring idempotent naturally
  retry 3 times every 10ms..20ms
}
saga s() -> str {
  step a = make()
  step b = use(a)
  return b
}
"""

TOOLS = '''
"""Makes a value, and sees in which form it arrives."""

import datetime as dt
import math
import os
from decimal import Decimal
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
VALUES = {
    "nan": float("nan"), "inf": float("inf"), "minus zero": -0.0, "2**80": 2**80,
    "decimal": Decimal("0.10"), "naive": dt.datetime(2026, 10, 25, 2, 30),
    "fold": dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN), "date": dt.date(2026, 1, 2),
    "timedelta": dt.timedelta(days=1, microseconds=1), "bytes": b"\\x00\\xff", "nul": "\\x00",
    "combining": "e\\u0301", "emoji": "\\U0001f600", "key": {"$decimal": "1"},
    "large": "x" * (9 << 20),
    "deep": eval("[" * 60 + "]" * 60),
}
LOOP: list = []
LOOP.append(LOOP)


class Rude:
    def __repr__(self):
        raise RuntimeError("no text")

    __eq__ = __repr__


REFUSED = {
    "generator": (x for x in ()), "file": open(__file__), "itself": LOOP, "surrogate": "\\ud800",
    "two keys": {1: "a", "1": "b"}, "rude": Rude(),
}
WHICH = os.environ["WHICH"]


def note(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")


def make(key):
    note("make")
    return {**VALUES, **REFUSED}[WHICH]


def unmake():
    note("unmake")


def use(value):
    note("use")
    made = VALUES[WHICH]
    same = math.isnan(value) if WHICH == "nan" else value == made
    assert same and type(value) is type(made), (value, made)
    if WHICH == "minus zero":
        assert math.copysign(1, value) < 0
    if WHICH == "fold":
        assert value.fold == 1 and value.tzinfo.key == "Europe/Berlin"
    return "equal"
'''

GOOD = [
    "nan", "inf", "minus zero", "2**80", "decimal", "naive", "fold", "date", "timedelta", "bytes",
    "nul", "combining", "emoji", "key", "large", "deep",
]  # fmt: skip
BAD = ["generator", "file", "itself", "surrogate", "two keys", "rude"]


def calls(bench: Bench) -> list[str]:
    """What was called, in order."""
    return (bench.folder / "calls.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("which", GOOD)
def test_it_arrives_in_another_process_as_it_was(bench: Bench, which: str) -> None:
    bench.write("s.saga", SAGA)
    bench.write("odd.py", TOOLS)
    killed = bench.saga("run", "s.saga", "--id", "r", failpoint="call.before:b", WHICH=which)
    assert killed.killed, killed
    done = bench.saga("resume", "r", "s.saga", WHICH=which)
    assert done.code == 0, done
    assert calls(bench) == ["make", "use"]


@pytest.mark.parametrize("which", BAD)
def test_what_cannot_be_stored_is_never_made_again(bench: Bench, which: str) -> None:
    """The effect is there: the step has succeeded, and what needs the value fails with a reason."""
    bench.write("s.saga", SAGA)
    bench.write("odd.py", TOOLS)
    done = bench.saga("run", "s.saga", "--id", "r", "--json", WHICH=which)
    assert done.code == 3, done
    assert calls(bench) == ["make", "unmake"]
    outcome = next(e for e in bench.events() if e["path"] == "a" and e["kind"] == "outcome")
    assert outcome["status"] == "succeeded"
    assert "a" in str(done.json["error"]["message"])
