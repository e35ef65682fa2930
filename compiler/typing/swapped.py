"""Two arguments that stand in each other's place: told as one mistake, with the order that fits."""

from __future__ import annotations

from collections.abc import Sequence

from ...dsl.diagnostics import Diagnostic, Edit, Fix
from ...dsl.nodes import Argument, Expr
from ...dsl.span import Span
from ...runtime.formula import Type
from .mismatch import T301
from .types import shown


def wrong(found: Sequence[Diagnostic], arguments: Sequence[Argument]) -> tuple[int, int] | None:
    """Gives the places of the two arguments without names that do not fit, when there are two."""
    spans = {each.primary.span for each in found if each.code == T301.code}
    places = [i for i, argument in enumerate(arguments) if argument.value.span in spans]
    if len(places) != 2 or any(arguments[i].name is not None for i in places):
        return None
    return places[0], places[1]


def swapped(
    word: str,
    one: tuple[Expr, Type, Span],
    other: tuple[Expr, Type, Span],
    texts: tuple[str, str],
) -> Diagnostic:
    """Makes T301 for two arguments, each with the type wanted in its place and who declares it."""
    (first, wanted, declared), (second, also_wanted, also_declared) = one, other
    at, then = first.span, second.span
    edits = (Edit(at.source, at.start, at.end, texts[1]),
             Edit(then.source, then.start, then.end, texts[0]))  # fmt: skip
    return T301(
        f"Two arguments of {word} stand in each other's place: {shown(wanted)} comes first, "
        f"then {shown(also_wanted)}.",
        at,
        shown(also_wanted),
        also=[
            (then, shown(wanted)),
            (declared, "wanted first"),
            (also_declared, "wanted then"),
        ],
        helps=["Swap them."],
        fix=Fix("ask", edits),
    )
