"""Case 20: an irreversible effect before a step that can fail is found before anything runs.

Every shape of the rule: tests/compiler/test_checks_pivot.py; readiness against enumeration:
tests/compiler/test_readiness.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

CATALOGUE = tools()
HEAD = "\nsaga s(order: Order) -> Charge {\n"
A = "  step a = reserve(order.id, order.sku, order.qty)\n"
M = '  step m = send_mail(order.email, "Done.")'
C = "  step c = charge(order.id, order.total)\n"
END = "  return c\n}\n"
GATE = '  gate g needs "ops" shows order.total\n'
ACCEPT = ' accept irreversible because "customers want to know at once"\n'

WRONG = {
    "as it is": HEAD + A + M + "\n" + C + END,
    "beside it": HEAD + A + "  parallel {\n" + M + "\n" + C + "  }\n" + END,
}
RIGHT = {
    "moved behind": HEAD + A + C + M + "\n" + END,
    "accepted": HEAD + A + M + ACCEPT + C + END,
}


@pytest.mark.parametrize("text", WRONG.values(), ids=list(WRONG))
def test_it_is_an_error_with_both_positions(bench: Bench, text: str) -> None:
    bench.write("s.saga", CATALOGUE + text)
    done = bench.saga("check", "s.saga", "--format", "json")
    (error,) = [d for d in done.json["diagnostics"] if d["severity"] == "error"]
    assert (done.code, error["code"]) == (1, "R502")
    lines = (CATALOGUE + text).splitlines()
    assert lines[int(error["line"]) - 1].strip().startswith("step m")
    assert any(
        lines[int(label["line"]) - 1].strip().startswith("step c") for label in error["labels"]
    )
    assert "`m`" in error["message"] and "`c`" in error["message"]
    assert bench.saga("run", "s.saga", "--input", order()).code == 1
    assert bench.shop.calls() == []


@pytest.mark.parametrize("text", RIGHT.values(), ids=list(RIGHT))
def test_it_compiles(bench: Bench, text: str) -> None:
    bench.write("s.saga", CATALOGUE + text)
    assert bench.saga("check", "s.saga").code == 0


def test_it_is_found_through_an_import(bench: Bench) -> None:
    bench.write("shop.saga", CATALOGUE)
    names = "Order, Charge, reserve, charge, send_mail"
    text = f'edition 2026\nimport {{ {names} }} from "shop.saga"\n' + WRONG["as it is"]
    bench.write("s.saga", text)
    done = bench.saga("check", "s.saga", "--format", "json")
    (error,) = [d for d in done.json["diagnostics"] if d["severity"] == "error"]
    assert error["code"] == "R502" and error["file"].endswith("s.saga")


def test_it_is_found_in_a_saga_that_is_called_from_another_file(bench: Bench) -> None:
    """The mail is in one file, what fails behind it in another: both places are told."""
    child = "\nsaga announce(order: Order) -> str {\n" + M + "\n  return order.id\n}\n"
    bench.write("shop.saga", CATALOGUE + child)
    head = 'edition 2026\nimport { Order, Charge, charge, announce } from "shop.saga"\n'
    text = head + HEAD + "  step told = announce(order)\n" + C + END
    bench.write("s.saga", text)
    done = bench.saga("check", "s.saga", "--format", "json")
    (error,) = [d for d in done.json["diagnostics"] if d["severity"] == "error"]
    assert (done.code, error["code"]) == (1, "R502")
    places = {(error["file"].rpartition("/")[2], error["line"])}
    places |= {(label["file"].rpartition("/")[2], label["line"]) for label in error["labels"]}
    lines = {"shop.saga": (CATALOGUE + child).splitlines(), "s.saga": text.splitlines()}
    shown = {lines[file][int(line) - 1].strip().partition(" =")[0] for file, line in places}
    assert {"step m", "step c", "step told"} <= shown


def test_an_undo_that_is_itself_irreversible_is_an_error(bench: Bench) -> None:
    text = CATALOGUE.replace("undo release(order_id, sku)", 'undo send_mail("x", "take it back")')
    assert text != CATALOGUE
    bench.write("s.saga", text + RIGHT["moved behind"])
    done = bench.saga("check", "s.saga", "--format", "json")
    assert "R505" in {d["code"] for d in done.json["diagnostics"] if d["severity"] == "error"}


@pytest.mark.parametrize("impact", ["-1", "11", "0"])
def test_an_impact_that_is_none_is_an_error(bench: Bench, impact: str) -> None:
    text = CATALOGUE.replace("reversible impact 2", f"reversible impact {impact}")
    bench.write("s.saga", text + RIGHT["moved behind"])
    done = bench.saga("check", "s.saga")
    assert done.code == 1 and "Traceback" not in done.err
    assert "impact" in done.out + done.err


def test_an_accepted_mail_stands_and_the_readiness_says_so(bench: Bench) -> None:
    bench.write("s.saga", CATALOGUE + RIGHT["accepted"])
    bench.shop.switch("payments/charge", refuse="CardDeclined", times="always")
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.json["status"] == "partly_rolled_back"
    statuses = {step["path"]: step["status"] for step in done.json["steps"]}
    assert statuses == {"a": "compensated", "m": "succeeded", "c": "failed"}
    assert bench.shop.net("stock") == 0 and bench.shop.net("payment") == 0
    # Impacts: stock 2, mail 1.
    shown = [row["readiness"] for row in bench.run().readiness]
    assert shown[:2] == ["1", "0.6667"]
    assert [row["readiness"] for row in bench.saga("score", "r", "--json").json["history"]] == shown
    values = [float(value) for value in shown]
    assert all(0 <= value <= 1 for value in values)
