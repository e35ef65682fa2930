"""The page about scenarios: what it shows is what is printed, and its tables have every line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagalang.runtime import scenario

from .clikit import Project

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
CORPUS = Path(__file__).parents[1] / "corpus" / "ok"
BLOCK = re.compile(r"```saga\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"(\$ saga test trip\.saga\n)(.*?)(```)", re.DOTALL)


def test_the_report_on_the_page_is_what_is_printed(
    project: Project, request: pytest.FixtureRequest
) -> None:
    page = PAGE.read_text("utf-8")
    scenarios = BLOCK.findall(page)[0]
    assert project.saga("new", "trips").code == 0
    program = project.folder / "trips" / "trip.saga"
    project.write("trip.saga", f"{program.read_text('utf-8')}\n{scenarios}")
    said = project.saga("test", "trip.saga")
    assert said.code == 1
    if request.config.getoption("--update-golden"):
        shown = SHOWN.sub(lambda found: found[1] + said.out + found[3], page)
        PAGE.write_text(shown, "utf-8")
    assert [found[1] for found in SHOWN.findall(PAGE.read_text("utf-8"))] == [said.out]


def test_the_scenario_of_an_agent_on_the_page_passes(project: Project) -> None:
    program = (CORPUS / "purchasing.saga").read_text("utf-8").split("\nscenario ")[0]
    project.write("purchasing.saga", f"{program}\n{BLOCK.findall(PAGE.read_text('utf-8'))[1]}")
    project.write("saga.toml", '[groups]\nleads = ["lea"]\n')
    said = project.saga("test", "purchasing.saga", "--json")
    assert said.code == 0
    [played] = said.json["scenarios"]
    assert (played["status"], played["unused"]) == ("rolled_back", [])


def test_every_injection_and_expectation_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for kind in scenario.Line.__subclasses__():
        tag = str(kind.__struct_config__.tag)
        word = {
            "status": "succeeded",
            "mock_call": "calls",
            "cancel_at": "cancel at",
            "log_down_at": "log down",
        }
        assert re.search(rf"^\| .*`.*{word.get(tag, tag.replace('_', ' '))}\b", page, re.M), tag
