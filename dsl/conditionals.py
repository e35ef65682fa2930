"""Conditional values as other languages write them, and what they give for a value that is none."""

from __future__ import annotations

from .diagnostics import Diagnostic, problem, replacement
from .place import Place

_ENDS_VALUE = frozenset({"word", "number", "text"})
_CLOSERS = frozenset(")]")
_DELIMITERS = frozenset(
    {"=", "(", "[", ",", ":", "{", "return", "gives", "else", "when", "requires"}
)


def conditional(place: Place) -> Diagnostic | None:
    """`1 if c else 2`."""
    if place.found.text == "if":
        at = 0
    elif place.found.text == "else" and "LBRACE" in place.fitting:
        at = next((i for i in range(-1, -60, -1) if place.near(i).text == "if"), 0)
    else:
        return None
    if_, before = place.near(at), place.near(at - 1)
    other = next((i for i in range(at + 1, at + 60) if place.near(i).text == "else"), None)
    ends_value = before.kind in _ENDS_VALUE or before.text in _CLOSERS
    if not ends_value or other is None or not place.same_line(place.near(other)):
        return None
    first = back(place, at)
    last = forth(place, other)
    text = place.source.text
    value = text[place.near(first).start : before.end]
    condition = text[if_.end : place.near(other).start].strip()
    otherwise = text[place.near(other).end : place.near(last).end].strip()
    right = f"if {condition} then {value} else {otherwise}"
    return problem(
        "S101",
        "A conditional value begins with its condition.",
        place.span(if_),
        "write `if condition then value else other`",
        fix=replacement("ask", place.span(place.near(first), place.near(last)), right),
    )


def back(place: Place, at: int) -> int:
    """Return the lexeme at which the value before `if` begins."""
    depth = 0
    i = at - 1
    while i > at - 60:
        before = place.near(i - 1).text
        depth += (place.near(i).text in (")", "]")) - (place.near(i).text in ("(", "["))
        if depth == 0 and (before in _DELIMITERS or not before):
            return i
        i -= 1
    return at - 1


def forth(place: Place, other: int) -> int:
    """Return the lexeme at which the value after `else` ends."""
    depth = 0
    i = other + 1
    while i < other + 60:
        following = place.near(i + 1)
        depth += (place.near(i).text in ("(", "[")) - (place.near(i).text in (")", "]"))
        done = following.text in (")", "]", "}", ",") or not place.same_line(following)
        if depth == 0 and (done or not following.text):
            return i
        i += 1
    return other + 1


def ternary(place: Place) -> Diagnostic | None:
    """`c ? a : b`."""
    if place.found.text != "?" or place.near(1).text in ("?", "."):
        return None
    colon = next((i for i in range(1, 60) if place.near(i).text == ":"), None)
    if colon is None or not place.same_line(place.near(colon)):
        return None
    first, last = place.near(back(place, 0)), place.near(forth(place, colon))
    text = place.source.text
    condition = text[first.start : place.near(-1).end]
    value = text[place.found.end : place.near(colon).start].strip()
    otherwise = text[place.near(colon).end : last.end].strip()
    right = f"if {condition} then {value} else {otherwise}"
    return problem(
        "S101",
        "A conditional value is written in words.",
        place.span(place.found),
        "write `if condition then value else other`",
        fix=replacement("ask", place.span(first, last), right),
    )


def for_none(place: Place) -> Diagnostic | None:
    """`a ?? b` and `a?.b`."""
    if place.found.text != "?" or place.near(1).start != place.found.end:
        return None
    following = place.near(1).text
    if following not in ("?", "."):
        return None
    start = -1
    while place.near(start - 1).text == "." and place.near(start - 2).kind == "word":
        start -= 2
    first = place.near(start)
    value = place.source.text[first.start : place.near(-1).end]
    span = place.span(place.found, place.near(1))
    if following == ".":
        return problem(
            "S101",
            "What may be none is checked before a field of it is read.",
            span,
            f"`{value}` may be none here",
            helps=[
                f"Check it first: `when {value} != none`, or `requires {value} != none` before.",
            ],
        )
    last = place.near(forth(place, 1))
    other = place.source.text[place.near(1).end : last.end].strip()
    return problem(
        "S101",
        "What stands for none is given by `default`.",
        span,
        f"write `default({value}, ...)`",
        fix=replacement("ask", place.span(first, last), f"default({value}, {other})"),
    )
