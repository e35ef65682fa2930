"""Whole programs: those in `bad` say exactly what they mark, all others have nothing to mend.

A note may be said of them, such as that nobody knows how long a list is.

`ok` holds programs that use every part of the language, `real` such as people write at work.

`REWRITE=1 pytest tests/compiler/test_corpus.py` writes the renderings anew; read them before you
commit them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sagalang.compiler.pipeline import Compilation
from sagalang.dsl.diagnostics import Severity
from sagalang.dsl.fixes import apply
from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import parse
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.runtime.plan import definition

from .programs import compiled, compiled_file, files_beside, marks, told

CORPUS = Path(__file__).parents[1] / "corpus"
OK = sorted([*(CORPUS / "ok").glob("*.saga"), *(CORPUS / "real").glob("*.saga")])
BAD = sorted((CORPUS / "bad").glob("*.saga"))
READABLE = [path for path in BAD if parse(Source(path.name, path.read_text("utf-8"))).ok]


def formatted(text: str) -> str:
    """A text in the canonical layout."""
    return format_module(parse(Source("main.saga", text)))


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_good_program_compiles_without_an_error_or_a_warning(path: Path) -> None:
    made = compiled_file(path)
    wrong = [each for each in made.diagnostics if each.severity is not Severity.NOTE]
    assert render(wrong, made.sources) == ""
    assert made.plans


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_program_says_exactly_what_is_marked(path: Path) -> None:
    made = compiled_file(path)
    expected = marks(made)
    assert expected, "a program in `bad` marks what is wrong with it"
    assert told(made, expected) == expected


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_program_reads_as_it_was_read_before(path: Path) -> None:
    made = compiled_file(path)
    shown = render(made.diagnostics, made.sources)
    golden = path.with_suffix(".txt")
    if os.environ.get("REWRITE"):
        golden.write_text(shown, "utf-8", newline="\n")
    assert shown == golden.read_text("utf-8")


COMMENT = re.compile(r"#[^\n]*")


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_a_fix_ends_what_it_is_for_and_keeps_comments(path: Path) -> None:
    made = compiled_file(path)
    for wrong in made.diagnostics:
        if wrong.fix is None or any(edit.source != path.name for edit in wrong.fix.edits):
            continue
        source = made.sources[path.name]
        text = apply(source, [wrong.fix], wrong.fix.applicability)
        again = compiled(text, files_beside(path), name=path.name)
        assert set(COMMENT.findall(source.text)) <= set(COMMENT.findall(text))
        said = [each.code for each in again.diagnostics].count(wrong.code)
        assert said < [each.code for each in made.diagnostics].count(wrong.code), wrong.message


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_formatting_is_done_once_and_changes_no_definition(path: Path) -> None:
    once = formatted(path.read_text("utf-8"))
    assert formatted(once) == once
    before, after = compiled_file(path), compiled(once, files_beside(path))
    assert messages(after) == messages(before)
    assert {name: definition(plan) for name, plan in after.plans.items()} == {
        name: definition(plan) for name, plan in before.plans.items()
    }


@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_formatting_changes_nothing_that_is_said(path: Path) -> None:
    made = compiled_file(path)
    once = formatted(path.read_text("utf-8"))
    assert formatted(once) == once
    after = compiled(once, files_beside(path), name=path.name)
    assert messages(after) == messages(made)


def messages(made: Compilation) -> list[tuple[str, str]]:
    """What is said of a program, wherever it is laid out."""
    return sorted((each.code, each.message) for each in made.diagnostics)
