"""The page of the language: every program on it parses, and those that are whole check clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.parser import parse
from sagalang.dsl.source import Source
from sagalang.runtime.rehearsal.rehearse import rehearse

PAGE = (Path(__file__).parents[1] / "docs/language.md").read_text("utf-8")
BLOCKS: list[str] = re.findall(r"```saga\n(.*?)```", PAGE, re.DOTALL)
SCENARIOS = [text for text in BLOCKS if text.startswith("scenario")]
WHOLE = [text for text in BLOCKS if text not in SCENARIOS]


@pytest.mark.parametrize("text", BLOCKS, ids=range(len(BLOCKS)))
def test_every_program_parses(text: str) -> None:
    assert parse(Source("page.saga", text)).diagnostics == ()


@pytest.mark.parametrize(
    "text", [t for t in WHOLE if "import" not in t], ids=lambda text: text.split("\n")[1][:30]
)
def test_whole_programs_check_clean(text: str) -> None:
    found = compile(Source("page.saga", text), lambda importing, path: Unreadable("nothing"))
    assert [(d.code, d.message) for d in found.diagnostics] == []


@pytest.mark.parametrize("text", SCENARIOS, ids=lambda text: text.split('"')[1])
def test_a_scenario_of_the_page_passes(text: str) -> None:
    (program,) = (whole for whole in WHOLE if "saga fulfil" in whole and "tool charge" in whole)
    source = Source("page.saga", f"{program}\n{text}")
    (scenario,) = compile(source, lambda importing, path: Unreadable("nothing")).scenarios
    played = rehearse(scenario)
    assert (played.shortfalls, played.unused) == ((), ())


def test_every_function_is_named() -> None:
    from sagalang.runtime.signatures import FUNCTIONS

    told = PAGE.split("and the functions")[1].split("`int / int`")[0]
    assert set(re.findall(r"[a-z_]+", told)) == set(FUNCTIONS)
    table = PAGE.split("| function | gives |")[1].split("\n\n")[0]
    named = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert set(re.findall(r"`([a-z_]+)\(", "".join(named))) == set(FUNCTIONS)
