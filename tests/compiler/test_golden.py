"""Golden files: what each good program of the corpus becomes, as people read it.

`pytest tests/compiler/test_golden.py --update-golden` writes them anew; read what changed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sagalang.compiler.emit import emit_mermaid, emit_python, emit_svg
from sagalang.runtime.plan import definition

from .modules import loaded, sagas
from .programs import compiled_file

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden"
PROGRAMS = sorted((TESTS / "corpus/ok").glob("*.saga"))
VERSION = "0.1.0"
"""What golden files say; a release is no reason to renew them."""


def emitted(path: Path) -> dict[str, str]:
    """The golden files of a program, by name."""
    plans = tuple(compiled_file(path).plans.values())
    texts = {f"{path.stem}_saga.py": emit_python(plans, name=path.name, version=VERSION)}
    for plan in plans:
        # Names that differ only in case would be one file on some systems.
        name = f"{path.stem}.{plan.saga}"
        texts[f"{name}.mmd"] = emit_mermaid(plan)
        texts[f"{name}.svg"] = emit_svg(plan)
    return texts


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_becomes_what_it_became_before(
    path: Path, request: pytest.FixtureRequest
) -> None:
    texts = emitted(path)
    if request.config.getoption("--update-golden"):
        for name, text in texts.items():
            (GOLDEN / name).write_text(text, "utf-8", newline="")
    for name, text in texts.items():
        with (GOLDEN / name).open(encoding="utf-8", newline="") as golden:
            assert golden.read() == text, name


def test_no_golden_file_is_left_over() -> None:
    expected = {name for path in PROGRAMS for name in emitted(path)}
    found = {path.name for path in GOLDEN.iterdir() if path.suffix in (".py", ".mmd", ".svg")}
    assert found == expected


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_golden_module_holds_its_plans(path: Path) -> None:
    plans = compiled_file(path).plans
    text = (GOLDEN / f"{path.stem}_saga.py").read_text("utf-8")
    found = {name: saga.plan for name, saga in sagas(loaded(text)).items()}
    assert found == plans
    assert {n: definition(p) for n, p in found.items()} == {
        n: definition(p) for n, p in plans.items()
    }


COMMANDS = {
    "mypy": ("mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache"),
    "pyright": ("pyright",),
    "lint": (
        *("ruff", "check", "--isolated", "--select=B,C4,E,F,I,PIE,RUF,SIM,UP,W", "--ignore=E501"),
        *("--target-version=py311", "--config=lint.isort.combine-as-imports=true"),
    ),
    "format": ("ruff", "format", "--check", "--isolated", "--line-length=100"),
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", COMMANDS)
def test_golden_modules_please_the_tools(tool: str, tmp_path: Path) -> None:
    """Modules lie among the user's own: nothing in them may stand out when these are checked."""
    modules = sorted(GOLDEN.glob("*.py"))
    for module in modules:
        shutil.copy(module, tmp_path)
    source = str(TESTS.parent / "src")
    settings = {"typeCheckingMode": "strict", "extraPaths": [source], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", *COMMANDS[tool], *(module.name for module in modules)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": source},
    )
    assert done.returncode == 0, done.stdout + done.stderr
