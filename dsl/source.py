"""The text of one file or cell, normalised once, and the only place where offsets become lines.

>>> source = Source("shop.saga", "edition 2026\\r\\n")
>>> source.position(8)
Position(line=1, column=9)
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from msgspec import Struct
from msgspec.structs import force_setattr

from .diagnostics import Diagnostic, problem
from .span import Span

__all__ = ["Position", "Source", "Span", "from_bytes"]

BYTE_ORDER_MARK = "\ufeff"
END_OF_FILE = "\x1a"


class Position(Struct, frozen=True, order=True):
    """A place as people count it: line and column from 1, columns in code points."""

    line: int
    column: int


class Source(Struct, frozen=True, dict=True):
    """A named text; LF, CRLF, CR and a byte order mark all give the same text and offsets.

    `name` is what messages show (a relative path, `Cell In[3]`). `first_line` is the number of the
    first line as its reader counts it: a notebook cell counts the line of the magic too.
    """

    name: str
    text: str
    first_line: int = 1

    def __post_init__(self) -> None:
        text = self.text.removeprefix(BYTE_ORDER_MARK)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        # Ctrl-Z ends a text file for some Windows and CP/M tools, which still write it.
        force_setattr(self, "text", text.removesuffix(END_OF_FILE))

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offsets at which lines begin."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return tuple(starts)

    def position(self, offset: int) -> Position:
        """Return line and column of an offset; offsets outside the text count as its ends."""
        offset = max(0, min(offset, len(self.text)))
        index = bisect_right(self.line_starts, offset) - 1
        return Position(index + self.first_line, offset - self.line_starts[index] + 1)

    def offset(self, position: Position) -> int:
        """Return the offset of a position; columns behind the end of a line count as its end."""
        index = max(0, min(position.line - self.first_line, len(self.line_starts) - 1))
        start = self.line_starts[index]
        return max(start, min(start + position.column - 1, start + len(self._line(index))))

    def line(self, number: int) -> str:
        """Return a line by its number, without its end."""
        return self._line(number - self.first_line)

    def cut(self, span: Span) -> str:
        """Return the text that a span covers."""
        return self.text[span.start : span.end]

    def _line(self, index: int) -> str:
        start = self.line_starts[index]
        last = index + 1 == len(self.line_starts)
        end = len(self.text) if last else self.line_starts[index + 1] - 1
        return self.text[start:end]


def from_bytes(name: str, data: bytes) -> Source | Diagnostic:
    """Decode a file; what is not UTF-8 comes back as S105 with the offset of the byte, from 0."""
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _not_utf8(name, data, error.start)


def _not_utf8(name: str, data: bytes, at: int) -> Diagnostic:
    wide = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}.get(data[:2])
    line = data.count(b"\n", 0, at) + 1
    if wide is None and b"\0" in data[:4096]:
        says, help_ = "This is a binary file", "Is this the file you meant?"
    elif wide is not None:
        says, help_ = f"This file is {wide}", "Save it as UTF-8; every editor can."
    else:
        says, help_ = "This file is not UTF-8", "It may be Latin-1: save it as UTF-8."
    message = f"{says}: byte 0x{data[at]:02X} at offset {at} (line {line}) is not UTF-8."
    return problem("S105", message, Span(name, 0, 0), helps=[help_])
