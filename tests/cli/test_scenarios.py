"""`saga test` and the plugin for pytest: scenarios from the file to the report."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sagalang.cli import shapes

from .clikit import SAGA, Project

Golden = Callable[[str, str], None]

GOOD = """
scenario "paid and shipped" for order {
  given id = "o-1"
  expect succeeded
}
scenario "no truck" for order {
  given id = "o-1"
  fail parcel with "NoTruck"
  expect rolled back
  expect undone money
}
"""
BAD = """
scenario "everything is wrong" for order {
  given id = "o-1"
  given total = 200.00
  approve release by "ada"
  fail parcel with "NoTruck"
  crash money before undo
  expect succeeded
  expect done money, parcel
  expect undone parcel, money
  expect not called release
  expect corrective parcel
  expect readiness >= 1.1
  expect result "parcel"
}
"""
LAX = """
scenario "nothing comes to it" for order {
  given id = "o-1"
  approve release by "ada"
  expect succeeded
}
"""


def test_all_pass(project: Project, golden: Golden) -> None:
    project.write("order.saga", SAGA + GOOD)
    said = project.saga("test", "order.saga")
    assert (said.code, said.err) == (0, "")
    golden("test.txt", said.out)


def test_a_failure_says_what_was_expected_what_happened_and_when(
    project: Project, golden: Golden
) -> None:
    project.write("order.saga", SAGA + GOOD + BAD)
    said = project.saga("test", "order.saga")
    assert said.code == 1
    golden("test_failed.txt", said.out)


@pytest.mark.parametrize("text", [SAGA + GOOD + BAD + LAX, SAGA, SAGA + "scenario"])
def test_json_is_one_document_of_the_published_shape(project: Project, text: str) -> None:
    project.write("order.saga", text)
    said = project.saga("test", "order.saga", "--json")
    msgspec.convert(said.json, shapes.Test, strict=True)
    assert said.err == ""


def test_json_has_the_place_of_each_failure(project: Project) -> None:
    path = project.write("order.saga", SAGA + BAD)
    said = project.saga("test", "order.saga", "--json")
    (played,) = said.json["scenarios"]
    lines = path.read_text("utf-8").splitlines()
    found: list[str] = [lines[failure["line"] - 1] for failure in played["failures"]]
    assert found == [line for line in BAD.splitlines() if line.startswith("  expect")]
    assert played["status"] == "rolled_back"
    assert not played["passed"]


def test_what_the_run_never_came_to_is_said(project: Project) -> None:
    project.write("order.saga", SAGA + LAX)
    said = project.saga("test", "order.saga")
    assert said.code == 0
    assert 'the run never came to `approve release by "ada"`' in said.err


def test_one_saga_of_a_file(project: Project) -> None:
    other = "\nsaga other(id: str) { step gone = refund_it(id) }\n" + (
        'tool refund_it(id: str) -> json { call python "MODULE:payment_of" effect none }\n'
        'scenario "alone" for other { given id = "a" expect succeeded }\n'
    )
    project.write("order.saga", SAGA + GOOD + other)
    assert len(project.saga("test", "order.saga", "--json").json["scenarios"]) == 3
    found = project.saga("test", "order.saga:other", "--json").json["scenarios"]
    assert [one["title"] for one in found] == ["alone"]
    said = project.saga("test", "order.saga:ordr")
    assert said.code == 2
    assert "there are: order, other" in said.err


def test_scenarios_may_stand_in_a_file_of_their_own(project: Project) -> None:
    project.write("checks.saga", 'edition 2026\nimport { order } from "order.saga"\n' + GOOD)
    said = project.saga("test", ".")
    assert said.code == 0
    assert "checks.saga" in said.out


def test_a_file_with_errors_is_not_played(project: Project) -> None:
    project.write("order.saga", SAGA + GOOD.replace("fail parcel", "fail parcell"))
    said = project.saga("test", "order.saga")
    assert said.code == 1
    assert "error[N201]: There is no statement `parcell`" in said.out
    assert "Not played, because of errors: order.saga." in said.out


def test_errors_beside_the_scenarios_of_a_folder_are_for_check(project: Project) -> None:
    project.write("order.saga", SAGA + GOOD)
    project.write("wrong.saga", "edition 2026\nsaga s( {")
    assert project.saga("test", ".").code == 0
    assert project.saga("test", "wrong.saga").code == 1


def test_without_a_scenario_there_is_nothing_to_fail(project: Project) -> None:
    said = project.saga("test", "order.saga")
    assert (said.code, said.out) == (0, "No scenario found.\n")


def test_a_file_that_is_not_there(project: Project) -> None:
    said = project.saga("test", "gone.saga")
    assert said.code == 2
    assert "gone.saga" in said.err


def pytest_in(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest with the plugin in a folder, whether or not it is installed there."""
    plugin = ("-p", "no:sagalang", "-p", "sagalang.pytest_plugin", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugin, *args]
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_pytest_collects_each_scenario_at_its_line(project: Project) -> None:
    project.write("order.saga", SAGA + GOOD)
    said = pytest_in(project.folder, "--collect-only", "-q")
    assert "order.saga::paid and shipped" in said.stdout
    assert "order.saga::no truck" in said.stdout
    assert pytest_in(project.folder, "-q", "order.saga::no truck").returncode == 0


