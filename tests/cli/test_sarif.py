"""SARIF: what code scanners and editors read of `saga check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from sagalang.cli.pages import codes

from .clikit import Project

SCHEMA = json.loads(Path(__file__).with_name("sarif.json").read_text("utf-8"))
CORPUS = Path(__file__).parents[1] / "corpus"

WRONG = """edition 2026
import { ship, pay } from "order.saga"
saga early(id: str) -> str {
  step parcel = ship(id)
  step money = pay(idd, 1.00)
  return money
}
"""


def valid(document: Any) -> Any:
    """The only run of a document that is as the standard wants it."""
    validator: Any = jsonschema.Draft7Validator(SCHEMA)
    validator.validate(document)
    [run] = document["runs"]
    return run


def test_what_is_right_has_no_results(project: Project) -> None:
    said = project.saga("check", "order.saga", "--format", "sarif")
    assert (said.code, said.err) == (0, "")
    run = valid(said.json)
    assert run["results"] == []
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_a_mistake_is_a_result_with_its_place_and_its_fix(project: Project) -> None:
    project.write("a b.saga", WRONG)
    said = project.saga("check", "a b.saga", "--format", "sarif")
    assert said.code == 1
    [result] = valid(said.json)["results"]
    place = {"artifactLocation": {"uri": "a%20b.saga"}}
    region = {"startLine": 5, "startColumn": 20, "endLine": 5, "endColumn": 23}
    assert (result["ruleId"], result["level"]) == ("N201", "error")
    assert "`idd`" in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"] == {**place, "region": region}
    [change] = result["fixes"][0]["artifactChanges"]
    assert change == {
        **place,
        "replacements": [{"deletedRegion": region, "insertedContent": {"text": "id"}}],
    }


def test_other_positions_are_related_and_rules_have_their_pages(project: Project) -> None:
    project.write("a.saga", WRONG.replace("idd", "id"))
    run = valid(project.saga("check", "a.saga", "--format", "sarif").json)
    [result] = [one for one in run["results"] if one["ruleId"] == "R502"]
    lines = [one["physicalLocation"]["region"]["startLine"] for one in result["relatedLocations"]]
    assert lines
    assert {one["message"]["text"] for one in result["relatedLocations"]}
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("R502", "pivot barrier")
    assert rule["help"]["markdown"].startswith("# R502 · pivot barrier")
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_what_cannot_be_read_is_a_notification(project: Project) -> None:
    (project.folder / "latin.saga").write_bytes(b"edition 2026 # \xe9\n")
    said = project.saga("check", "gone.saga", "latin.saga", "--format", "sarif")
    assert said.code == 2
    run = valid(said.json)
    [invocation] = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert "gone.saga" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    [result] = run["results"]
    assert result["ruleId"] == "S105"
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_every_bad_program_gives_what_the_standard_wants(project: Project) -> None:
    said = project.saga("check", str(CORPUS / "bad"), "--format", "sarif")
    run = valid(said.json)
    assert {one["ruleId"] for one in run["results"]} <= set(codes())
    for result in run["results"]:
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith(
            "file:///"
        )
        for fix in result.get("fixes", ()):
            assert fix["artifactChanges"]


@pytest.mark.parametrize("code", codes())
def test_every_page_is_a_rule(code: str) -> None:
    from sagalang.cli.pages import rules

    [rule] = rules([code])
    assert rule.title
    assert rule.page.startswith(f"# {code} · {rule.title}\n\n*{rule.severity.value}*")
