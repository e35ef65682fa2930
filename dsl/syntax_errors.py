"""What to say of a place that does not fit the grammar (S101 and its kin)."""

from __future__ import annotations

from lark import UnexpectedInput, UnexpectedToken

from .diagnostics import Diagnostic, problem
from .source import Source
from .span import Span


def explain(source: Source, span: Span, error: UnexpectedInput) -> Diagnostic:
    """Turn an error of the parser on a piece of a source into a diagnostic."""
    at = span.start + (error.pos_in_stream or 0)
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        at = span.end
    return problem("S101", f"unexpected {error}", Span(source.name, at, at + 1))
