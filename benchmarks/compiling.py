"""The compiler: a cold check of a short program, and the time that long ones take."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source

from . import programs
from .rounds import in_turn, line, spend

_SHORT = 100


def check(folder: Path, rounds: int) -> None:
    """A cold `saga check` of 100 lines, beside an empty Python and one that imports lark."""
    text = programs.chain(1)
    path = folder / "short.saga"
    path.write_text(programs.chain(1 + _SHORT - text.count("\n")))
    python = [sys.executable, "-c"]
    commands = {
        "saga check": [*python, "from sagalang.cli import main; main()", "check", str(path)],
        "python": [*python, "pass"],
        "python, lark imported": [*python, "import lark"],
    }
    _run(commands["saga check"])
    found = in_turn({name: partial(_run, some) for name, some in commands.items()}, rounds)
    for name, spent in found.items():
        print(line(name, spent, {"python": found["python"]} if name != "python" else None))
    print("  goal: < 300 ms cold")


def _run(command: list[str]) -> int:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 1


def sizes(folder: Path, rounds: int) -> None:
    """All of compiling but the printing: programs of 100, 1,000 and 10,000 steps."""
    _compiled(programs.chain(1))
    each: dict[int, float] = {}
    for length in (100, 1_000, 10_000):
        text = programs.chain(length)
        spent = [spend(partial(_compiled, text)) for _ in range(1 if length > 1_000 else 3)]
        each[length] = min(some.cpu for some in spent) / length
        print(line(f"{length:,} steps", spent))
    print(f"  CPU a step, longest against shortest: {each[10_000] / each[100]:.2f}")
    print("  goal: linear, 10,000 steps < 10 s")


def _compiled(text: str) -> int:
    found = compile(Source("measured.saga", text), _nothing)
    if "chain" not in found.plans:
        raise RuntimeError("a measured program does not compile")
    return 1


def _nothing(importing: str, path: str) -> Unreadable:
    return Unreadable("a measured program imports nothing")
