"""Case 17: a rollback is protected: no cancel and no deadline cuts an undo short or doubles it.

The deadline: tests/kernel/test_people.py.
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


def undone_in_order(bench: Bench) -> None:
    """c, b, a were undone, each once."""
    undos = [str(row["resource"]) for row in bench.shop.rows() if row["direction"] == "undo"]
    assert undos == ["o-1/c", "o-1", "o-1/a"]
    assert bench.show()["status"] == "rolled_back"


@pytest.mark.parametrize("dies", [False, True], ids=["it lives", "it is killed"])
def test_an_undo_is_never_interrupted(bench: Bench, dies: bool) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    bench.shop.switch("payments/refund", delay_answer=4.0)
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    bench.until("payments/refund", "applied")
    if dies:
        process.kill()
    cancelled = bench.saga("cancel", "r")
    assert "already rolling back" in cancelled.err
    end = bench.saga("resume", "r", "s.saga") if dies else process.wait()
    assert end.code == 3
    undone_in_order(bench)
    forward = [e for e in bench.events() if e["kind"] == "intent" and e["direction"] == "do"]
    assert [e["path"] for e in forward] == ["a", "b", "c", "d"]
    asked = [e["status"] for e in bench.events() if e["kind"] == "cancel_requested"]
    assert asked == ["ignored"]
