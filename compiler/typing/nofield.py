"""What is told of a field that a value does not have: the near miss, or what was meant instead."""

from __future__ import annotations

from collections.abc import Iterable

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import Name
from ...dsl.span import Span
from ...runtime.formula import Type
from ..codes import declare
from ..names.catalogue import Declared, near, spelled
from .types import shown

T304 = declare("T304", "error", "no such field")


def unknown_field(
    name: Name, fields: Iterable[str], of: str, declared: Declared | None = None
) -> Diagnostic:
    """Makes T304 for a field that is not among those of a record, an enum or a call."""
    known = list(fields)
    guess = near(name.text, known)
    listed = ", ".join(f"`{field}`" for field in known)
    return T304(
        f"There is no field {spelled(name)} in {of}.",
        name.span,
        "no such field",
        also=[(declared.node.name.span, "declared here")] if declared else (),
        helps=[f"Did you mean `{guess}`?" if guess else f"It has {listed or 'none'}."],
        fix=replacement("ask", name.span, guess) if guess else None,
    )


def no_fields(given: Type, name: Name, base: Span, text: str) -> Diagnostic:
    """Makes T304 for a field of a value that has none; `text` is the value's source."""
    also = [(base, shown(given))]
    message = f"{shown(given)} has no fields."
    return T304(message, name.span, also=also, helps=_instead(given, name, text))


def no_else(name: Name, fields: Iterable[str], text: str) -> Diagnostic:
    """Makes T304 for `shipping.else.ship`."""
    return T304(
        "Outside, both blocks of a scope are one: what ran has given the value.",
        name.span,
        helps=[f"Write `{text}.{next(iter(fields), 'NAME')}`."],
    )


def _instead(given: Type, name: Name, text: str) -> list[str]:
    """Gives what people mean who take a field of a value that has none."""
    if name.text in ("length", "size", "count", "len") and given.kind in ("list", "str", "bytes"):
        return [f"Its length is `len({text})`."]
    if given.kind == "none":
        return ["A block or saga without `return` gives none: end it with `return ...`."]
    if given.kind == "list":
        return [f"A list of that field of each item is `[x.{name.text} for x in {text}]`."]
    return []
