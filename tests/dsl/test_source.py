"""A source: one text whatever the line ends, and offsets that turn into places and back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.source import Position, Source, Span, from_bytes

LINES = st.lists(st.text(st.characters(exclude_characters="\n\r\x1a", codec="utf-8"), max_size=9))


@given(LINES, st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"]]), st.data())
def test_line_ends_marks_and_ctrl_z_give_the_same_source(
    lines: list[str], ends: list[str], data: st.DataObject
) -> None:
    plain = Source("s", "x" + "\n".join(lines))
    mixed = "x" + "".join(
        ("" if i == 0 else data.draw(st.sampled_from(ends))) + line for i, line in enumerate(lines)
    )
    assert Source("s", f"\ufeff{mixed}\x1a") == plain


@given(LINES)
def test_a_position_leads_back_to_its_offset(lines: list[str]) -> None:
    source = Source("s", "\n".join(lines), first_line=7)
    for offset in range(len(source.text) + 1):
        place = source.position(offset)
        assert source.offset(place) == offset
        before = source.text[:offset]
        assert place == Position(before.count("\n") + 7, len(before.rpartition("\n")[2]) + 1)


@given(LINES)
def test_lines_are_the_lines(lines: list[str]) -> None:
    source = Source("s", "\n".join(lines))
    assert [source.line(i + 1) for i in range(len(source.line_starts))] == source.text.split("\n")


def test_offsets_and_positions_outside_the_text_count_as_its_ends() -> None:
    source = Source("s", "ab\ncd")
    assert source.position(99) == Position(2, 3)
    assert source.position(-1) == Position(1, 1)
    assert source.offset(Position(1, 99)) == 2
    assert source.offset(Position(99, 1)) == 3
    assert source.cut(Span("s", 1, 4)) == "b\nc"


def test_a_file_is_decoded() -> None:
    assert from_bytes("s", "\ufeffé\r\n".encode()) == Source("s", "é\n")


@pytest.mark.parametrize(
    ("data", "offset", "says"),
    [
        (b"edition 2026\nsaga \xe9", 18, "not UTF-8"),
        ("saga".encode("utf-16"), 0, "UTF-16"),
        (b"\x7fELF\0\0\xff\xff", 6, "binary"),
        (b"abc\xe2\x82", 3, "not UTF-8"),
        (b"\xed\xa0\x80", 0, "not UTF-8"),
    ],
)
def test_what_is_not_utf8_is_told_with_its_byte(data: bytes, offset: int, says: str) -> None:
    found = from_bytes("s.saga", data)
    assert isinstance(found, Diagnostic)
    assert found.code == "S105"
    assert says in found.message
    assert f"at offset {offset} " in found.message
    assert found.primary.source == "s.saga"
