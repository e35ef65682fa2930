"""Case 26: processes, readers and forks on one log, and folders where no log can be.

Many threads and the locks of the journal: tests/runtime/test_journal_processes.py,
tests/runtime/test_ownership.py.
"""

from __future__ import annotations

import subprocess

import pytest

import sagalang

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  return a
}
"""
WIDE = (
    "\nsaga wide(order: Order) -> int {\n  parallel {\n"
    + "".join(f'    step s{k} = reserve(order.id, "sku-{k}", 1)\n' for k in range(32))
    + "  }\n  return 1\n}\n"
)
FORKS = '''
"""A tool that forks; the child runs a saga of its own on the same log."""

import os
from decimal import Decimal

import sagalang
import tools


def charge(order_id, amount, idempotency_key):
    if order_id == "o-1":
        child = os.fork()
        if child == 0:
            try:
                log = sagalang.open("test.duckdb")
                saga = sagalang.load("s.saga").s
                run = saga.start(log, run_id="q", order={"id": "o-2", "total": Decimal(1)})
                run.result(30)
                log.close()
                os._exit(0)
            except BaseException as error:
                os.write(2, f"child: {error!r}".encode())
                os._exit(3)
        _, status = os.waitpid(child, 0)
        assert status == 0
    return tools.charge(order_id, amount, idempotency_key)
'''


STRAY = '''
"""A tool whose child comes back out of it, as one forgets `os._exit`."""

import os

import tools


def charge(order_id, amount, idempotency_key):
    child = os.fork()
    if child == 0:
        WAY
    _, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status)
    return tools.charge(order_id, amount, idempotency_key)
'''


def test_looking_while_it_runs(bench: Bench) -> None:
    """Reading needs no lock, tells a consistent story, and never stops the run."""
    bench.write("s.saga", tools() + WIDE)
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    bench.until("stock/reserve")
    seen = 0
    while process.code() is None:
        events = bench.events()
        assert [event["n"] for event in events] == list(range(1, len(events) + 1))
        seen = max(seen, len(events))
        found = bench.saga("runs", "--json")
        assert found.code == 0 and found.json[0]["run_id"] == "r"
        asked = bench.saga("sql", "select count(*) as c from events")
        assert asked.code == 0, asked
    assert bench.show()["status"] == "succeeded"
    assert bench.done("stock") == 32 and len(bench.events()) >= seen


def test_two_processes_run_on_one_log(bench: Bench) -> None:
    bench.write("s.saga", tools() + WIDE)
    link = bench.folder / "link.duckdb"
    link.symlink_to("test.duckdb")
    first = bench.start("run", "s.saga", "--id", "r", "--input", order())
    second = bench.start(
        "run", "s.saga", "--id", "q", "--input", order(id="o-2"), "--log", str(link)
    )
    assert [first.wait().code, second.wait().code] == [0, 0]
    assert bench.done("stock") == 64
    seqs = sagalang.open(bench.folder / "test.duckdb").sql("select seq from events order by seq")
    assert [row[0] for row in seqs.rows] == list(range(1, len(seqs.rows) + 1))


def test_a_log_of_a_killed_process_opens_without_help(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", delay_answer=5.0)
    process = bench.start("run", "s.saga", "--id", "r", "--input", order())
    bench.until("payments/charge", "applied")
    process.kill()
    assert bench.saga("resume", "r", "s.saga").code == 0
    assert bench.done("payment") == 1


def test_a_tool_that_forks(bench: Bench) -> None:
    """Parent and child each have the log for themselves; neither loses or doubles anything."""
    bench.write("s.saga", tools().replace('"tools:charge"', '"forks:charge"') + SAGA)
    bench.write("forks.py", FORKS)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order())
    assert done.code == 0, done
    assert [bench.show(run_id)["status"] for run_id in ("r", "q")] == ["succeeded"] * 2
    assert [bench.shop.net("payment", order_id) for order_id in ("o-1", "o-2")] == [1, 1]
    assert bench.done("payment") == 2


@pytest.mark.parametrize("way", ["return {}", "raise SystemExit(0)", "raise KeyError('in it')"])
def test_a_child_that_comes_back_out_of_its_tool_ends_there(bench: Bench, way: str) -> None:
    """Nobody waits for what it says, and the tool may wait for its end."""
    bench.write("s.saga", tools().replace('"tools:charge"', '"stray:charge"') + SAGA)
    bench.write("stray.py", STRAY.replace("WAY", way))
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 0, done
    assert "`charge` has forked, and the child came back out of it" in done.err
    assert done.json["steps"][0]["attempts"] == 1
    assert bench.done("payment") == 1


def test_a_disk_that_cannot_be_written_is_named(small: Bench) -> None:
    small.write("s.saga", tools() + SAGA)
    remount = ["mount", "-o", "remount,ro", str(small.folder)]
    line = ["run", "s.saga", "--id", "r", "--input", order()]
    subprocess.run(remount, check=True)
    done = small.saga(*line)
    assert done.code in (1, 2) and "Read-only" in done.err, done
    assert "Traceback" not in done.err and small.shop.calls() == []
    subprocess.run([*remount[:2], "remount,rw", str(small.folder)], check=True)
    assert small.saga(*line).code == 0


@pytest.mark.parametrize("place", ["no/such/folder/x.duckdb", "/proc/x.duckdb", "s.saga/x.duckdb"])
def test_where_no_log_can_be_it_is_said_before_any_call(bench: Bench, place: str) -> None:
    bench.write("s.saga", tools() + SAGA)
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--log", place)
    assert done.code in (1, 2), done
    assert "Traceback" not in done.err and place.rpartition("/")[0] in done.err
    assert bench.shop.calls() == []
