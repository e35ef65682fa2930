"""The pages of names, types and order: the wrong program gives its code, the right one none.

A page has one program in each part; where it needs more files, each block says which it is.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagalang.compiler.codes import CODES

from .programs import compiled

PAGES = Path(__file__).parents[2] / "compiler" / "explain"
MINE = sorted(code for code in CODES if code[0] in "NTG")
BLOCK = re.compile(r"```saga ?([\w.]*)\n(.*?)```", re.DOTALL)


def part(page: str, heading: str) -> str:
    """The text of one part of a page."""
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found, f"no part {heading}"
    return found[1]


def findings(text: str) -> list[tuple[str, str, str]]:
    """What is found in the program of a part of a page: code, severity, message."""
    blocks = BLOCK.findall(text)
    files = dict(blocks[1:])
    made = compiled(blocks[0][1], files)
    return [(d.code, d.severity.value, d.message) for d in made.diagnostics]


@pytest.mark.parametrize("code", MINE)
def test_the_wrong_program_gives_exactly_its_code(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text("utf-8")
    wrong = part(page, "Wrong")
    shown = re.search(r"```text\n(.*?)\n```", wrong, re.DOTALL)
    severity = re.search(r"^\*(\w+)\*$", page, re.MULTILINE)
    assert shown and severity
    found = findings(wrong)
    assert {each[:2] for each in found} == {(code, severity[1])}
    assert any(shown[1] in message for _, _, message in found)
    assert severity[1] == CODES[code].severity


@pytest.mark.parametrize("code", MINE)
def test_the_right_program_gives_nothing(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text("utf-8")
    assert findings(part(page, "Right")) == []


@pytest.mark.parametrize("code", MINE)
def test_a_page_is_called_as_its_code_is(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text("utf-8")
    assert page.startswith(f"# {code} · {CODES[code].title}\n")
