"""Positions in a cell: the lines that its reader counts, whatever IPython took away."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sagalang.notebooks.cell import UNKNOWN, locate, without_remarks
from sagalang.notebooks.words import split

BODY = "edition 2026\nsaga s() { step a = nope() }\n"
LINES = st.lists(st.text("ab {}#\t", max_size=6), max_size=4)


@pytest.mark.parametrize(
    ("before", "line", "first"),
    [
        ("%%saga\n", "", 2),
        ("\n\n%%saga\n", "", 4),
        ("  \n%%saga --quiet\n", "--quiet", 3),
        ("# remark\n\n%%saga\n", "", 4),
    ],
)
def test_the_first_line_is_the_one_behind_the_magic(before: str, line: str, first: int) -> None:
    cell = locate(before + BODY, line, BODY, 3)
    assert cell.source.first_line == first
    assert cell.source.name == "Cell In[3]"
    assert cell.options == line


def test_the_magics_line_may_go_on() -> None:
    body = "  --no-dag \\\n  --check\n" + BODY
    cell = locate("%%saga --quiet \\\n" + body, "--quiet \\", body, 1)
    assert cell.options == "--quiet --no-dag --check"
    assert cell.source.first_line == 4
    assert cell.source.text.startswith("edition")


def test_windows_line_ends_change_nothing() -> None:
    raw = ("\n%%saga\n" + BODY).replace("\n", "\r\n")
    cell = locate(raw, "", BODY.replace("\n", "\r\n"), 1)
    assert (cell.source.first_line, cell.source.text) == (3, BODY)


def test_columns_are_those_that_were_typed() -> None:
    """IPython takes away the indentation that all lines of a cell share."""
    raw = "\t%%saga\n\tedition 2026\n\tsaga s() { }"
    cell = locate(raw, "", "edition 2026\nsaga s() { }\n", 1)
    assert cell.source.line(3) == "\tsaga s() { }"


@pytest.mark.parametrize("raw", [None, "get_ipython().run_cell_magic('saga', '', text)", ""])
def test_a_text_without_a_cell_is_counted_by_itself(raw: str | None) -> None:
    cell = locate(raw, "", BODY, 3)
    assert (cell.source.name, cell.source.first_line) == (UNKNOWN, 1)


@given(before=st.lists(st.sampled_from(["", "  ", "# x", "\t# y"])), body=LINES)
def test_every_line_of_the_text_is_the_line_of_the_cell(before: list[str], body: list[str]) -> None:
    raw = "\n".join([*before, "%%saga", *body])
    kept = without_remarks(raw.split("\n"))
    assert kept[0] == "%%saga"
    source = locate(raw, "", "\n".join(kept[1:]) + "\n", 1).source
    for number, text in enumerate(raw.split("\n"), start=1):
        if number >= source.first_line and body:
            assert source.line(number) == text


@given(st.lists(st.from_regex(r"#?[a-z ]{0,5}", fullmatch=True)))
def test_cells_of_python_keep_their_remarks(lines: list[str]) -> None:
    blank = next((at for at, text in enumerate(lines) if text.strip()), len(lines))
    assert without_remarks(lines) == lines[blank:]


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.lists(VALUES, max_size=4))
def test_expressions_stay_whole(values: list[object]) -> None:
    words = [f"k{n}={value!r}" for n, value in enumerate(values)]
    assert split("  ".join(words)) == words
