"""Characters that stand nowhere in a program (S103), and quotation marks from other languages."""

from __future__ import annotations

import re
import unicodedata

from .diagnostics import Diagnostic, problem, replacement
from .source import Source
from .span import Span

MAX_REPAIRED = 100
_STRAIGHT = dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
_LIKELY = {
    **_STRAIGHT,
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u00d7": "*",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2192": "->",
    "\u2026": "..",
    "\uff08": "(",
    "\uff09": ")",
    "\uff1a": ":",
    "\uff0c": ",",
}
# What can be typed on every keyboard and stands nowhere outside texts and comments.
NOWHERE = frozenset("@$&|^~\\`';!")
_INSTEAD = {
    "@": "Nothing is decorated: a tool says itself how often it is tried: `retry 5 times`.",
    "$": "A value is named without a sign, `order.total`, and so is an amount: `10.00`.",
    "\\": "A line ends anywhere: nothing goes on by a sign.",
    "~": "Values are compared by `==`, `!=`, `<`, `<=`, `>` and `>=`.",
    "^": "There is no such operator: multiply, `x * x`.",
}
_WORD = r"[\w\u200c\u200d]+"


def escaped(character: str) -> str:
    """Return a code point as people look it up: `U+00A0`."""
    return f"U+{ord(character):04X}"


def not_allowed(source: Source, at: int, *, hidden: bool = False) -> Diagnostic:
    """Report the character at an offset; `hidden` ones stand in a text or a comment."""
    character = source.text[at]
    span = Span(source.name, at, at + 1)
    called = unicodedata.name(character, "a control character").lower()
    message = f"The character {escaped(character)} ({called}) is not allowed here."
    if hidden:
        return problem(
            "S103",
            message,
            span,
            "a reader cannot see it",
            helps=[f"In a text, write it as `\\u{{{ord(character):X}}}`; elsewhere take it out."],
        )
    if character in _LIKELY:
        likely = _LIKELY[character]
        return problem(
            "S103", message, span, f"did you mean `{likely}`?", fix=replacement("ask", span, likely)
        )
    if unicodedata.category(character) == "Zs":
        return problem(
            "S103",
            message,
            span,
            "it only looks like a space",
            helps=["Write an ordinary space."],
            fix=replacement("safe", span, " "),
        )
    if character.isalnum() or _is_in_word(source, at):
        return problem(
            "S103",
            message,
            span,
            "names are made of a-z, A-Z, 0-9 and _",
            helps=['Any character may stand in a text: `"..."`.'],
        )
    begins = not source.text[source.text.rfind("\n", 0, at) + 1 : at].strip()
    known = character in _INSTEAD and (begins or character != "@")
    helps = [_INSTEAD[character]] if known else []
    return problem("S103", message, span, "it has no meaning in a program", helps=helps)


def readable(characters: str) -> str | None:
    """Return as many characters that keep the text around parseable, or None."""
    if len(characters) > MAX_REPAIRED or any(each in _STRAIGHT for each in characters):
        return None
    likely = "".join(_LIKELY.get(c, "x" if c.isalnum() else " ") for c in characters)
    return likely if len(likely) == len(characters) else None


def foreign_quotes(source: Source, span: Span) -> Diagnostic:
    """Report `'text'` and `f"text"`, with the edit that mends it."""
    found = source.cut(span)
    if not found.startswith("'"):
        raw = "r" in found.lower()
        helps = ["Every text that is shown is interpolated: `{order.id}` works as it stands."]
        return problem(
            "S101",
            f'A text has no `{found}` in front of its `"`.',
            span,
            "take this away",
            helps=["Write a backslash twice: `\\\\`."] if raw else helps,
            fix=replacement("ask" if raw else "safe", span, ""),
        )
    inner = found[1:-1]
    if '"' in inner:
        inner, how = inner.replace('"', '\\"'), "ask"
    else:
        how = "safe"
    # In an interpolated text a single brace would begin an expression.
    safe = how == "safe" and "{" not in inner and "}" not in inner and "\\" not in inner
    return problem(
        "S101",
        'A text stands between double quotation marks `"`.',
        span,
        f'write `"{inner}"`' if len(inner) < 40 else 'write `"..."`',
        fix=replacement("safe" if safe else "ask", span, f'"{inner}"'),
    )


def curly_quotes(source: Source, span: Span) -> Diagnostic:
    """Report a text between quotation marks that only printed books have."""
    found = source.cut(span)
    right = f'"{found[1:-1]}"'
    return problem(
        "S103",
        f"The characters {escaped(found[0])} and {escaped(found[-1])} are not the quotation marks "
        "of a program.",
        span,
        f"write `{right}`" if len(right) < 40 else 'write `"..."`',
        fix=replacement("ask", span, right),
    )


def _is_in_word(source: Source, at: int) -> bool:
    word = re.compile(_WORD).search(source.text, max(0, at - 1))
    return word is not None and word.start() <= at < word.end()
