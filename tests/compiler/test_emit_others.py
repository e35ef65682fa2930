"""JSON and Mermaid: what other programs read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
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
from .journey import whole
from .modules import NASTY, with_texts
from .plans import fulfil

SCHEMA = Path(__file__).parents[2] / "docs/schemas/plan.json"
TEXT = r'"([^"\[\]{}<>]|<br/>|<b>|</b>)*"'
LINE = re.compile(
    r"%% Made by sagalang|flowchart TD"
    rf"|  \w+(\(\[|\{{\{{|\[\[|\[|\(|>){TEXT}(\]\)|\}}\}}|\]\]|\]|\)):::\w+"
    rf"|  subgraph \w+\[{TEXT}\]|  direction TB|  end"
    r"|  \w+ (-->(\|(yes|no)\|)?|-\.->|---) \w+"
    r"|  class \w+ \w+|  classDef \w+ [\w#:,. -]+"
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


@pytest.mark.parametrize("made", [fulfil, whole])
@pytest.mark.parametrize("text", NASTY)
def test_no_text_means_anything_to_mermaid(text: str, made: Callable[[], Plan]) -> None:
    chart = emit_mermaid(with_texts(made(), cycle([text])))
    for line in chart.removesuffix("\n").split("\n"):
        assert LINE.fullmatch(re.sub("^ +(?=  )", "", line)), line


def test_mermaid_opens_and_closes_each_body() -> None:
    chart = emit_mermaid(whole()).split("\n")
    opened = [line.strip() for line in chart if line.strip().startswith("subgraph")]
    assert len(opened) == 10
    assert opened[3:5] == ['subgraph n15["▢ <b>shipping</b>"]', 'subgraph n15_1["else"]']
    assert sum(line.strip() == "end" for line in chart) == len(opened)
    assert "  n15_is -.-> n15_1" in chart


def test_mermaid_shows_what_the_picture_shows() -> None:
    chart = emit_mermaid(fulfil())
    assert '"↺ <b>pay</b><br/>compensatable · charge<br/>undo refund<br/>as billing"' in chart
    assert "|yes|" in chart
    assert made_by_us(chart)
