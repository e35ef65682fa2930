"""Numbers and durations as values (S107)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from .diagnostics import Diagnostic, problem
from .span import Span

MAX_DIGITS = 1000
UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
# A hundred years: longer than anybody waits, short enough for every clock and database.
MAX_DURATION = 36_525 * UNITS["d"]

Report = Callable[[Diagnostic], None]


def int_value(text: str, span: Span, report: Report) -> int:
    """Return the value of an int literal; 0 for one that is too long, which is reported."""
    return int(_digits(text, span, report))


def decimal_value(text: str, span: Span, report: Report) -> Decimal:
    """Return the exact value of a decimal literal, trailing zeros kept."""
    return Decimal(_digits(text, span, report))


def duration_value(text: str, span: Span, report: Report) -> int:
    """Return the milliseconds of a duration literal."""
    unit = re.sub(r"[0-9_]", "", text)
    value = int(_digits(text.removesuffix(unit), span, report)) * UNITS[unit]
    if value <= MAX_DURATION:
        return value
    report(
        problem(
            "S107",
            "This duration is longer than a hundred years.",
            span,
            f"at most {MAX_DURATION // UNITS['d']}d",
        )
    )
    return MAX_DURATION


def _digits(text: str, span: Span, report: Report) -> str:
    if len(text) <= MAX_DIGITS:
        return text.replace("_", "")
    report(
        problem(
            "S107",
            f"This number has {len(text)} digits; {MAX_DIGITS} are allowed.",
            span,
            "too long",
        )
    )
    return "0"
