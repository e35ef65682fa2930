"""JSON and Mermaid: what other programs read."""

from __future__ import annotations

import json
import re
from itertools import cycle
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from sagalang.compiler.emit import emit_json, emit_mermaid, made_by_us, plan_schema
from sagalang.runtime.plan import Plan

from .any_plans import any_plans
from .modules import NASTY, with_texts
from .plans import fulfil

SCHEMA = Path(__file__).parents[2] / "docs/schemas/plan.json"
LINE = re.compile(
    r"%% Made by sagalang|flowchart TD"
    r'|  n\d+(\(\[|\{\{|\[|\(|>)"([^"\[\]{}<>]|<br/>|<b>|</b>)*"(\]\)|\}\}|\]|\)):::\w+'
    r"|  n\d+ -->(\|(yes|no)\|)? n\d+"
    r"|  classDef \w+ [\w#:,. -]+"
)


def test_the_schema_that_is_published_is_the_current_one(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        SCHEMA.write_text(plan_schema(), "utf-8", newline="\n")
    assert SCHEMA.read_text("utf-8") == plan_schema()


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(any_plans())
def test_json_gives_the_plan_back_and_obeys_the_schema(plan: Plan) -> None:
    text = emit_json(plan)
    assert repr(msgspec.json.decode(text, type=Plan)) == repr(plan)
    validator: Any = jsonschema.Draft202012Validator(json.loads(plan_schema()))
    validator.validate(json.loads(text))
    assert made_by_us(text)


def test_json_of_others_is_not_ours() -> None:
    assert not made_by_us('{"format": 1}')
    assert not made_by_us("{")


@pytest.mark.parametrize("text", NASTY)
def test_no_text_means_anything_to_mermaid(text: str) -> None:
    chart = emit_mermaid(with_texts(fulfil(), cycle([text])))
    for line in chart.removesuffix("\n").split("\n"):
        assert LINE.fullmatch(line), line


def test_mermaid_shows_what_the_picture_shows() -> None:
    chart = emit_mermaid(fulfil())
    assert '"↺ <b>pay</b><br/>compensatable · charge<br/>undo refund<br/>as billing"' in chart
    assert "|yes|" in chart
    assert made_by_us(chart)
