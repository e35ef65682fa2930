"""Diagnostics as data: what is wrong, every position that explains it, and the way out.

`problem(...)` makes one from spans; `in_order` sorts; `render_terminal` and `render_json` show.

>>> problem("N201", "There is no tool `chrge`.", Span("a.saga", 4, 9), "not known").severity
<Severity.ERROR: 'error'>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from .span import Span


class Severity(StrEnum):
    """How much a diagnostic matters; only an error stops compilation."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    HINT = "hint"


class Label(Struct, frozen=True):
    """A range of a source with what is to be said about it; offsets are half-open, from 0."""

    source: str
    start: int
    end: int
    message: str = ""
    primary: bool = False

    @property
    def span(self) -> Span:
        """The range as a span."""
        return Span(self.source, self.start, self.end)


class Edit(Struct, frozen=True):
    """A range of a source and the text that replaces it."""

    source: str
    start: int
    end: int
    text: str


Applicability = Literal["safe", "ask", "show"]


class Fix(Struct, frozen=True):
    """The smallest edit that mends it: `safe` keeps the meaning, `ask` may not, `show` is a model.

    The edits of one fix do not overlap and are made together or not at all.
    """

    applicability: Applicability
    edits: tuple[Edit, ...]


class Diagnostic(Struct, frozen=True):
    """One finding: a stable code, a sentence, labels (one of them primary), advice, a fix."""

    code: str
    severity: Severity
    message: str
    labels: tuple[Label, ...]
    helps: tuple[str, ...] = ()
    fix: Fix | None = None

    @property
    def primary(self) -> Label:
        """The label that says where; the first one when none is marked."""
        return next((label for label in self.labels if label.primary), self.labels[0])


def problem(
    code: str,
    message: str,
    at: Span,
    says: str = "",
    *,
    severity: Severity = Severity.ERROR,
    also: Sequence[tuple[Span, str]] = (),
    helps: Sequence[str] = (),
    fix: Fix | None = None,
) -> Diagnostic:
    """Make a diagnostic from spans: `at` is the primary position, `also` the others."""
    labels = [Label(at.source, at.start, at.end, says, primary=True)]
    labels += [Label(span.source, span.start, span.end, text) for span, text in also]
    return Diagnostic(code, severity, message, tuple(labels), tuple(helps), fix)


def replacement(applicability: Applicability, span: Span, text: str) -> Fix:
    """Make a fix that puts `text` in the place of `span`; an empty span inserts."""
    return Fix(applicability, (Edit(span.source, span.start, span.end, text),))


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by source, position, code and message, and drop exact repetitions."""
    kept = dict.fromkeys(diagnostics)
    return tuple(sorted(kept, key=_place))


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether any of them is an error."""
    return any(each.severity is Severity.ERROR for each in diagnostics)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
    at = diagnostic.primary
    return (at.source, at.start, at.end, diagnostic.code, diagnostic.message)
