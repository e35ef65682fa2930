"""The page on messages shows what the compiler says now.

`pytest tests/compiler/test_messages_page.py --update-golden` writes the pictures anew; read them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source

PAGE = Path(__file__).parents[2] / "docs/messages.md"
PICTURE = re.compile(r"```saga (\w+\.saga)\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)


def shown(name: str, text: str) -> str:
    made = compile(Source(name, text), lambda importing, written: Unreadable("no files here"))
    return render(made.diagnostics, made.sources).rstrip("\n") + "\n"


def test_the_pictures_of_the_page_are_what_the_compiler_says(
    request: pytest.FixtureRequest,
) -> None:
    page = PAGE.read_text("utf-8")
    if request.config.getoption("--update-golden"):
        page = PICTURE.sub(
            lambda m: f"```saga {m[1]}\n{m[2]}```\n\n```text\n{shown(m[1], m[2])}```", page
        )
        PAGE.write_text(page, "utf-8", newline="\n")
    pictures = PICTURE.findall(page)
    assert len(pictures) == 3
    for name, text, said in pictures:
        assert shown(name, text) == said, name


def test_every_code_that_the_page_names_has_a_page_of_its_own() -> None:
    codes = set(re.findall(r"\b[NSTGRPX][0-9]{3}\b", PAGE.read_text("utf-8")))
    assert codes
    for code in codes:
        assert (PAGE.parents[1] / f"compiler/explain/{code}.md").is_file(), code
