"""The place of a syntax error: what was found, what would have fitted, what stands around."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import Struct

from .lexer import Token
from .source import Source
from .span import Span
from .stopped import Stopped

_LEXEME = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)
    | (?P<doc>\"""[\s\S]*?\""")
    | (?P<text>"[^"\\\n]*(?:\\.[^"\\\n]*)*")
    | (?P<number>[0-9]\w*(?:\.[0-9]\w*)*)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>->|\.\.|//|==|!=|<=|>=|&&|\|\||\*\*|.)""",
    re.VERBOSE,
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_END = ""
# How much of the text behind a place is looked at.
AHEAD = 2000


class Lexeme(NamedTuple):
    """A piece of text as a reader sees it."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


class Place(Struct, frozen=True):
    """Where parsing stopped: `fitting` are the terminals that would have done."""

    source: Source
    piece: Span
    at: int
    stopped: Stopped
    fitting: frozenset[str]
    keyword: Token | None
    lexemes: tuple[Lexeme, ...]
    index: int

    @property
    def found(self) -> Lexeme:
        """The lexeme that does not fit; the last one, empty, at the end of the piece."""
        return self.lexemes[self.index]

    def near(self, distance: int) -> Lexeme:
        """Return the lexeme so many before or after the one that does not fit."""
        index = self.index + distance
        if 0 <= index < len(self.lexemes):
            return self.lexemes[index]
        return Lexeme("end", _END, self.piece.start if index < 0 else self.piece.end)

    def texts(self, count: int) -> tuple[str, ...]:
        """Return the texts of so many lexemes from the one that does not fit."""
        return tuple(self.near(i).text for i in range(count))

    def span(self, first: Lexeme, last: Lexeme | None = None) -> Span:
        """Return the span from one lexeme to another."""
        return Span(self.source.name, first.start, (last or first).end)

    def gap(self) -> Span:
        """Return the empty span in front of the lexeme that does not fit."""
        return Span(self.source.name, self.found.start, self.found.start)

    def enclosing(self) -> Lexeme | None:
        """Return the innermost bracket that is open here."""
        depth = 0
        for lexeme in reversed(self.lexemes[: self.index]):
            if lexeme.text in (")", "]", "}"):
                depth += 1
            elif lexeme.text in _OPEN:
                if depth == 0:
                    return lexeme
                depth -= 1
        return None

    def goes_on(self, instead: str) -> bool:
        """Return whether parsing gets past the lexeme that does not fit if it reads `instead`."""
        behind = self.source.text[self.found.end : min(self.piece.end, self.found.end + AHEAD)]
        return self.stopped.goes_on(instead + behind, len(instead))

    def takes_before(self, missing: str) -> bool:
        """Return whether the lexeme that does not fit does so behind something missing."""
        behind = self.source.text[self.found.start : min(self.piece.end, self.found.end + AHEAD)]
        return self.stopped.goes_on(f"{missing} {behind}", len(missing))

    def same_line(self, lexeme: Lexeme) -> bool:
        """Return whether a lexeme stands on the line of the one that does not fit."""
        place = self.source.position
        return place(lexeme.start).line == place(self.found.start).line


def place_of(source: Source, piece: Span, at: int, stopped: Stopped) -> Place:
    """Look at the place where parsing a piece of a source stopped."""
    lexemes = _lexemes(source.text, piece.start, min(piece.end, at + AHEAD))
    index = next((i for i, each in enumerate(lexemes) if each.end > at), len(lexemes) - 1)
    return Place(source, piece, at, stopped, stopped.fitting(), stopped.keyword(), lexemes, index)


def _lexemes(text: str, start: int, end: int) -> tuple[Lexeme, ...]:
    found = [
        Lexeme(match.lastgroup or "", match.group(), match.start())
        for match in _LEXEME.finditer(text, start, end)
        if match.lastgroup != "blank"
    ]
    return (*found, Lexeme("end", _END, end))
