"""Case 13: a key is the same when it must be, and another when it must be.

The hash itself, two steps with equal arguments, lengths: tests/kernel/test_forward.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  step b = reserve(order.id, order.sku, order.qty)
  return a
}
"""
LONG = "n" * 200


def payloads(bench: Bench, operation: str) -> set[str]:
    """What an operation was called with, as it arrived."""
    return {json.dumps(call["payload"]) for call in bench.shop.calls(operation)}


def test_every_attempt_sends_the_same(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.shop.switch("payments/charge", rate_limit=0.01, times=2)
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 0
    assert len(bench.shop.calls("payments/charge")) == 3
    assert len(bench.keys("payments/charge")) == 1
    assert len(payloads(bench, "payments/charge")) == 1
    (intent,) = {e["key"] for e in bench.events() if e["kind"] == "intent" and e["path"] == "a"}
    assert bench.keys("payments/charge") == {intent}
    assert len(str(intent)) <= 255 and bench.keys("stock/reserve") != {intent}


def test_a_process_with_another_hash_seed_sends_the_same(bench: Bench) -> None:
    """The second process is a fresh one, and the file's comments and layout were edited."""
    bench.write("s.saga", tools(verify=False) + SAGA)
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="call.after:a").killed
    edited = (tools(verify=False) + SAGA).replace("\n  step b", "\n\n  # a comment\n  step b")
    bench.write("s.saga", edited)
    command = [str(Path(sys.executable).with_name("saga")), "resume", "r", "s.saga"]
    environment = {**os.environ, **bench.environment, "PYTHONHASHSEED": "4711", "LC_ALL": "C"}
    subprocess.run(command, cwd=bench.folder, env=environment, check=True, capture_output=True)
    assert len(bench.shop.calls("payments/charge")) == 2
    assert len(bench.keys("payments/charge")) == 1
    assert len(payloads(bench, "payments/charge")) == 1
    assert bench.done("payment") == 1


def test_two_runs_with_equal_inputs_have_keys_of_their_own(bench: Bench) -> None:
    bench.write("s.saga", tools(verify=False) + SAGA)
    for run_id in ("r", "q"):
        assert bench.saga("run", "s.saga", "--id", run_id, "--input", order()).code == 0
    assert len(bench.keys("payments/charge")) == len(bench.keys("stock/reserve")) == 2


def test_arguments_edited_after_a_crash_are_refused(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="call.after:a").killed
    bench.write("s.saga", (tools() + SAGA).replace("order.total)\n", "order.total * 2)\n"))
    calls = len(bench.shop.calls())
    refused = bench.saga("resume", "r", "s.saga")
    assert refused.code == 1 and "another definition" in refused.err
    assert len(bench.shop.calls()) == calls
    assert bench.saga("resume", "r", "s.saga", "--as-begun").code == 0
    assert bench.done("payment") == 1 and len(payloads(bench, "payments/charge")) == 1


def test_a_key_known_with_other_arguments_is_for_people(bench: Bench) -> None:
    bench.write("s.saga", tools(verify=False) + SAGA)
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="call.before:a").killed
    (key,) = {event["key"] for event in bench.events() if event["kind"] == "intent"}
    # Somebody else has used this very key.
    import http.client

    address = str(bench.shop.url).removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=60)
    body = json.dumps({"order_id": "o-9", "amount": "1.00"})
    connection.request("POST", "/payments/charge", body, {"Idempotency-Key": key})
    assert connection.getresponse().status == 200
    connection.close()
    done = bench.saga("resume", "r", "s.saga", "--json")
    assert done.code == 5 and done.json["incident"]["cause"] == "key_conflict"
    assert len(bench.shop.calls("payments/charge")) == 2


def test_the_key_of_a_step_with_a_very_long_name_is_short(bench: Bench) -> None:
    text = SAGA.replace("step a", f"step {LONG}").replace("return a", f"return {LONG}")
    bench.write("s.saga", tools() + text)
    done = bench.saga("run", "s.saga", "--id", "i" * 200, "--input", order())
    assert done.code == 0, done
    (key,) = bench.keys("payments/charge")
    assert len(str(key)) <= 255
