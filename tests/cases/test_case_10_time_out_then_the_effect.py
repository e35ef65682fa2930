"""Case 10: a call that ran out of time may still land: nothing is final before its time to settle.

With a fake clock, and nothing to undo as an answer: tests/kernel/test_unknown.py; a late return
value: tests/engine/test_running.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step hotel = charge(order.id, order.total) { timeout 400ms settle SETTLE }
  step room = reserve(order.id, order.sku, order.qty)
  step k = charge_of(order.id)
  requires k == none else "somebody has paid"
  return hotel
}
"""


def test_it_lands_inside_the_window_and_is_found(bench: Bench) -> None:
    """A read before it lands says "not there", which proves nothing yet."""
    bench.write("s.saga", tools(keys=False) + SAGA.replace("SETTLE", "20s"))
    bench.shop.switch("payments/charge", delay_before=2.5, ignore_keys=True, times="always")
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 3, done
    statuses = [e["status"] for e in bench.events() if e["kind"] in ("outcome", "verified")]
    assert statuses[0] == "unknown"
    assert statuses.index("absent") < statuses.index("applied")
    assert bench.done("payment") == 1 and bench.shop.net("payment") == 0
    assert len(bench.shop.calls("payments/charge")) == 1
    assert {effect["status"] for effect in done.json["effects"]} == {"undone"}


def test_the_same_call_with_the_same_key_waits_for_the_first(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA.replace("SETTLE", "20s"))
    bench.shop.switch("payments/charge", delay_before=1.0)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 3, done
    assert bench.done("payment") == 1 and bench.shop.net("payment") == 0
    assert len(bench.keys("payments/charge")) == 1


def test_what_lands_after_the_window_is_never_called_clean(bench: Bench) -> None:
    """The service breaks its word, and each attempt lands: people hear of it."""
    bench.write("s.saga", tools(keys=False) + SAGA.replace("SETTLE", "600ms"))
    bench.shop.switch("payments/charge", delay_before=2.5, times="always", ignore_keys=True)
    # The run is still open when the first attempt answers at last.
    bench.shop.switch("stock/reserve", delay_answer=3.0)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 5, done
    # Whichever comes first: the late answer, or an undo after which the charge is still there.
    assert done.json["incident"]["cause"] in ("late", "undo_failed", "undo_conflict")
    assert done.json["incident"]["path"] == "hotel"
