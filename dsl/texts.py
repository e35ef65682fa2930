"""Texts: escapes resolved, `{ }` found, every offset kept."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .diagnostics import Diagnostic, problem, replacement
from .span import Span

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}
_PLAIN = re.compile(r"[^\\{}]+")
_UNICODE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}")

Report = Callable[[Diagnostic], None]


class Piece(NamedTuple):
    """A run of characters (`value`), or the expression between two braces (`value` is None)."""

    span: Span
    value: str | None


def unquote(raw: str, span: Span, report: Report) -> str:
    """Return the value of a text that names a thing: braces in it are ordinary characters."""
    out: list[str] = []
    at = 1
    while at < len(raw) - 1:
        at = _character(raw, at, span, out, report)
    return "".join(out)


def pieces(raw: str, span: Span, report: Report) -> list[Piece]:
    """Cut an interpolated text, quotation marks included, into runs and expressions."""
    found: list[Piece] = []
    out: list[str] = []
    at = run = 1
    end = len(raw) - 1
    while at < end:
        two = raw[at : at + 2]
        if two in ("{{", "}}") and at + 1 < end:
            out.append(two[0])
            at += 2
        elif raw[at] == "{":
            if at > run:
                found.append(Piece(_within(span, run, at), "".join(out)))
            out = []
            closed = _closing(raw, at, end)
            if closed is None:
                report(never_closed(_within(span, at, at + 1)))
                return found
            found.append(Piece(_within(span, at, closed + 1), None))
            at = run = closed + 1
        elif raw[at] == "}":
            report(_stray(_within(span, at, at + 1)))
            at += 1
        else:
            at = _character(raw, at, span, out, report)
    if end > run:
        found.append(Piece(_within(span, run, end), "".join(out)))
    return found


def _character(raw: str, at: int, span: Span, out: list[str], report: Report) -> int:
    plain = _PLAIN.match(raw, at, len(raw) - 1)
    if plain is not None:
        out.append(plain.group())
        return plain.end()
    if raw[at] != "\\":
        out.append(raw[at])
        return at + 1
    simple = _ESCAPES.get(raw[at + 1])
    if simple is not None:
        out.append(simple)
        return at + 2
    code = _UNICODE.match(raw, at)
    if code is None:
        report(_unknown_escape(_within(span, at, at + 2)))
        return at + 2
    number = int(code.group(1), 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        where = _within(span, at, code.end())
        report(problem("S103", f"There is no character U+{number:04X}.", where, "not a character"))
    else:
        out.append(chr(number))
    return code.end()


def _closing(raw: str, at: int, end: int) -> int | None:
    depth = 0
    for i in range(at, end):
        if raw[i] == "{":
            depth += 1
        elif raw[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    return None


def _within(span: Span, start: int, end: int) -> Span:
    return Span(span.source, span.start + start, span.start + end)


def never_closed(span: Span) -> Diagnostic:
    """Report the `{` of a text that no `}` follows."""
    return problem(
        "S106",
        "`{` begins an expression in this text and is never closed.",
        span,
        "opened here",
        helps=[
            "No quotation mark stands between `{` and `}`: name such a value with `let` first.",
            "A brace that is to be shown is written twice: `{{`.",
        ],
    )


def _stray(span: Span) -> Diagnostic:
    return problem(
        "S101",
        "`}` closes nothing in this text.",
        span,
        "no `{` before it",
        helps=["A brace that is to be shown is written twice: `}}`."],
        fix=replacement("ask", span, "}}"),
    )


def _unknown_escape(span: Span) -> Diagnostic:
    return problem(
        "S101",
        "There is no such escape in a text.",
        span,
        "a backslash begins an escape",
        helps=[
            r"These are all: `\"`, `\\`, `\n`, `\t` and `\u{1F600}`; braces are `{{` and `}}`.",
            "To show a backslash, write two.",
        ],
        fix=replacement("ask", Span(span.source, span.start, span.start + 1), "\\\\"),
    )
