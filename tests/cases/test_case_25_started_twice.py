"""Case 25: one id is one run, however often and from wherever it is started.

Threads, and a thousand recoveries of living runs: tests/engine/test_starting.py,
tests/runtime/test_ownership.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Reservation {
  step a = charge(order.id, order.total)
  step b = reserve(order.id, order.sku, order.qty)
  return b
}
"""
START = ["run", "s.saga", "--id", "seven", "--input"]


def once(bench: Bench) -> None:
    """Each thing was done once."""
    assert [bench.done("payment"), bench.done("stock")] == [1, 1]
    assert bench.calls() == ["payments/charge", "stock/reserve"]


def test_one_after_the_other(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    results = [bench.saga(*START, order(), "--json") for _ in range(3)]
    assert [done.code for done in results] == [0, 0, 0]
    assert len({str(done.json["result"]) for done in results}) == 1
    once(bench)


def test_five_processes_at_once(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", delay_answer=0.8)
    processes = [bench.start(*START, order(), "--json") for _ in range(5)]
    results = [process.wait() for process in processes]
    assert [done.code for done in results] == [0] * 5, results
    assert len({str(done.json["result"]) for done in results}) == 1
    once(bench)


def test_with_other_inputs_it_is_refused(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    assert bench.saga(*START, order()).code == 0
    refused = bench.saga(*START, order("26.00"))
    assert refused.code == 1 and "`order`" in refused.err and "seven" in refused.err
    once(bench)


@pytest.mark.parametrize("fault", [{"refuse": "OutOfStock"}], ids=str)
def test_after_its_end_it_is_that_end(bench: Bench, fault: dict[str, object]) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("stock/reserve", **fault)
    assert bench.saga(*START, order()).code == 3
    calls = len(bench.shop.calls())
    # The goods are there again; a fresh attempt is a new run with an id of its own.
    assert bench.saga(*START, order()).code == 3
    assert len(bench.shop.calls()) == calls
    assert bench.saga("run", "s.saga", "--id", "eight", "--input", order()).code == 0


def test_recovery_leaves_a_living_run_alone(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.write("saga.toml", 'log = "test.duckdb"\nsagas = ["s.saga"]\n')
    bench.shop.switch("payments/charge", delay_answer=1.5)
    process = bench.start(*START, order())
    bench.until("payments/charge", "applied")
    sweeps = [bench.saga("resume", "--all") for _ in range(2)]
    assert [done.code for done in sweeps] == [0, 0]
    assert process.wait().code == 0
    once(bench)


def test_two_sweeps_after_a_death_have_one_winner(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.write("saga.toml", 'log = "test.duckdb"\nsagas = ["s.saga"]\n')
    assert bench.saga(*START, order(), failpoint="call.after:a").killed
    processes = [bench.start("resume", "--all") for _ in range(3)]
    assert [process.wait().code for process in processes] == [0, 0, 0]
    assert bench.show("seven")["status"] == "succeeded"
    once(bench)


@pytest.mark.parametrize("run_id", ["", "  ", "a b", "\t"], ids=repr)
def test_blanks_in_an_id_are_refused(bench: Bench, run_id: str) -> None:
    bench.write("s.saga", tools() + SAGA)
    refused = bench.saga("run", "s.saga", "--id", run_id, "--input", order())
    assert refused.code in (1, 2) and "Traceback" not in refused.err
    assert bench.shop.calls() == []


def test_ids_are_compared_after_nfc_and_not_by_case(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    for run_id in ("Caf\u00e9", "Cafe\u0301"):
        assert bench.saga("run", "s.saga", "--id", run_id, "--input", order()).code == 0
    once(bench)
    assert bench.saga("run", "s.saga", "--id", "caf\u00e9", "--input", order()).code == 0
    assert bench.done("payment") == 2
