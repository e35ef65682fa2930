"""Methods of other languages: which function, operator or comprehension says the same here."""

from __future__ import annotations

from .diagnostics import Diagnostic, problem, replacement
from .place import Place

_FUNCTION_NAMES = """
len sum min max round abs str int decimal float lower upper trim split join keys values any all
default unique sorted range chunks started_at
"""
FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_RENAMED = {
    "strip": "trim",
    "size": "len",
    "length": "len",
    "count": "len",
    "sort": "sorted",
    "toLowerCase": "lower",
    "toUpperCase": "upper",
    "toString": "str",
    "tostring": "str",
    "distinct": "unique",
}
# What is said of a method that no function stands for; `{}` is the value it is called on.
_INSTEAD = {
    "map": "A list is made of another like this: `[x.id for x in {}]`.",
    "filter": 'A list is made of another like this: `[x for x in {} if x.id != ""]`.',
    "forEach": "Steps for each item stand in `each NAME = x in {} {{ ... }}`.",
    "reduce": "One value of a list: `sum([x.n for x in {}])`; also `min`, `max`, `any`, `all`.",
    "find": 'The first that fits: `[x for x in {} if x.id == "a"][0]`, which may be none.',
    "some": "Write `any([x.done for x in {}])`.",
    "every": "Write `all([x.done for x in {}])`.",
    "includes": "Write `... in {}`.",
    "contains": "Write `... in {}`.",
    "has": "Write `... in {}`.",
    "get": 'Write `{}["key"]`, which may be none: `default({}["key"], ...)`.',
    "items": "Write `[... for k in keys({})]`; the value of a key is `{}[k]`.",
    "entries": "Write `[... for k in keys({})]`; the value of a key is `{}[k]`.",
    "append": "A value never changes: `let more = {} + [x]` names a new list.",
    "push": "A value never changes: `let more = {} + [x]` names a new list.",
    "concat": "Lists and texts are put together by `+`.",
    "extend": "Lists are put together by `+`.",
    "format": 'Values stand in the text itself: `"order {{order.id}}"`.',
}


def method(place: Place) -> Diagnostic | None:
    """`x.lower()`."""
    name, dot = place.near(-1), place.near(-2)
    if place.found.text != "(" or name.kind != "word" or dot.text != ".":
        return None
    first = -3
    while place.near(first).kind == "word" and place.near(first - 1).text == ".":
        first -= 2
    function = _RENAMED.get(name.text, name.text)
    receiver = place.source.text[place.near(first).start : dot.start]
    plain = place.near(first).kind in ("word", "text")
    if function not in FUNCTIONS or not plain:
        instead = _INSTEAD.get(name.text)
        helps = (
            [instead.format(receiver if plain else "xs")]
            if instead is not None
            else [f"These are all functions: {', '.join(sorted(FUNCTIONS))}."]
        )
        message = f"A value has no methods: `.{name.text}(...)` cannot be called."
        return problem("S101", message, place.span(name), "not a field", helps=helps)
    comma = "" if place.near(1).text == ")" else ", "
    span = place.span(place.near(first), place.found)
    return problem(
        "S101",
        f"`{function}` is a function, not a method.",
        place.span(name),
        f"write `{function}({receiver}{comma}...)`" if comma else f"write `{function}({receiver})`",
        fix=replacement("ask" if comma else "safe", span, f"{function}({receiver}{comma}"),
    )
