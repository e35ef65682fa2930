"""Cases 32 and 34: every name that is accepted and every text works from the file to the rollback.

Golden modules that are run: tests/compiler/test_golden_runs.py; the syntax tree that no text
changes: tests/compiler/test_emit_python.py; characters that are refused: case 44.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ..crash.bench import Bench

pytestmark = pytest.mark.slow

SAGA = """edition 2026
tool NAME(PARAM: str) -> str {
  call python "things:do" (PARAM, key: key)
  effect thing(PARAM) reversible
  idempotent naturally
  fails with Refused
  undo UNDO(PARAM)
}
tool UNDO(PARAM: str) -> json {
  call python "things:undo" (PARAM) effect thing restoring idempotent naturally
  retry 3 times every 10ms..20ms
}
saga SAGA(text: str, bad: bool = false) -> str {
  step STEP = NAME(text)
  requires not bad else "bad: {text}"
  return STEP
}
"""

TOOLS = '''
"""Writes down what it is given."""

import json


def do(text, key):
    with open("done.txt", "a") as file:
        file.write(json.dumps(["do", text]) + "\\n")
    print("from the tool")
    return text


def undo(text):
    with open("done.txt", "a") as file:
        file.write(json.dumps(["undo", text]) + "\\n")
'''

NAMES = [
    "class", "None", "match", "type", "_", "__init__", "__class__", "print", "self", "ctx", "run",
    "saga", "main", "step", "arg", "D", "T", "tool", "PLAN", "globals", "Load", "decimal",
]  # fmt: skip
REFUSED = [
    "import os",
    "a-b",
    "a.b",
    "1st",
    "名",
    "é",
    "e\u0301",
    "ﬁ_load",
    "\u0430bc",
    "a\u202eb",
    "a\u200db",
]
TEXTS = [
    'a"b', "a'''b", '"""', "end\\", "\\N{BULLET}", "a\rb", "a\r\nb", "a\u2028b", "a\x00b",
    "{{ 7*7 }}", '{% include "x" %}', "#}", "%s", "{0}", "$HOME",
    '"); import os; os.system("touch CANARY"); ("',
]  # fmt: skip


def program(name: str) -> str:
    """The saga with one name in every place where a name may stand."""
    ascii_name = name if name.isascii() and name.isidentifier() else "x"
    text = SAGA.replace("UNDO", f"un_{ascii_name}").replace("NAME", f"{ascii_name}_")
    return text.replace("SAGA", name).replace("STEP", name)


def acts(bench: Bench) -> list[list[str]]:
    """What the tools were given."""
    lines = (bench.folder / "done.txt").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def module(bench: Bench, run_id: str, text: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs the compiled module as a program."""
    given = json.dumps({"text": text, "bad": bool(more)})
    return subprocess.run(
        [sys.executable, "made.py", "--input", given, "--id", run_id, "--json"],
        cwd=bench.folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_accepted_name_lives_from_the_file_to_the_rollback(bench: Bench, name: str) -> None:
    bench.write("s.saga", program(name).replace("PARAM", f"{name}2"))
    bench.write("things.py", TOOLS)
    made = bench.saga("compile", "s.saga", "-o", "made.py")
    assert made.code == 0, made.err
    begin = ["run", "s.saga", "--id", "r", "--set", "text=x", "--set", "bad=true", "--json"]
    done = bench.saga(*begin)
    assert done.code == 3, done.err
    assert acts(bench) == [["do", "x"], ["undo", "x"]]
    shown = bench.show()
    assert shown["saga"] == name and shown["steps"][0]["path"] == name
    # The module is the same saga: the same run, over already.
    bench.write("drive.py", "import made, sys\nsys.exit(len([made]) - 1)\n")
    assert bench.saga("drive.py").code == 0


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_none_is_refused_at_its_place(bench: Bench, name: str) -> None:
    bench.write("s.saga", program(name).replace("PARAM", "text"))
    found = bench.saga("compile", "s.saga", "-o", "made.py")
    assert found.code == 1 and "s.saga:" in found.err + found.out and "Traceback" not in found.err
    assert not (bench.folder / "made.py").exists()


@pytest.mark.parametrize("parameter", ["key", "result", "it", "args", "run_id", "log"])
def test_a_parameter_has_none_of_the_kept_names(bench: Bench, parameter: str) -> None:
    bench.write("s.saga", program("thing").replace("PARAM", parameter))
    found = bench.saga("check", "s.saga", "--format", "json")
    assert {d["code"] for d in found.json["diagnostics"] if d["severity"] == "error"} == {"N207"}


def test_names_that_differ_by_case_stay_apart(bench: Bench) -> None:
    one, two = (program(name).replace("PARAM", "text") for name in ("Load", "load"))
    bench.write("s.saga", one + two.removeprefix("edition 2026\n"))
    bench.write("things.py", TOOLS)
    assert bench.saga("compile", "s.saga", "-o", "made.py").code == 0
    for name in ("Load", "load"):
        done = bench.saga("run", f"s.saga:{name}", "--id", name, "--set", f"text={name}")
        assert done.code == 0, done
    assert acts(bench) == [["do", "Load"], ["do", "load"]]


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_a_text_is_only_ever_a_text(bench: Bench, text: str) -> None:
    """As data and in the source: in a documentation, an argument, a comment and a reason."""
    spelled = "".join(f"\\u{{{ord(c):x}}}" for c in text)
    source = program("thing").replace("PARAM", "text")
    source = source.replace("thing_(text)\n  requires", f'thing_("{spelled}")\n  requires')
    plain = text.replace("\\", "").replace('"""', "").replace("\x00", "").replace("\u2028", "")
    source = source.replace("saga thing", f"# {' '.join(plain.split())}\nsaga thing")
    bench.write("s.saga", source)
    bench.write("things.py", TOOLS)
    made = bench.saga("compile", "s.saga", "-o", "made.py")
    assert made.code == 0, made.err
    done = module(bench, "r", text, "bad")
    assert done.returncode == 3, done
    assert acts(bench) == [["do", text], ["undo", text]]
    assert json.loads(done.stdout[done.stdout.index("{") :])["error"]["message"] == f"bad: {text}"
    for form in ("svg", "mermaid"):
        assert bench.saga("graph", "s.saga", "--format", form).code == 0
    assert not (bench.folder / "CANARY").exists()
