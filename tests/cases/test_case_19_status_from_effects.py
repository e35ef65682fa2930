"""Case 19: a run is called rolled back when its effects say so, and for no other reason.

The catalogue of views rebuilt from the journal: tests/runtime/test_store_views.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import SHOP, Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Tracking {
  step a = charge(order.id, order.total)
  step b = send_mail(order.email, "We are on it.")
    accept irreversible because "customers want to know at once"
  step c = reserve(order.id, order.sku, order.qty)
  step d = create_label(order.id, order.address, order.letter)
  return d
}
"""


def test_an_undo_that_is_not_declared_is_an_error(bench: Bench) -> None:
    text = tools().replace("  undo release(order_id, sku)\n", "") + SAGA
    bench.write("s.saga", text)
    done = bench.saga("check", "s.saga", "--format", "json")
    (error,) = [d for d in done.json["diagnostics"] if d["severity"] == "error"]
    assert done.code == 1 and error["code"] == "R503"
    assert "reserve" in text.splitlines()[int(error["line"]) - 1]
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 1
    assert bench.calls() == []


def test_a_function_that_is_missing_is_found_before_the_first_call(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    functions = (SHOP / "tools.py").read_text(encoding="utf-8")
    bench.write("tools.py", functions.replace("def release(", "def let_go("))
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order())
    assert done.code == 1
    assert "release" in done.err and "Traceback" not in done.err
    assert bench.shop.calls() == []
    # When it is there again, the same line begins the run: nothing was started before.
    bench.write("tools.py", functions)
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 0


def test_a_function_that_goes_missing_later_stops_the_rollback_before_it(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="scope_closed.after").killed
    functions = (SHOP / "tools.py").read_text(encoding="utf-8")
    bench.write("tools.py", functions.replace("def release(", "def let_go("))
    done = bench.saga("resume", "r", "s.saga")
    assert done.code == 1 and "release" in done.err, done
    assert bench.shop.net("payment") == bench.shop.net("stock") == 1
    bench.write("tools.py", functions)
    assert bench.saga("resume", "r", "s.saga").code == 4
    assert bench.shop.net("payment") == bench.shop.net("stock") == 0


def test_what_cannot_be_taken_back_is_named(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 4 and done.json["status"] == "partly_rolled_back"
    effects = {effect["path"]: effect for effect in done.json["effects"]}
    assert [effects[path]["status"] for path in "ac"] == ["undone", "undone"]
    mail = effects["b"]
    assert mail["status"] == "standing" and mail["class"] == "accepted"
    assert mail["resource"] == "mail(c@example.org)" and mail["corrective"] == "taken"
    assert mail["tool"] == "send_mail" and mail["at"]


def test_rolled_back_and_not_closed_is_not_final(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("shipping/label", refuse="CarrierDown", times="always")
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="run_finished.before").killed
    other = bench.saga("show", "r", "--json")
    assert other.json["status"] == "compensating"
    rows = bench.shop.rows()
    for _ in range(2):
        assert bench.saga("resume", "r", "s.saga").code == 4
    assert bench.shop.rows() == rows
    finished = [kind for kind, *_ in bench.kinds("run_finished")]
    assert finished == ["run_finished"]