def test_pytest_tells_scenarios_of_one_title_apart(project: Project) -> None:
    other = "saga other(id: str) { step gone = payment_of(id) }\n"
    text = 'scenario "no truck" for other { given id = "a" expect succeeded }\n'
    project.write("order.saga", SAGA + GOOD + other + text)
    said = pytest_in(project.folder, "--collect-only", "-q")
    assert "order.saga::no truck for order" in said.stdout
    assert "order.saga::no truck for other" in said.stdout


def test_pytest_tells_a_failure_as_saga_test_does(project: Project) -> None:
    path = project.write("order.saga", SAGA + GOOD + BAD)
    said = pytest_in(project.folder)
    line = path.read_text("utf-8").splitlines().index('scenario "everything is wrong" for order {')
    assert said.returncode == 1
    assert "2 passed" in said.stdout
    told = project.saga("test", "order.saga").out
    report = told[told.index(f"order.saga:{line + 1}:1: scenario") : told.rindex("\n\n")]
    assert report in said.stdout
    assert "Traceback" not in said.stdout


def test_pytest_shows_the_mistakes_of_a_file_that_it_cannot_collect(project: Project) -> None:
    project.write("order.saga", SAGA + GOOD.replace("for order", "for ordr"))
    said = pytest_in(project.folder)
    assert said.returncode == 2
    assert "error[N201]: There is no saga `ordr`." in said.stdout


def test_pytest_says_what_is_wrong_with_settings(project: Project) -> None:
    project.write("order.saga", SAGA + GOOD)
    project.write("saga.toml", "logg = 1\n")
    said = pytest_in(project.folder)
    assert said.returncode == 2
    assert "there is no setting `logg`" in said.stdout
    assert "Traceback" not in said.stdout


def test_pytest_without_a_saga_file_does_not_load_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    loaded = {'lark', 'duckdb', 'sagalang.compiler', 'sagalang.dsl', 'click'}\n"
        "    assert not loaded & set(sys.modules)\n"
    )
    (tmp_path / "notes.saga").write_text("edition 2026\n")
    said = pytest_in(tmp_path, "-q", ".")
    assert said.returncode == 0, said.stdout


def test_the_examples_and_the_starter_pass(project: Project) -> None:
    root = Path(__file__).parents[2]
    said = project.saga("test", str(root / "examples"), "--json")
    assert said.code == 0
    assert len(said.json["scenarios"]) >= 10
    assert all(not one["unused"] for one in said.json["scenarios"])
    assert project.saga("new", "trips").code == 0
    said = project.saga("test", "trips/trip.saga", "--json")
    assert said.code == 0
    assert len(said.json["scenarios"]) == 3
