"""Types as other languages write them: `List<T>`, `T[]`, `dict[str, T]`, `a?: T`, `"a" | "b"`."""

from __future__ import annotations

from collections.abc import Sequence

from .diagnostics import Diagnostic, problem, replacement
from .place import Lexeme, Place
from .span import Span

_LISTS = frozenset(
    ["list", "array", "sequence", "set", "iterable", "collection", "vec", "slice", "tuple"]
)
_MAPS = frozenset(["dict", "map", "record", "hashmap", "mapping", "dictionary"])
_OPTIONALS = frozenset(("optional", "maybe", "option"))
_TYPE_BEGINS = frozenset(("LIST", "MAP", "SECRET", "NAME"))
_TAKING = "These take a type: `list[T]`, `map[T]` (keys are texts), `secret[T]`, and `T?`."


def generic_type(place: Place) -> Diagnostic | None:
    """`Optional[T]`, `List<T>`, `dict[str, T]`, `T[]`."""
    name, found = place.near(-1), place.found
    if found.text not in ("[", "<") or "QMARK" not in place.fitting or name.kind != "word":
        return None
    inner, close = _arguments(place)
    if close is not None and not inner and found.text == "[":
        right = f"list[{name.text}]"
        message = f"A list of `{name.text}` is written `{right}`."
    else:
        right = _meant(name.text.lower(), inner)
        message = (
            f"There is no type `{name.text}{found.text}...{']' if found.text == '[' else '>'}`."
        )
    return problem(
        "S101",
        message,
        place.span(name) if close is None else place.span(name, close),
        f"write `{right}`" if right else "this type takes no other",
        helps=[_TAKING],
        fix=replacement("ask", place.span(name, close), right)
        if close is not None and right and "T" not in right
        else None,
    )


def _arguments(place: Place) -> tuple[Sequence[str], Lexeme | None]:
    """Gives the names between the brackets, and the closing one when nothing else stands there."""
    closing = "]" if place.found.text == "[" else ">"
    names: list[str] = []
    for i in range(1, 8):
        lexeme = place.near(i)
        if lexeme.text == closing:
            return names, lexeme
        if lexeme.kind == "word":
            names.append(lexeme.text)
        elif lexeme.text != ",":
            break
    return (), None


def _meant(word: str, inner: Sequence[str]) -> str:
    last = inner[-1] if inner else "T"
    if word in _LISTS:
        return f"list[{last}]"
    if word in _MAPS:
        return f"map[{last}]"
    return f"{last}?" if word in _OPTIONALS else ""


def optional_field(place: Place) -> Diagnostic | None:
    """`note?: str`."""
    name, colon, given = place.near(-1), place.near(1), place.near(2)
    if place.found.text != "?" or "COLON" not in place.fitting or colon.text != ":":
        return None
    whole = given.kind == "word" and place.near(3).text not in ("[", "<", "?")
    return problem(
        "S101",
        "What may be none is marked behind its type.",
        place.span(place.found),
        f"write `{name.text}: {given.text}?`" if whole else f"write `{name.text}: T?`",
        fix=replacement("safe", place.span(place.found, given), f": {given.text}?")
        if whole
        else None,
    )


def texts_as_type(place: Place) -> Diagnostic | None:
    """`"fast" | "slow"` as a type."""
    if place.found.kind != "text" or not place.fitting >= _TYPE_BEGINS or "TEXT" in place.fitting:
        return None
    last = 0
    while place.near(last + 1).text == "|" and place.near(last + 2).kind == "text":
        last += 2
    members = [place.near(i).text[1:-1] for i in range(0, last + 1, 2)]
    named = all(member.isidentifier() for member in members)
    return problem(
        "S101",
        "A choice among texts is an enum.",
        place.span(place.found, place.near(last)),
        "not a type",
        helps=[f"Write `enum NAME {{ {', '.join(members) if named else 'a, b'} }}`."],
    )


def union(place: Place) -> Diagnostic | None:
    """`str | None`."""
    if place.found.text != "|" or "QMARK" not in place.fitting:
        return None
    none = place.near(1)
    span = Span(place.source.name, place.near(-1).end, none.end)
    return problem(
        "S101",
        "A type that may be `none` ends with `?`; there are no other unions.",
        place.span(place.found),
        f"write `{place.near(-1).text}?`",
        fix=replacement("safe", span, "?")
        if none.text in ("None", "none", "null", "undefined")
        else None,
    )
