"""Case 16: cancelling lets the call settle, undoes what has happened, and starts nothing more.

Cancelled before the first step, and between two steps: tests/kernel/test_people.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Reservation {
  step a = reserve(order.id, "a", 1)
  gate g needs "ops" shows a.id when order.express
  step b = charge(order.id, order.total)
  step c = reserve(order.id, "c", 1)
  return c
}
"""


def clean(bench: Bench) -> None:
    """Nothing stands, and the last step was never asked for."""
    assert bench.show()["status"] == "cancelled"
    assert [bench.shop.net("stock"), bench.shop.net("payment")] == [0, 0]
    assert bench.shop.rows("stock", "o-1/c") == []
    assert all(effect["status"] == "undone" for effect in bench.show()["effects"])


@pytest.mark.parametrize(
    "fault", [{"delay_answer": 4.0}, {"delay_before": 3.0, "lose_answer": True}], ids=str
)
def test_the_call_in_flight_settles_first(bench: Bench, fault: dict[str, object]) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", **fault)
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    bench.until("payments/charge")
    two = [bench.start("cancel", "r", "--reason", "the customer called") for _ in range(2)]
    codes = sorted(asked.wait().code for asked in two)
    assert codes == [0, 1]
    assert process.wait().code == 3
    clean(bench)
    asked = [e["status"] for e in bench.events() if e["kind"] == "cancel_requested"]
    assert asked == ["accepted", "ignored"]
    settled = next(
        e["n"]
        for e in bench.events()
        if e["path"] == "b" and e["status"] in ("succeeded", "applied")
    )
    undo = next(e["n"] for e in bench.events() if e["direction"] == "undo")
    assert settled < undo


def test_at_a_gate(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    waiting = bench.saga("run", "s.saga", "--id", "r", "--input", order(express=True))
    assert waiting.code == 6
    assert bench.saga("cancel", "r").code == 0
    # What was acknowledged is durable: nobody has gone on with the run since.
    bench.saga("resume", "r", "s.saga")
    clean(bench)
    late = bench.saga("approve", "r", "g", "--by", "ada")
    assert late.code == 1 and "not open any more: the run has gone back" in late.err
    assert bench.calls("payments/charge") == []


def test_acknowledged_is_durable(bench: Bench) -> None:
    """The owner dies right after the acknowledgement; the run is cancelled all the same."""
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", delay_answer=4.0)
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    bench.until("payments/charge", "applied")
    assert bench.saga("cancel", "r").code == 0
    process.kill()
    assert bench.saga("resume", "r", "s.saga").code == 3
    clean(bench)
    assert bench.done("payment") == 1


def test_a_finished_run_stays_as_it_is(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 0
    events = len(bench.events())
    refused = bench.saga("cancel", "r")
    assert refused.code == 1 and "already final" in refused.err
    assert bench.show()["status"] == "succeeded" and len(bench.events()) == events
    assert bench.shop.net("payment") == 1
