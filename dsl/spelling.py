"""Words and numbers that are nearly right: S107, S108, and the word that was meant."""

from __future__ import annotations

import difflib
import re
from decimal import Decimal

from .diagnostics import Diagnostic, problem, replacement
from .expectations import words
from .names import key_words
from .numbers import UNITS
from .place import Place
from .span import Span

_EXPONENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)[eE]([0-9]+)")
_JOINED = re.compile(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z_]+)")
_COMPOUND = re.compile(r"(?:[0-9]+(?:ms|s|m|h|d)){2,}")
_FRACTION = re.compile(r"([0-9]+\.[0-9]+)(ms|s|m|h|d)")
_LONG_UNITS = {
    "ms": ("millis", "msec", "msecs", "milliseconds"),
    "s": ("sec", "secs", "second", "seconds", "S"),
    "m": ("min", "mins", "minute", "minutes", "M"),
    "h": ("hr", "hrs", "hour", "hours", "H"),
    "d": ("day", "days", "D"),
}
MAX_EXPONENT = 18


def number(place: Place) -> Diagnostic | None:
    """Explain a number that is none, or that runs into a word."""
    found = place.found
    if found.kind != "number":
        return _bare_point(place)
    span = place.span(found)
    exponent = _EXPONENT.fullmatch(found.text)
    if exponent is not None:
        return _exponent(span, exponent)
    if _COMPOUND.fullmatch(found.text):
        total = sum(
            int(value) * UNITS[unit]
            for value, unit in re.findall(r"([0-9]+)(ms|s|m|h|d)", found.text)
        )
        return _duration(span, "A duration has one unit.", total)
    fraction = _FRACTION.fullmatch(found.text)
    if fraction is not None:
        total_exact = Decimal(fraction.group(1)) * UNITS[fraction.group(2)]
        if total_exact == int(total_exact):
            return _duration(span, "A duration is a whole number.", int(total_exact))
    joined = _JOINED.fullmatch(found.text)
    if joined is not None:
        return _joined(place, span, joined)
    if re.fullmatch(r"[0-9]+(_[0-9]+)*(\.[0-9]+(_[0-9]+)*)?(ms|s|m|h|d)?", found.text):
        return None
    return problem(
        "S107",
        f"`{found.text}` is not a number.",
        span,
        "not a number",
        helps=["Numbers are written `12`, `1_000`, `12.50`; durations `200ms 10s 5m 24h 3d`."],
    )


def joined_words(place: Place) -> Diagnostic | None:
    """Explain a word that is two: `stepa`, `retry5`."""
    found = place.found
    if found.kind != "word" or not found.text.isascii() or _is_known(place):
        return None
    for begin in sorted(words(place.fitting), key=len, reverse=True):
        rest = found.text.removeprefix(begin)
        # `steps` is a slip of the finger, not two words.
        if rest in (found.text, "", "s") or not rest[0].isalnum():
            continue
        apart = f"{begin} {rest}"
        if place.goes_on(apart):
            return _separate(place.span(found), apart)
    return None


def _is_known(place: Place) -> bool:
    """Tells whether the same word stands before: `order` is a name then, not `or der`."""
    before = place.source.text[place.piece.start : place.found.start]
    return re.search(rf"\b{place.found.text}\b", before) is not None


def likely_word(place: Place) -> Diagnostic | None:
    """Explain a word that is nearly one that fits."""
    found = place.found
    if found.kind != "word":
        return None
    span = place.span(found)
    for likely in difflib.get_close_matches(found.text.lower(), words(place.fitting), 3, 0.7):
        if place.goes_on(likely):
            return problem(
                "S101",
                f"`{found.text}` is not a word of the language here.",
                span,
                f"did you mean `{likely}`?",
                fix=replacement("ask", span, likely),
            )
    return None


def _joined(place: Place, span: Span, joined: re.Match[str]) -> Diagnostic:
    digits, letters = joined.groups()
    unit = next((unit for unit, long in _LONG_UNITS.items() if letters in long), None)
    if letters in key_words() and place.goes_on(f"{digits} {letters}"):
        return _separate(span, f"{digits} {letters}")
    if unit is not None and "." not in digits:
        return _duration(span, f"`{letters}` is not a unit of time.", int(digits) * UNITS[unit])
    return problem(
        "S107",
        f"`{joined.group()}` is neither a number nor a duration.",
        span,
        "not a number",
        helps=["The units of time are `ms`, `s`, `m` (minutes), `h` and `d`."],
    )


def _bare_point(place: Place) -> Diagnostic | None:
    found, after = place.found, place.near(1)
    if found.text != "." or after.kind != "number" or after.start != found.end:
        return None
    return _digits_on_both_sides(place.span(found, after), f"0.{after.text}")


def point_and_word(place: Place) -> Diagnostic | None:
    """`let x = 5.`, after which the next word was read as a field of the number."""
    for i in (0, -1):
        before, point = place.near(i - 2), place.near(i - 1)
        if point.text == "." and before.kind == "number" and before.end == point.start:
            return _digits_on_both_sides(place.span(before, point), f"{before.text}.0")
    return None


def _digits_on_both_sides(span: Span, right: str) -> Diagnostic:
    return problem(
        "S107",
        "A decimal has digits on both sides of its point.",
        span,
        f"write `{right}`",
        fix=replacement("safe", span, right),
    )


def _exponent(span: Span, exponent: re.Match[str]) -> Diagnostic:
    fix = None
    if int(exponent.group(2)[:4]) <= MAX_EXPONENT:
        right = f"{Decimal(exponent.group()):f}"
        fix = replacement("safe" if "." not in right else "ask", span, right)
    return problem(
        "S101",
        "A number is written out, without an exponent.",
        span,
        "no exponents",
        helps=["Digits may be grouped: `1_000_000`."],
        fix=fix,
    )


def _duration(span: Span, message: str, milliseconds: int) -> Diagnostic:
    unit = next(u for u in ("d", "h", "m", "s", "ms") if milliseconds % UNITS[u] == 0)
    right = f"{milliseconds // UNITS[unit]}{unit}"
    return problem(
        "S107",
        message,
        span,
        f"write `{right}`",
        helps=["The units of time are `ms`, `s`, `m` (minutes), `h` and `d`."],
        fix=replacement("safe", span, right),
    )


def _separate(span: Span, apart: str) -> Diagnostic:
    return problem(
        "S108",
        f"Two words must be separated: `{apart}`.",
        span,
        "one word, as it is written",
        fix=replacement("safe", span, apart),
    )
