"""Golden files: what each good program of the corpus becomes, as people read it.

`pytest tests/compiler/test_golden.py --update-golden` writes them anew; read what changed.
"""

from __future__ import annotations

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


@pytest.mark.parametrize(
    "command",
    [
        ("mypy", "--strict", "--no-incremental", "--follow-imports=silent"),
        ("pyright",),
        ("ruff", "check", "--select=B,C4,E,F,I,PIE,RUF,SIM,UP,W", "--ignore=E501", "--isolated"),
        ("ruff", "format", "--check", "--isolated", "--line-length=100"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
@pytest.mark.slow
def test_golden_modules_please_the_tools(command: tuple[str, ...], tmp_path: Path) -> None:
    """Modules of users are checked with their own rules: nothing in ours may stand out."""
    modules = sorted(GOLDEN.glob("*.py"))
    done = subprocess.run(
        [sys.executable, "-m", *command, *map(str, modules)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
