"""What the README says is so: its programs, its outputs, its picture, its table of files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sagalang.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
TRIP = ROOT / "examples/trip"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def saga(*words: str) -> str:
    found = CliRunner().invoke(main, words, catch_exceptions=False)
    return found.output


@pytest.fixture
def in_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(TRIP)


def test_the_programs_stand_in_the_example() -> None:
    source = (TRIP / "trip.saga").read_text("utf-8")
    for block in blocks("saga"):
        assert block in source


@pytest.mark.usefixtures("in_trip")
def test_check_says_what_the_readme_shows() -> None:
    assert blocks("text")[0] in saga("check", "trip.saga")


def test_the_mail_first_does_not_compile(tmp_path: Path) -> None:
    source = (TRIP / "trip.saga").read_text("utf-8")
    mail = '  step mail = send_mail(email, "Your trip to {to}.")\n'
    first = re.sub(r"  step mail = .*\n", "", source).replace("  parallel {", mail + "  parallel {")
    (tmp_path / "wrong.saga").write_text(first, "utf-8")
    assert blocks("text")[1].strip() in saga("check", str(tmp_path / "wrong.saga"))


@pytest.mark.usefixtures("in_trip")
def test_the_module_holds_the_excerpt() -> None:
    module = saga("compile", "trip.saga")
    excerpt = [line.strip() for line in blocks("python")[0].splitlines()]
    lines = [line.strip() for line in module.splitlines()]
    assert any(lines[k : k + len(excerpt)] == excerpt for k in range(len(lines)))


@pytest.mark.usefixtures("in_trip")
def test_the_picture_is_current() -> None:
    drawn = (ROOT / "docs/images/trip.svg").read_text("utf-8")
    assert saga("graph", "trip.saga", "--format", "svg") == drawn, (
        "cd examples/trip && saga graph trip.saga --format svg -o ../../docs/images/trip.svg"
    )


SAYS = f'{sys.executable} -c "from sagalang.cli import main; main()"'


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Says a line of the README in a folder; what it says comes in the order of a terminal."""
    return subprocess.run(
        re.sub(r"^saga ", f"{SAYS} ", line), shell=True, cwd=folder, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def example(folder: Path) -> Path:
    """The example alone, without what somebody's runs of it have left."""
    for name in ("trip.saga", "trip.py"):
        shutil.copy(TRIP / name, folder)
    return folder


@pytest.mark.slow
def test_the_run_says_what_the_readme_shows(tmp_path: Path) -> None:
    (shown,) = (text for text in blocks("text") if text.startswith("$ saga run"))
    line, _, output = shown.removeprefix("$ ").partition("\n")
    said = shell(example(tmp_path), line)
    assert (said.returncode, said.stdout) == (3, output)


@pytest.mark.slow
def test_the_program_in_python_runs_in_the_example(tmp_path: Path) -> None:
    (program,) = (text for text in blocks("python") if text.startswith("import sagalang"))
    folder = example(tmp_path)
    (folder / "mine.py").write_text(program, "utf-8")
    said = shell(folder, f"{sys.executable} mine.py")
    assert said.stdout.endswith("Booking(id='flight-t1', price=Decimal('120.00'))\n"), said


@pytest.mark.slow
def test_a_newcomer_can_say_each_command_as_it_stands(tmp_path: Path) -> None:
    (commands,) = (text for text in blocks("sh") if "saga new" in text)
    lines = [line.split("  #")[0] for line in commands.splitlines() if line.startswith("saga ")]
    begin, _, folder = lines.pop(0).partition(" && cd ")
    assert shell(tmp_path, begin).returncode == 0
    assert len(lines) > 6
    for line in lines:
        said = shell(tmp_path / folder.strip(), line)
        assert said.returncode == 0, said


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_the_types_of_the_stage_table_exist() -> None:
    from sagalang.compiler.proving.proofs import Proofs
    from sagalang.dsl.source import Source
    from sagalang.runtime.events import Event
    from sagalang.runtime.plan import Plan
    from sagalang.runtime.simulator import Simulator

    table = README.split("## The path of data")[1].split("##")[0]
    for kind in (Source, Plan, Proofs, Simulator, Event):
        assert f"`{kind.__name__}`" in table
