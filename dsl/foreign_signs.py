"""Signs that other languages write and this one does not: `===`, `:=`, `=>`, `**x`, `retry: 5`."""

from __future__ import annotations

from .diagnostics import Diagnostic, problem, replacement
from .place import Place
from .span import Span

# Behind these stands a name, so that what follows `=` is not what they say.
_NAMED = """
step let saga tool agent record enum each first repeat gate wait scope checkpoint mock
"""
_NAMING = frozenset(_NAMED.split())
_OPERANDS = frozenset({"NAME", "TEXT", "INT", "LPAR"})
_BETWEEN = frozenset(("if", "else", "is", "for", "in", "and", "or", "not", "when"))
_MARKS = frozenset(("await", "new", "async", "yield", "try", "go", "do"))


def triple_equals(place: Place) -> Diagnostic | None:
    """`a === b`, `a !== b`."""
    before = place.near(-1)
    if place.found.text != "=" or before.text not in ("==", "!="):
        return None
    if before.end != place.found.start:
        return None
    return problem(
        "S101",
        f"`{before.text}=` is written `{before.text}`.",
        place.span(before, place.found),
        "one `=` too many",
        fix=replacement("safe", place.span(place.found), ""),
    )


def walrus(place: Place) -> Diagnostic | None:
    """`total := 1` and `total: int = 1` as statements."""
    name, colon = place.found, place.near(1)
    if name.kind != "word" or colon.text != ":" or not {"STEP", "LET"} <= place.fitting:
        return None
    equals = next((i for i in range(2, 8) if place.near(i).text == "="), None)
    if equals is None or not place.same_line(place.near(equals)):
        return None
    span = place.span(name, place.near(equals))
    return problem(
        "S101",
        "A value is named by `let`, and has the type that it has.",
        span,
        f"write `let {name.text} = ...`",
        fix=replacement("ask", span, f"let {name.text} ="),
    )


def unnamed_function(place: Place) -> Diagnostic | None:
    """`lambda x: ...` and `x => ...`."""
    found, before = place.found, place.near(-1)
    arrow = found.text == "=" and place.near(1).text == ">" and "ARROW" not in place.fitting
    if not arrow and before.text != "lambda":
        return None
    span = place.span(found, place.near(1)) if arrow else place.span(before)
    return problem(
        "S101",
        "There are no functions inside a program.",
        span,
        "a function without a name",
        helps=["A list is made of another like this: `[x.total for x in xs if x.total > 0.00]`."],
    )


def spread(place: Place) -> Diagnostic | None:
    """`f(**values)`, `[...items, 1]`."""
    found, before = place.found, place.near(-1)
    if found.text not in ("**", "*", "..") or before.text not in ("(", "[", "{", ","):
        return None
    if not place.fitting & _OPERANDS:
        return None
    inside = place.enclosing()
    dots = found.text == ".." and place.near(1).text == "."
    span = place.span(found, place.near(1)) if dots else place.span(found)
    if inside is not None and inside.text == "[":
        helps = ["Lists are put together by `+`: `items + [x]`."]
    elif inside is not None and inside.text == "{":
        helps = ["A record is made of its fields: `Item(sku: item.sku, qty: 2)`."]
    else:
        helps = ["Give each argument by itself: `charge(order.id, amount: order.total)`."]
    return problem("S101", "Nothing is spread out.", span, "no meaning here", helps=helps)


def sign_behind_word(place: Place) -> Diagnostic | None:
    """`retry: 5 times`, `effect = none`."""
    sign, word = place.found, place.near(-1)
    keyword = place.keyword
    if sign.text not in ("=", ":") or keyword is None or word.text != str(keyword):
        return None
    if "LBRACE" in place.fitting or (sign.text == "=" and word.text in _NAMING):
        return None
    if word.start != place.piece.start + keyword.start or not place.goes_on(" "):
        return None
    end = place.near(1).start if sign.start > word.end else sign.end
    return problem(
        "S101",
        f"No `{sign.text}` stands between `{word.text}` and what it says.",
        place.span(sign),
        "take this away",
        fix=replacement("safe", Span(place.source.name, sign.start, end), ""),
    )


def marked_call(place: Place) -> Diagnostic | None:
    """`step a = await charge(...)`, `step a = new Charge(...)`."""
    mark = place.near(-1)
    if mark.text not in _MARKS or place.found.kind != "word" or "LPAR" not in place.fitting:
        return None
    waits = mark.text in ("await", "async", "yield")
    return problem(
        "S101",
        "A step is waited for where its value is used: nothing marks that."
        if waits
        else f"Nothing is written before a call: `{mark.text}` says nothing here.",
        place.span(mark),
        "take this away",
        fix=replacement("safe", Span(place.source.name, mark.start, place.found.start), ""),
    )


def backtick(place: Place) -> Diagnostic | None:
    """A text between backticks."""
    if place.found.text != "`":
        return None
    start = place.found.start
    end = place.source.text.find("`", start + 1)
    inner = place.source.text[start + 1 : end]
    if end < 0 or "\n" in inner or '"' in inner:
        return None
    right = f'"{inner.replace("${", "{")}"'
    return problem(
        "S101",
        'A text stands between double quotation marks `"`.',
        Span(place.source.name, start, end + 1),
        f"write `{right}`" if len(right) < 40 else 'write `"..."`',
        fix=replacement("ask", Span(place.source.name, start, end + 1), right),
    )


def comma_for_else(place: Place) -> Diagnostic | None:
    """`requires E, "text"`."""
    keyword = place.keyword
    if keyword is None or str(keyword) not in ("requires", "ensures"):
        return None
    if place.found.text != "," or place.near(1).kind != "text" or "_ELSE" not in place.fitting:
        return None
    return problem(
        "S101",
        "What is said when it does not hold follows `else`.",
        place.span(place.found),
        "write `else`",
        fix=replacement("ask", place.span(place.found), " else"),
    )


def missing_comma(place: Place) -> Diagnostic | None:
    """`f(a b)`."""
    found, before, inside = place.found, place.near(-1), place.enclosing()
    if before.text == "lambda" or before.text in _MARKS or found.text in _BETWEEN:
        return None
    if "COMMA" not in place.fitting or inside is None or inside.text == "{":
        return None
    if found.kind not in ("word", "number", "text") or not place.same_line(before):
        return None
    if before.end == found.start or not place.goes_on(f", {found.text}"):
        return None
    gap = Span(place.source.name, before.end, before.end)
    return problem(
        "S101",
        f"A comma is missing between `{_short(before.text)}` and `{_short(found.text)}`.",
        gap,
        "expected `,`",
        fix=replacement("ask", gap, ","),
    )


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:27] + "..."


FOREIGN_SIGNS = (
    triple_equals,
    unnamed_function,
    spread,
    sign_behind_word,
    marked_call,
    backtick,
    comma_for_else,
)
