"""Case 7: killed between an effect and the record of it, by what the tool offers to settle it.

The same table with a world in a file: tests/engine/test_crashes.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = reserve(order.id, order.sku, 1)
  step b = charge(order.id, order.total)
  step c = send_mail(order.email, "Paid with {b.id}.")
  return b
}
"""

POINTS = {
    "K1 before the intent": "intent.before:b",
    "K2 before the call": "call.before:b",
    "K3 applied, no answer": "call.after:b",
    "K4 answered, not recorded": "outcome.before:b",
}


@pytest.mark.parametrize("point", POINTS.values(), ids=list(POINTS))
@pytest.mark.parametrize("way", ["verify", "keys", "neither"])
def test_at_most_one_charge(bench: Bench, way: str, point: str) -> None:
    text = tools(keys=way == "keys", verify=way == "verify")
    bench.write("s.saga", text + SAGA)
    if way != "keys":
        bench.shop.switch("payments/charge", ignore_keys=True, times="always")
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint=point).killed
    done = bench.saga("resume", "r", "s.saga", "--json")
    charges = len(bench.shop.calls("payments/charge"))
    landed = point in ("call.after:b", "outcome.before:b")
    if way == "neither" and point != "intent.before:b":
        assert done.code == 5
        assert (charges, bench.done("payment")) == (int(landed), int(landed))
        assert bench.calls("mail/send") == []
        return
    assert done.code == 0, done
    assert bench.done("payment") == 1
    assert charges == (2 if way == "keys" and landed else 1)
    assert len(bench.keys("payments/charge")) == 1
    (mail,) = bench.shop.rows("mail")
    (charge,) = bench.shop.rows("payment")
    assert mail["state"]["text"] == f"Paid with {charge['entity']}."
    assert done.json["result"]["id"] == charge["entity"]


def test_the_compiler_refuses_what_nothing_can_settle(bench: Bench) -> None:
    text = tools(keys=False, verify=False).replace("on unknown escalate", "")
    bench.write("s.saga", text + SAGA)
    found = bench.saga("check", "s.saga", "--format", "json").json["diagnostics"]
    assert [(d["code"], d["severity"]) for d in found] == [("R508", "error")]
