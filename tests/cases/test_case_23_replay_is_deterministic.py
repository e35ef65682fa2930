"""Case 23: nothing of a run depends on a schedule, a hash seed, a locale or a folder.

The parts: the emitted texts under other seeds, tests/compiler/test_emit_python.py; plans,
tests/compiler/test_lower.py; what is decided once, tests/kernel.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..crash.bench import Bench
from ..crash.journey import order, tools

pytestmark = pytest.mark.slow

SKUS = "abcdefgh"
ODD = """

def pieces() -> list[str]:
    # The order of a set of texts is that of their hashes, which differ from process to process.
    return list(set("abcdefgh"))

def coin() -> bool:
    import secrets
    return secrets.randbelow(2) == 1
"""
SAGA = """
tool pieces() -> list[str] { call python "tools:pieces" effect none }
tool coin() -> bool { call python "tools:coin" effect none }

saga s(order: Order) -> list[Reservation] {
  parallel {
    step pay = charge(order.id, order.total)
    step skus = pieces()
    step heads = coin()
  }
  each held = sku in skus by sku at most 8 at once {
    step hold = reserve(order.id, sku, 1)
    return hold
  }
  if heads {
    step one = send_mail("heads@example.org", "Heads.")
  } else {
    step other = send_mail("tails@example.org", "Tails.")
  }
  return held
}
"""
POINTS = (
    "call.before", "call.after", "intent.before", "intent.after", "outcome.before",
    "outcome.after", "chosen.before", "chosen.after", "commit.before", "commit.after",
)  # fmt: skip
CHANCE = random.Random(23)
KILLS = [f"{CHANCE.choice(POINTS)}:{CHANCE.randint(1, 4)}" for _ in range(6)]


def fresh(bench: Bench, *argv: str, seed: int, folder: Path, failpoint: str = "") -> int:
    """Runs `saga ARGV` in an interpreter of its own, with its own hash seed, folder and locale."""
    environment = {
        **os.environ, **bench.environment, "PYTHONHASHSEED": str(seed), "SAGA_FAILPOINT": failpoint,
        "PYTHONPATH": os.pathsep.join([str(bench.folder), os.environ.get("PYTHONPATH", "")]),
        "LC_ALL": "C" if seed % 2 else "C.UTF-8", "TZ": "Asia/Kathmandu",
    }  # fmt: skip
    code = "from sagalang.cli import main; main(prog_name='saga')"
    command = [sys.executable, "-c", code, *argv]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=120
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode


def decisions(bench: Bench) -> list[dict[str, Any]]:
    return [event for event in bench.events() if event["kind"] == "chosen"]


@pytest.mark.parametrize("kill", dict.fromkeys(KILLS), ids=str)
def test_killed_and_resumed_with_another_seed_from_another_folder(
    bench: Bench, tmp_path: Path, kill: str
) -> None:
    bench.write("tools.py", (bench.folder / "tools.py").read_text("utf-8") + ODD)
    path, log = bench.write("s.saga", tools() + SAGA), str(bench.folder / "test.duckdb")
    # The first process has the hash seed of this one; a point that is not passed kills nobody.
    bench.saga("run", "s.saga", "--id", "r", "--input", order(), failpoint=kill)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = decisions(bench)
    argv = ("resume", "r", str(path), "--log", log)
    if fresh(bench, *argv, seed=4711, folder=elsewhere) != 0:
        # It died before it was in the log: then nothing has happened, and it is begun anew.
        assert bench.calls() == []
        assert bench.saga("run", "s.saga", "--id", "r", "--input", order()).code == 0
    assert bench.show()["status"] == "succeeded"
    rows = [(str(row["kind"]), str(row["resource"])) for row in bench.shop.rows()]
    assert sorted(r for kind, r in rows if kind == "stock") == [f"o-1/{sku}" for sku in SKUS]
    assert bench.done("payment") == 1 and bench.done("mail") == 1
    after = decisions(bench)
    assert after[: len(before)] == before, "what was decided stays decided"
    assert len({(event["path"], event["status"]) for event in after}) == len(after)
    paths = {str(event["path"]) for event in bench.events() if event["kind"] == "intent"}
    assert {p for p in paths if p.startswith("held")} == {f'held["{s}"].hold' for s in SKUS}


def test_the_answer_that_a_branch_stands_on_is_asked_for_once(bench: Bench) -> None:
    bench.write("tools.py", (bench.folder / "tools.py").read_text("utf-8") + ODD)
    bench.write("s.saga", tools() + SAGA)
    begin = ["run", "s.saga", "--id", "r", "--input", order()]
    assert bench.saga(*begin, failpoint="chosen.after:2").killed
    for _ in range(3):
        bench.saga("resume", "r", "s.saga", failpoint="commit.before")
    assert bench.saga("resume", "r", "s.saga").code == 0
    outcomes = [e for e in bench.events() if e["kind"] == "outcome" and e["path"] == "heads"]
    assert len(outcomes) == 1 and bench.done("mail") == 1


@pytest.mark.parametrize("seed", [77, 4711])
def test_what_is_compiled_is_the_same_byte_for_byte(
    bench: Bench, tmp_path: Path, seed: int
) -> None:
    made: list[bytes] = []
    for number, (folder, own) in enumerate([(bench.folder, 0), (tmp_path / "other", seed)]):
        folder.mkdir(exist_ok=True)
        (folder / "s.saga").write_text(tools() + SAGA, "utf-8")
        out = tmp_path / f"made-{number}.py"
        assert fresh(bench, "compile", "s.saga", "-o", str(out), seed=own, folder=folder) == 0
        svg = tmp_path / f"made-{number}.svg"
        assert fresh(bench, "graph", "s.saga", "-o", str(svg), seed=own, folder=folder) == 0
        made.append(out.read_bytes() + svg.read_bytes())
    assert made[0] == made[1]
