"""Case 2: nothing is undone, and nothing called clean, before a running sibling has settled.

One slot only, and the sibling still in the queue: tests/engine/test_running.py.
"""

from __future__ import annotations

from itertools import pairwise
from time import sleep

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Reservation {
  parallel {
    step x = charge(order.id, order.total)
    step y = reserve(order.id, order.sku, order.qty)
    step z = reserve(order.id, "z", 1) after x
  }
  return y
}
"""

FAULTS: dict[str, dict[str, object]] = {
    "it answers late": {"delay_answer": 1.5},
    "it lands late": {"delay_before": 1.5},
    "its answer is lost": {"delay_answer": 1.5, "lose_answer": True},
    "it answers nonsense after it was applied": {"delay_answer": 1.5, "malformed": "json"},
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_the_sibling_settles_first(bench: Bench, fault: dict[str, object]) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", **fault)
    bench.shop.switch("stock/reserve", delay_before=0.2, refuse="OutOfStock", times="always")
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    seen: list[tuple[str, int]] = []
    bench.until("payments/charge")
    while process.code() is None:
        seen.append((bench.run().status, bench.shop.net("payment")))
        sleep(0.01)
    final = bench.show()
    assert final["status"] == "rolled_back", final
    assert all(net == 0 for status, net in seen if status == "rolled_back")
    # What was asked for first may be older than what was asked for second, never newer.
    assert all(later[0] != "running" for one, later in pairwise(seen) if one[0] == "rolled_back")

    assert [bench.done("payment"), bench.shop.net("payment"), bench.done("stock")] == [1, 0, 0]
    statuses = {step["path"]: step["status"] for step in final["steps"]}
    assert statuses == {"x": "compensated", "y": "failed", "z": "skipped"}
    events = bench.events()
    refused = next(e["n"] for e in events if e["path"] == "y" and e["status"] == "refused")
    settled = next(
        e["n"] for e in events if e["path"] == "x" and e["status"] in ("succeeded", "applied")
    )
    undo = next(e["n"] for e in events if e["kind"] == "intent" and e["direction"] == "undo")
    assert refused < settled < undo
    assert not [e for e in events if e["direction"] == "do" and e["kind"] == "intent"][2:]
