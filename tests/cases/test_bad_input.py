"""Whatever is given: a clear message, the right exit code, nothing called, nothing lost.

A full disk: case 8; a disk that cannot be written, folders where no log can be: case 26; damaged,
foreign and newer logs: case 29; forms of a text: cases 43 and 44. Files older than this format do
not exist yet: tests/histories.
"""

from __future__ import annotations

import fcntl
import json
import os

import pytest

from ..crash.bench import Bench, Done
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SAGA = """
saga s(order: Order) -> Charge {
  step a = charge(order.id, order.total)
  return a
}
"""


def told(done: Done, *words: str, codes: tuple[int, ...] = (2,)) -> None:
    """It ends with one of the codes, says these words, and shows no traceback."""
    said = done.out + done.err
    assert done.code in codes, done
    assert "Traceback" not in said and "unexpected happened" not in said, said[-3000:]
    for word in words:
        assert word in said, said[-3000:]


@pytest.mark.parametrize("command", ["check", "run", "fmt", "plan", "graph", "compile"])
@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "pipe"])
def test_a_file_that_is_none(bench: Bench, command: str, kind: str) -> None:
    path = bench.folder / "odd.saga"
    if kind == "folder":
        path.mkdir()
    elif kind == "binary":
        path.write_bytes(bytes(range(256)) * 400)
    elif kind == "pipe":
        os.mkfifo(path)
    done = bench.saga(command, "odd.saga")
    told(done, "odd.saga", codes=(1, 2) if kind == "binary" else (2,))
    assert sorted(p.name for p in bench.folder.glob("*.py")) == ["tools.py"]


@pytest.mark.parametrize("depth", [60, 5_000, 200_000])
@pytest.mark.parametrize("shape", ["([", "if true { ", "not ", "{ a: "])
def test_nesting_without_end(bench: Bench, depth: int, shape: str) -> None:
    body = shape * depth if shape.startswith("if") else f"return {shape * depth}1"
    bench.write("deep.saga", f"edition 2026\nsaga s() -> int {{\n  {body}\n}}\n")
    told(bench.saga("check", "deep.saga"), "deep.saga:", codes=(1,))


def test_twenty_megabytes_are_read_or_refused_with_a_reason(bench: Bench) -> None:
    comment = "# " + "x" * 98 + "\n"
    bench.write("huge.saga", tools() + comment * 200_000 + SAGA)
    done = bench.saga("check", "huge.saga")
    told(done, "huge.saga", codes=(0, 1, 2))
    if done.code:
        assert "MB" in done.out + done.err


def test_a_line_without_end(bench: Bench) -> None:
    bench.write("line.saga", f"edition 2026\nsaga s() -> str {{ return {'x' * 1_000_000} }}\n")
    done = bench.saga("check", "line.saga")
    told(done, "line.saga:", codes=(1,))
    assert len(done.out + done.err) < 3_100_000


MISSING = {
    "a module": ('"tools:charge"', '"tolls:charge"', "tolls"),
    "a function": ('"tools:charge"', '"tools:chrage"', "chrage"),
    "what is no function": ('"tools:charge"', '"tools:_TLS"', "_TLS"),
    "a parameter": (
        "idempotency_key: key)\n  effect payment",
        "kex: key)\n  effect payment",
        "kex",
    ),
}


@pytest.mark.parametrize(("good", "bad", "word"), MISSING.values(), ids=list(MISSING))
def test_tools_that_are_not_there(bench: Bench, good: str, bad: str, word: str) -> None:
    text = tools() + SAGA
    assert good in text
    bench.write("s.saga", text.replace(good, bad, 1))
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order())
    told(done, word, "charge", codes=(1,))
    assert bench.shop.calls() == []
    assert bench.saga("runs", "--json").code in (0, 2)


def test_a_module_that_breaks_when_it_is_imported(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    bench.write("tools.py", "raise RuntimeError('no settings')\n")
    told(bench.saga("run", "s.saga", "--input", order()), "tools", "no settings", codes=(1,))


INPUTS = {
    "no JSON": ("{", "JSON"),
    "no object": ("[1]", "object"),
    "a missing one": ("{}", "order"),
    "a missing field": ('{"order": {"id": "o-1"}}', "total"),
    "a wrong type": ('{"order": {"id": "o-1", "total": "much"}}', "total"),
    "a list for a text": ('{"order": {"id": ["o-1"], "total": 1}}', "id"),
    "none for a number": ('{"order": {"id": "o-1", "total": null}}', "total"),
    "an unknown one": ('{"order": {"id": "o-1", "total": 1}, "ordre": 1}', "ordre"),
    "an unknown field": ('{"order": {"id": "o-1", "total": 1, "colour": "red"}}', "colour"),
    "no file": ("@nowhere.json", "nowhere.json"),
    "no number": ('{"order": {"id": "o-1", "total": NaN}}', "JSON"),
}


@pytest.mark.parametrize(("given", "word"), INPUTS.values(), ids=list(INPUTS))
def test_inputs_that_do_not_fit(bench: Bench, given: str, word: str) -> None:
    bench.write("s.saga", tools() + SAGA)
    told(bench.saga("run", "s.saga", "--input", given), word, codes=(1, 2))
    assert bench.shop.calls() == []


ANSWERS: dict[str, object] = {
    "a text": "yes",
    "nothing": None,
    "a number too few": {"id": "ch_1"},
    "another type": {"id": "ch_1", "amount": "much", "state": "captured"},
    "a list": [],
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
def test_an_answer_of_another_type_is_no_success(bench: Bench, answer: object) -> None:
    """The call has happened: what it gave does not fit, so it is undone by its key."""
    bench.write("s.saga", tools(verify=False).replace('"tools:charge"', '"odd:charge"') + SAGA)
    bench.write(
        "odd.py",
        "import tools\n\n\ndef charge(order_id, amount, idempotency_key):\n"
        "    tools.charge(order_id, amount, idempotency_key)\n"
        f"    return {answer!r}\n",
    )
    done = bench.saga("run", "s.saga", "--id", "r", "--input", order(), "--json")
    assert done.code == 3, done
    assert (bench.done("payment"), bench.shop.net("payment")) == (1, 0)
    assert "charge" in json.dumps(done.json["error"])


def test_a_log_that_another_process_holds_is_named_with_its_holder(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    assert bench.saga("run", "s.saga", "--id", "q", "--input", order(id="o-0")).code == 0
    with (bench.folder / "test.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = bench.start("run", "s.saga", "--id", "r", "--input", order())
        done = process.wait()
        told(done, "test", codes=(1, 7))
        assert len(bench.calls()) == 1
    assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 0
    assert bench.done("payment") == 2


def test_a_run_that_does_not_exist(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    told(bench.saga("show", "r"), "test", codes=(1, 2))
    assert bench.saga("run", "s.saga", "--id", "q", "--input", order()).code == 0
    for line in (["show", "r"], ["resume", "r", "s.saga"], ["cancel", "r"], ["log", "r"]):
        told(bench.saga(*line), "r", codes=(1, 2))


def test_settings_that_cannot_be_read(bench: Bench) -> None:
    bench.write("s.saga", tools() + SAGA)
    for text, word in (("log = ", "saga.toml"), ("lgo = 'x'", "lgo"), ("groups = 3", "groups")):
        bench.write("saga.toml", text)
        told(bench.saga("run", "s.saga", "--input", order()), word, codes=(1, 2))
    assert bench.shop.calls() == []
