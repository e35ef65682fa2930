"""What CONTRIBUTING.md shows is true: the check that it adds works as it stands there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHOWN = re.compile(r"^```\w+ (?P<path>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
WRONG = "tests/corpus/bad/R590_gate.saga"
COMPILE = """
import sys
from pathlib import Path
from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
text = Path(sys.argv[1]).read_text("utf-8")
made = compile(Source("s.saga", text), lambda importing, path: Unreadable("not there"))
for each in made.diagnostics:
    line = made.sources["s.saga"].position(each.primary.start).line
    print(each.severity, each.code, line, each.message)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with the files of the page added; gives the folder that holds it."""
    package = tmp_path / "sagalang"
    package.mkdir()
    shutil.copy(ROOT / "src/sagalang/__init__.py", package)
    for room in ("grammar", "dsl", "compiler", "runtime"):
        shutil.copytree(ROOT / room, package / room, ignore=shutil.ignore_patterns("__pycache__"))
    for found in SHOWN.finditer((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        path = package / found["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found["text"], "utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_check_of_the_page_finds_what_its_program_marks(package: Path) -> None:
    program = package / "sagalang" / WRONG
    lines = program.read_text("utf-8").splitlines()
    [(number, mark)] = [
        (number, found)
        for number, line in enumerate(lines, 1)
        if (found := re.search(r'# (\w+): \[(\w+)\] "(.*)"', line))
    ]
    done = subprocess.run(
        [sys.executable, "-c", COMPILE, program],
        env={"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    [said] = done.stdout.splitlines()
    assert said.startswith(f"{mark[1]} {mark[2]} {number} ")
    assert mark[3] in said
