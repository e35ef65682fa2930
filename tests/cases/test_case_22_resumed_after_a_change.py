"""Case 22: a run that waits is not taken up by another definition, and is undone by its own.

Every place where a run may stand: tests/runtime/test_continuing.py; `saga diff`:
tests/cli/test_diff.py.
"""

from __future__ import annotations

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

A = '  step a = reserve(order.id, "a", 1)\n'
B = "  step b = charge(order.id, order.total)\n"
G = '  gate g needs "ops" shows order.total\n'
C = '  step c = reserve(order.id, "c", 1)\n'
HEAD, END = "\nsaga s(order: Order) {\n", "}\n"
SAGA = HEAD + A + B + G + C + END

CHANGES = {
    "a step inserted": (HEAD + A + '  step x = reserve(order.id, "x", 1)\n' + B + G + C + END, "x"),
    "a step removed": (HEAD + A + G + C + END, "b"),
    "a step renamed": (HEAD + A + B.replace("step b", "step b2") + G + C + END, "b2"),
    "two steps swapped": (HEAD + B + A + G + C + END, "no longer waits for"),
}
TOOL_CHANGES = {
    "another undo": ("undo release(order_id, sku)", "undo recall(order_id)", "recall"),
    "another class": ("reversible impact 2", "compensatable impact 2", "compensatable"),
}
"""Each with a word that the refusal says."""


def waiting(bench: Bench) -> int:
    """Leaves a run at its gate; gives how many changes have reached the service."""
    bench.write("s.saga", tools() + SAGA)
    said = bench.saga("run", "s.saga", "--id", "r", "--input", order())
    assert bench.show()["status"] == "waiting", said.err
    return len(bench.calls())


@pytest.mark.parametrize(("text", "word"), CHANGES.values(), ids=list(CHANGES))
def test_a_changed_file_does_not_take_it_up(bench: Bench, text: str, word: str) -> None:
    calls = waiting(bench)
    bench.write("s.saga", tools() + text)
    assert bench.saga("approve", "r", "g", "--by", "ada").code == 0
    refused = bench.saga("resume", "r", "s.saga")
    assert refused.code == 1 and "Traceback" not in refused.err
    assert word in refused.err + refused.out
    assert len(bench.calls()) == calls
    went_on = bench.saga("resume", "r", "--as-begun")
    assert (went_on.code, bench.show()["status"]) == (0, "succeeded")
    assert bench.done("stock") == 2 and bench.done("payment") == 1


def test_a_rollback_takes_the_undos_that_were_logged(bench: Bench) -> None:
    waiting(bench)
    other = tools().replace("undo release(order_id, sku)", "undo recall(order_id)")
    bench.write("s.saga", other.replace("undo refund(result.id)", "undo void_by_key(key)") + SAGA)
    assert bench.saga("reject", "r", "g", "--by", "ada").code == 0
    assert bench.saga("resume", "r", "--as-begun").code == 3
    undone = [str(row["resource"]) for row in bench.shop.rows() if row["direction"] == "undo"]
    assert undone == ["o-1", "o-1/a"]
    assert bench.calls("payments/refund") and not bench.calls("payments/void")


def test_without_its_file_nothing_is_called_until_it_is_brought_back(bench: Bench) -> None:
    """A log is data: it names no module from which functions are taken; a file does."""
    calls = waiting(bench)
    (bench.folder / "s.saga").unlink()
    assert bench.saga("reject", "r", "g", "--by", "ada").code == 0
    refused = bench.saga("resume", "r", "--as-begun")
    assert refused.code == 1 and "Give its file" in refused.err
    assert len(bench.calls()) == calls
    bench.write("other.saga", tools() + CHANGES["a step removed"][0])
    assert bench.saga("resume", "r", "other.saga", "--as-begun").code == 3
    assert bench.show()["status"] == "rolled_back"


def test_comments_and_layout_are_no_other_definition_and_patience_is(bench: Bench) -> None:
    calls = waiting(bench)
    bench.write("s.saga", f"# another day\n{tools()}{SAGA}".replace(", ", ",  "))
    assert bench.saga("resume", "r", "s.saga").code not in (1, 2)
    patient = tools().replace("retry 4 times every 20ms..100ms", "retry 5 times every 20ms..100ms")
    bench.write("s.saga", patient + SAGA)
    assert bench.saga("approve", "r", "g", "--by", "ada").code == 0
    refused = bench.saga("resume", "r", "s.saga")
    assert refused.code == 1 and "4 times" in refused.err and "5 times" in refused.err
    assert len(bench.calls()) == calls
    assert bench.saga("resume", "r", "s.saga", "--as-begun").code == 0


@pytest.mark.parametrize(("old", "new", "word"), TOOL_CHANGES.values(), ids=list(TOOL_CHANGES))
def test_a_changed_tool_does_not_take_it_up(bench: Bench, old: str, new: str, word: str) -> None:
    calls = waiting(bench)
    assert old in tools()
    bench.write("s.saga", tools().replace(old, new) + SAGA)
    assert bench.saga("reject", "r", "g", "--by", "ada").code == 0
    refused = bench.saga("resume", "r", "s.saga")
    assert refused.code == 1 and word in refused.err + refused.out
    assert len(bench.calls()) == calls and bench.show()["status"] != "rolled_back"
    assert bench.saga("resume", "r", "s.saga", "--as-begun").code == 3
    assert [bench.shop.net("stock"), bench.shop.net("payment")] == [0, 0]


def test_changed_code_of_a_tool_is_warned_about(bench: Bench) -> None:
    waiting(bench)
    functions = (bench.folder / "tools.py").read_text(encoding="utf-8")
    assert bench.saga("approve", "r", "g", "--by", "ada").code == 0
    start = functions.index("def reserve(")
    body = functions.index("\n    ", start)
    bench.write("tools.py", functions[:body] + "\n    # another day" + functions[body:])
    done = bench.saga("resume", "r", "s.saga")
    assert done.code == 0
    assert "the Python code of `reserve` has changed" in done.err
    assert "`charge`" not in done.err
