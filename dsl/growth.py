"""What is kept while a piece of text becomes nodes: where it stands, and what is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from .diagnostics import Diagnostic, problem
from .docs import clean
from .expressions import DecimalLiteral, Duration, IntLiteral
from .lexer import Token
from .names import not_a_name, reserved_words
from .node import Doc, Name, Node
from .numbers import decimal_value, duration_value, int_value
from .source import Source
from .span import Span

# Whoever walks an expression by recursion needs a few frames of Python's thousand for each level.
MAX_LEVELS = 100


class Word(Node, frozen=True):
    """A word of the language that was chosen among others."""

    text: str


class Quoted(Node, frozen=True):
    """A text as written, its quotation marks included."""

    raw: str


class Growing(Struct):
    """One piece of a text being made into nodes; `base` is its offset in the whole."""

    source: Source
    base: int
    diagnostics: list[Diagnostic] = msgspec.field(default_factory=list[Diagnostic])

    def span(self, start: int, end: int) -> Span:
        """Return a span from offsets in the parsed piece."""
        return Span(self.source.name, self.base + start, self.base + end)

    def report(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic in."""
        self.diagnostics.append(diagnostic)

    def leaf(self, token: Token) -> Node:
        """Make the node of a token."""
        text = str(token)
        span = self.span(token.start, token.start + len(text))
        match token.type:
            case "NAME":
                return Name(span, text)
            case "DOC":
                return Doc(span, clean(text[3:-3]))
            case "TEXT":
                return Quoted(span, text)
            case "INT":
                return IntLiteral(span, int_value(text, span, self.report))
            case "DECIMAL":
                return DecimalLiteral(span, decimal_value(text, span, self.report))
            case "DURATION":
                return Duration(span, duration_value(text, span, self.report))
            case _:
                return Word(span, text)

    def too_deep(self, span: Span) -> None:
        """Report an expression of too many levels, once for a piece."""
        if any(found.code == "S104" for found in self.diagnostics):
            return
        self.report(
            problem(
                "S104",
                f"This expression is nested more than {MAX_LEVELS} deep.",
                span,
                f"it has more than {MAX_LEVELS} levels",
                helps=["Each operator of a long sum or `or` is a level: use a list, or `let`."],
            )
        )


def value_names(made: list[Any]) -> Iterator[Diagnostic]:
    """Report the reserved words among the names of a rule."""
    for part in made:
        if isinstance(part, Name) and part.text in reserved_words():
            yield not_a_name(part)
