"""Case 1: parallel branches are undone in the reverse order of their confirmation, one at a time.

On the simulated kernel, with clocks set back: tests/kernel/test_rollback.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Tracking {
  parallel {
    step l1 = reserve(order.id, "l1", 1)
    step l2 = reserve(order.id, "l2", 1) after l1
    step r1 = charge(order.id, order.total)
  }
  step j = create_label(order.id, order.address, order.letter)
  return j
}
"""

FIRST = {"l1": {}, "l2": {"delay_answer": 2.5}, "r1": {"delay_answer": 1.2}}
SECOND = {"l1": {"delay_answer": 1.5}, "l2": {}, "r1": {}}


@pytest.mark.parametrize(
    ("delays", "failpoint", "order_of_undos"),
    [
        (FIRST, "", ["l2", "r1", "l1"]),
        (SECOND, "", ["l2", "l1", "r1"]),
        (FIRST, "undo.outcome.after:l2", ["l2", "r1", "l1"]),
        (FIRST, "undo.call.after:r1", ["l2", "r1", "l1"]),
    ],
    ids=["l1 r1 l2", "r1 l1 l2", "killed after the first undo", "killed in the second undo"],
)
def test_undone_in_the_reverse_order_of_confirmation(
    bench: Bench,
    delays: dict[str, dict[str, float]],
    failpoint: str,
    order_of_undos: list[str],
) -> None:
    bench.write("s.saga", tools() + SAGA)
    for operation, step in (
        ("stock/reserve", "l1"),
        ("stock/reserve", "l2"),
        ("payments/charge", "r1"),
    ):
        bench.shop.switch(operation, **delays[step])
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    first = bench.saga(*begin, failpoint=failpoint)
    assert first.killed == bool(failpoint), first.err
    if failpoint:
        first = bench.saga("resume", "r", "s.saga")
    assert first.code == 3, first.err

    undone = [
        str(row["resource"]).removeprefix("o-1/").replace("o-1", "r1")
        for row in bench.shop.rows()
        if row["direction"] == "undo"
    ]
    assert undone == order_of_undos
    undos = [e for e in bench.events() if e["direction"] == "undo"]
    open_now = ""
    for event in undos:
        if event["kind"] == "intent":
            assert open_now in ("", event["path"])
            open_now = event["path"]
        elif event["kind"] == "outcome" or event["status"] == "absent":
            open_now = ""
