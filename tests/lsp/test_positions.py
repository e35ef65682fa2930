"""Editors count lines and code units of what they show; the compiler counts characters."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sagalang.lsp.positions import Encoding, Point, Text

ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
MARKS = ["a", "é", "€", "🎈", "👩‍🚒", " ", "\n", "\r\n", "\r", "\u2028", "\x0b"]
PIECES = st.lists(st.sampled_from(MARKS), max_size=20)


def units(text: str, encoding: Encoding) -> int:
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    name = "utf-8" if encoding == "utf-8" else f"{encoding}-le"
    return len(text.encode(name)) // width


@given(PIECES.map("".join), st.sampled_from(ENCODINGS), st.booleans())
def test_every_offset_comes_back(raw: str, encoding: Encoding, marked: bool) -> None:
    text = Text("a.saga", "\ufeff" + raw if marked else raw, encoding)
    for offset in range(len(text.source.text) + 1):
        assert text.offset(text.point(offset)) == offset


@given(PIECES.map("".join), st.sampled_from(ENCODINGS))
def test_points_are_counted_as_the_protocol_says(raw: str, encoding: Encoding) -> None:
    """Lines end with `\\n`, `\\r\\n` and `\\r`, and with nothing else."""
    text = Text("a.saga", raw, encoding)
    lines = raw.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines):
        start = sum(len(each) + 1 for each in lines[:number])
        for column in range(len(line) + 1):
            expected = Point(number, units(line[:column], encoding))
            assert text.point(start + column) == expected


@given(PIECES.map("".join), st.integers(-2, 30), st.integers(-2, 30))
def test_any_point_is_somewhere_in_the_text(raw: str, line: int, character: int) -> None:
    text = Text("a.saga", raw)
    assert 0 <= text.offset(Point(line, character)) <= len(text.source.text)


def test_the_middle_of_a_character_counts_as_behind_it() -> None:
    text = Text("a.saga", "🎈x")
    assert text.offset(Point(0, 1)) == text.offset(Point(0, 2)) == 1


@pytest.mark.parametrize(
    ("raw", "end"), [("a\r\nb\nc", "\r\n"), ("a\nb\r\n", "\n"), ("a\rb", "\r"), ("a", "\n")]
)
def test_what_is_inserted_has_the_line_ends_of_the_text(raw: str, end: str) -> None:
    assert Text("a.saga", raw).written("1\n2") == f"1{end}2"
