"""Case 4: an undo that fails for good is tried as often as declared, and then people are asked.

The answers `skip` and `forward`: tests/kernel/test_rollback.py.
"""

from __future__ import annotations

import http.client
import json

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
    """What people say was done by hand is looked at, and then the rest is taken back."""
    standing_incident(bench, PERMANENT, 1)
    (charge,) = bench.shop.rows("payment")
    body = json.dumps({"charge_id": charge["entity"]})
    connection = http.client.HTTPConnection(str(bench.shop.url).removeprefix("http://"), timeout=20)
    connection.request("POST", "/payments/refund", body, {"Idempotency-Key": "by phone"})
    assert connection.getresponse().status == 200
    connection.close()
    assert bench.shop.net("payment") == 0
    assert bench.saga("resolve", "r", "b", "done", "--by", "ada", "--reason", "by phone").code == 0
    assert bench.saga("resume", "r", "s.saga").code == 3
    shown = bench.show()
    assert shown["status"] == "rolled_back" and bench.shop.net("stock") == 0
    assert {step["path"]: step["status"] for step in shown["steps"]}["b"] == "compensated"
    resolved = next(event for event in bench.events() if event["kind"] == "resolved")
    assert (resolved["actor"], resolved["status"]) == ("ada", "done")
    assert [call["key"] for call in bench.shop.calls("payments/refund")][1:] == ["by phone"]


def test_a_word_that_the_service_denies_is_not_taken(bench: Bench) -> None:
    """Nobody has given the money back: the run asks again, and goes no further by that."""
    standing_incident(bench, PERMANENT, 1)
    assert bench.saga("resolve", "r", "b", "done", "--by", "ada", "--reason", "by phone").code == 0
    again = bench.saga("resume", "r", "s.saga", "--json")
    assert again.code == 5
    incident = again.json["incident"]
    assert incident["path"] == "b" and "its verify says `applied` all the same" in str(incident)
    assert len(bench.shop.calls("payments/refund")) == 1
    assert [bench.shop.net("stock", "o-1/a"), bench.shop.net("payment")] == [1, 1]
    skip = ["resolve", "r", "b", "skip", "--by", "ada", "--reason", "the customer keeps it"]
    assert bench.saga(*skip).code == 0
    assert bench.saga("resume", "r", "s.saga").code == 4
    assert [bench.shop.net("stock"), bench.shop.net("payment")] == [0, 1]
