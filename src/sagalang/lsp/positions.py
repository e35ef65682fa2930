r"""Places as editors count them (lines and code units from 0) and as the compiler does (offsets).

Units are those of UTF-16 unless editor and server agree on another encoding.

>>> text = Text("a.saga", "# 🎈\r\nedition 2026")
>>> text.point(text.offset(Point(1, 8)))
Point(line=1, character=8)
>>> text.offset(Point(0, 4)), text.point(3)
(3, Point(line=0, character=4))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..dsl.source import BYTE_ORDER_MARK, Source

Encoding = Literal["utf-8", "utf-16", "utf-32"]


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A line and a code unit in it, both from 0."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Text:
    """A text as an editor holds it, and the source that the compiler makes of it."""

    name: str
    raw: str
    encoding: Encoding = "utf-16"
    source: Source = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", Source(self.name, self.raw))

    @property
    def line_end(self) -> str:
        """How the lines of the text end; the first end decides."""
        at = min((i for i in map(self.raw.find, "\r\n") if i >= 0), default=-1)
        if at < 0 or self.raw[at] == "\n":
            return "\n"
        return "\r\n" if self.raw[at : at + 2] == "\r\n" else "\r"

    def offset(self, point: Point) -> int:
        """Gives the offset of a point; behind the end of a line or of the text, that end."""
        starts = self.source.line_starts
        if point.line >= len(starts):
            return len(self.source.text)
        start, left = starts[max(point.line, 0)], point.character - self._mark(point.line)
        line = self._line(max(point.line, 0))
        if line.isascii():
            return start + max(0, min(left, len(line)))
        for index, character in enumerate(line):
            if left <= 0:
                return start + index
            left -= self._units(character)
        return start + len(line)

    def point(self, offset: int) -> Point:
        """Gives the point of an offset."""
        position = self.source.position(offset)
        line = position.line - self.source.first_line
        before = self._line(line)[: position.column - 1]
        units = len(before) if before.isascii() else sum(map(self._units, before))
        return Point(line, units + self._mark(line))

    def written(self, text: str) -> str:
        """Gives a text with the line ends of this one."""
        return text if self.line_end == "\n" else text.replace("\n", self.line_end)

    def _line(self, index: int) -> str:
        return self.source.line(index + self.source.first_line)

    def _mark(self, line: int) -> int:
        """A byte order mark is a character to the editor and none to the compiler."""
        marked = line == 0 and self.raw.startswith(BYTE_ORDER_MARK)
        return self._units(BYTE_ORDER_MARK) if marked else 0

    def _units(self, character: str) -> int:
        code = ord(character)
        match self.encoding:
            case "utf-8":
                return 1 + (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)
            case "utf-16":
                return 1 + (code >= 0x10000)
            case "utf-32":
                return 1
