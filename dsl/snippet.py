"""The lines of a source around its marks, with what is drawn under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .cells import shown, width
from .source import Source

MAX_LENGTH = 120
BEFORE = 60


class Mark(NamedTuple):
    """A range of a source to be underlined, and what is said about it."""

    start: int
    end: int
    message: str
    primary: bool


class Row(NamedTuple):
    """A row of a snippet: a line of the source, or an underline with its message."""

    indent: str
    text: str
    primary: bool


def snippet(source: Source, marks: Sequence[Mark]) -> Iterator[tuple[int, list[Row]]]:
    """Yield each line that has a mark: its number, its text, then one row per mark."""
    lines: dict[int, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        lines.setdefault(source.position(mark.start).line, []).append(mark)
    for number, found in sorted(lines.items()):
        yield number, _rows(source, number, found)


def _rows(source: Source, number: int, marks: list[Mark]) -> list[Row]:
    text = source.line(number)
    start = source.line_starts[number - source.first_line]
    first = marks[0].start - start
    left = _left(text, first)
    cells = [shown(character) for character in text[left : left + MAX_LENGTH]]
    lead = "…" if left else ""
    tail = "…" if left + MAX_LENGTH < len(text) else ""
    rows = [Row("", (lead + "".join(cells) + tail).rstrip(), False)]
    for mark in marks:
        at = mark.start - start - left
        # A mark over several lines is drawn to the end of its first one.
        end = min(mark.end, start + len(text)) - start - left
        indent = width(lead + "".join(cells[:at]))
        length = max(1, width("".join(cells[at:end])))
        line = ("^" if mark.primary else "-") * length
        says = f"{line} {mark.message}" if mark.message else line
        rows.append(Row(" " * indent, says, mark.primary))
    return rows


def _left(text: str, first: int) -> int:
    """Return where a line too long to be shown whole is cut, so that the first mark is seen."""
    if len(text) <= MAX_LENGTH or first < MAX_LENGTH - BEFORE:
        return 0
    return max(0, min(first - BEFORE, len(text) - MAX_LENGTH))
