"""Case 4: an undo that fails for good is tried as often as declared, and then people are asked.

The answers `skip` and `forward`: tests/kernel/test_rollback.py.
"""

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


def standing_incident(bench: Bench, fault: dict[str, object], tries: int) -> None:
    """Runs until the undo of b has failed for good, and looks at what is asked."""
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    bench.shop.switch("payments/refund", **fault, times=tries)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 5, done
    statuses = {step["path"]: step["status"] for step in done.json["steps"]}
    assert statuses == {
        "a": "succeeded",
        "b": "compensation_failed",
        "c": "compensated",
        "d": "failed",
    }
    assert bench.shop.net("stock", "o-1/a") == 1 and bench.shop.net("stock", "o-1/c") == 0
    assert len(bench.shop.calls("payments/refund")) == tries
    assert len(bench.keys("payments/refund")) == 1
    incident = done.json["incident"]
    assert incident["cause"] == "undo_failed" and incident["path"] == "b"
    assert {row["path"]: row["verified"] for row in incident["resources"]} == {
        "a": "applied",
        "b": "applied",
    }
    assert incident["recommended"] and set(incident["answers"]) >= {"retry", "done", "skip"}


PERMANENT: dict[str, object] = {"refuse": "Disputed"}
TRANSIENT: dict[str, object] = {"rate_limit": 0.01}


@pytest.mark.parametrize(("fault", "tries"), [(PERMANENT, 1), (TRANSIENT, 3)])
def test_the_undo_is_bounded_and_stands_escalated(
    bench: Bench, fault: dict[str, object], tries: int
) -> None:
    standing_incident(bench, fault, tries)
    calls, events = len(bench.calls()), len(bench.events())
    for _ in range(3):
        again = bench.saga("resume", "r", "s.saga")
        assert again.code == 5 and "escalated" in again.err
    assert (len(bench.calls()), len(bench.events())) == (calls, events)
    assert "the undo of `b` failed for good" in bench.saga("incidents").out
    assert bench.saga("resolve", "r", "b", "retry", "--by", "ada").code == 0
    bench.saga("resume", "r", "s.saga")
    assert bench.show()["status"] == "rolled_back"
    assert [bench.shop.net("stock"), bench.shop.net("payment")] == [0, 0]
    assert len(bench.keys("payments/refund")) == 1


def test_somebody_has_undone_it_by_hand(bench: Bench) -> None:
    standing_incident(bench, PERMANENT, 1)
    assert bench.saga("resolve", "r", "b", "done", "--by", "ada", "--reason", "by phone").code == 0
    bench.saga("resume", "r", "s.saga")
    shown = bench.show()
    # The verify still finds the charge: by hand, or not at all, is for people to settle.
    assert shown["status"] in ("rolled_back", "escalated")
    resolved = next(event for event in bench.events() if event["kind"] == "resolved")
    assert (resolved["actor"], resolved["status"]) == ("ada", "done")
    assert len(bench.shop.calls("payments/refund")) == 1
    assert bench.shop.net("stock", "o-1/a") == (0 if shown["status"] == "rolled_back" else 1)
