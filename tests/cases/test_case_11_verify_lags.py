"""Case 11: "not there" from a read side that lags is no proof; a failing verify is no verdict."""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step vm = charge(order.id, order.total)
  return vm
}
"""
LAGGING = "verify charge_of(order_id) consistent after 4s {"


def killed(bench: Bench, *, keys: bool, consistent: bool, by_key: bool = True) -> None:
    """Leaves a charge behind that landed and is not on record."""
    text = tools(keys=keys)
    if consistent:
        text = text.replace("verify charge_of(order_id) {", LAGGING)
    if not by_key:
        text = text.replace("  undo void_by_key(key)\n", "")
    bench.write("s.saga", text + SAGA)
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="call.after:vm").killed


@pytest.mark.parametrize("keys", [True, False], ids=["keys honoured", "keys ignored"])
def test_it_is_asked_until_it_has_caught_up(bench: Bench, keys: bool) -> None:
    killed(bench, keys=keys, consistent=True)
    bench.shop.switch("payments/charge", ignore_keys=not keys, times="always")
    # The first read is from before the charge, however long this machine takes to come to it; it is
    # asked before `consistent after` can be over, because the loss of the attempt begins that.
    bench.shop.switch("payments/find", lag=3600.0, times=1)
    done = bench.saga("resume", "r", "s.saga", "--json")
    assert done.code == 0, done
    assert bench.done("payment") == 1, (bench.kinds(), bench.shop.calls())
    verdicts = [e["status"] for e in bench.events() if e["kind"] == "verified"]
    if not keys:
        assert (verdicts[0], verdicts[-1]) == ("absent", "applied")
        assert len(bench.shop.calls("payments/charge")) == 1


@pytest.mark.parametrize("fault", [{"malformed": "json"}, {"malformed": "shape"}], ids=str)
@pytest.mark.parametrize("by_key", [True, False], ids=["with an undo by key", "without"])
def test_a_verify_that_fails_is_no_verdict(
    bench: Bench, by_key: bool, fault: dict[str, object]
) -> None:
    """An undo that may be called when nothing is there settles it; else people do."""
    killed(bench, keys=False, consistent=False, by_key=by_key)
    bench.shop.switch("payments/find", **fault, times="always")
    reads = len(bench.shop.calls("payments/find"))
    done = bench.saga("resume", "r", "s.saga", "--json")
    assert done.code == (3 if by_key else 5), done
    assert 0 < len(bench.shop.calls("payments/find")) - reads < 60
    assert len(bench.shop.calls("payments/charge")) == 1
    assert bench.shop.net("payment") == (0 if by_key else 1)
    if not by_key:
        assert {step["path"]: step["status"] for step in done.json["steps"]} == {"vm": "unknown"}
