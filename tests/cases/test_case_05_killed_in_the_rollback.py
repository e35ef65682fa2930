"""Case 5: a rollback that was killed half-way and is resumed twice undoes each effect once."""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Tracking {
  step a = reserve(order.id, "a", 1)
  step b = charge(order.id, order.total)
  step c = reserve(order.id, "c", 1)
  step d = create_label(order.id, order.address, order.letter)
  return d
}
"""


def killed_in_undo(bench: Bench, *, honours: bool) -> None:
    """Leaves a run behind in which the refund has landed and is not on record."""
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    if not honours:
        bench.shop.switch("payments/refund", ignore_keys=True, times="always")
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="undo.call.after:b").killed


def undone_once(bench: Bench) -> None:
    """Each effect was undone once, in the right order."""
    undos = [str(row["resource"]) for row in bench.shop.rows() if row["direction"] == "undo"]
    assert undos == ["o-1/c", "o-1", "o-1/a"]
    assert len(bench.keys("payments/refund")) == 1
    (key,) = bench.keys("payments/refund")
    (forward,) = bench.keys("payments/charge")
    assert str(key) == f"COMP-{forward}"


@pytest.mark.parametrize("honours", [True, False], ids=["keys honoured", "keys ignored"])
def test_resumed_twice(bench: Bench, honours: bool) -> None:
    killed_in_undo(bench, honours=honours)
    assert bench.saga("resume", "r", "s.saga").code == 3
    undone_once(bench)
    assert len(bench.shop.calls("payments/refund")) == 1
    calls, events = len(bench.shop.calls()), len(bench.events())
    assert bench.saga("resume", "r", "s.saga").code == 3
    assert (len(bench.shop.calls()), len(bench.events())) == (calls, events)


def test_two_resumes_at_the_same_moment(bench: Bench) -> None:
    killed_in_undo(bench, honours=True)
    both = [bench.start("resume", "r", "s.saga") for _ in range(4)]
    assert [process.wait().code for process in both] == [3] * 4
    undone_once(bench)
    lost = [event for event in bench.events() if event["kind"] == "attempt_lost"]
    assert len(lost) == 1
