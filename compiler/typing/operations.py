"""Operators typed: arithmetic, comparisons and calls of functions on operands already typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Arithmetic, Call, Comparison, Expr, TextLiteral
from ...dsl.span import Span
from ...runtime.formula import Apply, Binary, Compare, Node, Type
from ...runtime.signatures import Row
from ..names.catalogue import Catalogue
from .functions import FUNCTIONS, OPERATORS, match, rows_shown
from .mismatch import T301, mismatch, none
from .secrecy import computed
from .types import (
    BOOL,
    JSON,
    NONE,
    NUMBERS,
    ORDERED,
    STR,
    UNKNOWN,
    coerced,
    comparable,
    holds_secret,
    inside,
    present,
    shown,
)

Report = Callable[[Diagnostic], None]


class Typed(Struct, frozen=True):
    """An expression as a plan's tree, with its type, its node, and its text for messages."""

    tree: Node
    type: Type
    node: Expr
    text: str


def arithmetic(node: Arithmetic, left: Typed, right: Typed, report: Report) -> tuple[Node, Type]:
    """Types `left operator right`; reports T301 and T305."""
    rows = OPERATORS[node.operator]
    found = match(rows, (left.type, right.type))
    if found is not None:
        trees = _coerced((left, right), found.takes)
        return Binary(node.operator, trees[0], trees[1]), found.gives
    if holds_secret(left.type) or holds_secret(right.type):
        report(computed(node.operator, node.span, _sides(left, right)))
    elif not _absent(rows, (left, right), report):
        message = f"`{node.operator}` does not work on {shown(left.type)} and {shown(right.type)}."
        report(T301(message, node.span, also=_sides(left, right), helps=_mixed(left, right)))
    return Binary(node.operator, left.tree, right.tree), UNKNOWN


def comparison(
    catalogue: Catalogue, module: str, node: Comparison, left: Typed, right: Typed, report: Report
) -> tuple[Node, Type]:
    """Types a comparison; reports T301 and T305."""
    tree = Compare(node.operator, left.tree, right.tree)
    match node.operator:
        case "==" | "!=":
            good = comparable(left.type, right.type)
        case "in" | "not in":
            good = _contains(right.type, left.type)
        case _:
            good = comparable(left.type, right.type) and all(
                side.type in (JSON, UNKNOWN) or side.type.kind in ORDERED for side in (left, right)
            )
    if good:
        return tree, BOOL
    equality = node.operator in ("==", "!=")
    sides = (right,) if "in" in node.operator else (left, right)
    if not equality and any(side.type == NONE or side.type.kind == "optional" for side in sides):
        for side in sides:
            if side.type == NONE or side.type.kind == "optional":
                report(none(side.node, side.text))
        return tree, BOOL
    for value, text in ((left, right), (right, left)):
        if present(value.type).kind == "enum" and isinstance(text.node, TextLiteral):
            report(
                mismatch(catalogue, module, text.node, text.text, text.type, present(value.type))
            )
            return tree, BOOL
    if holds_secret(left.type) or holds_secret(right.type):
        report(computed(node.operator, node.span, _sides(left, right)))
        return tree, BOOL
    what = "looked for in" if "in" in node.operator else "compared with"
    message = f"{shown(left.type)} cannot be {what} {shown(right.type)}."
    report(T301(message, node.span, also=_sides(left, right), helps=_mixed(left, right)))
    return tree, BOOL


def applied(node: Call, args: Sequence[Typed], report: Report) -> tuple[Node, Type]:
    """Types a call of one of the language's own functions; reports T301 and T305."""
    name = node.callee.text
    rows = FUNCTIONS[name]
    found = match(rows, [arg.type for arg in args])
    if found is not None:
        return Apply(name, _coerced(args, found.takes)), found.gives
    secrets = [arg for arg in args if holds_secret(arg.type)]
    if secrets:
        sides = [(arg.node.span, shown(arg.type)) for arg in secrets]
        report(computed(name, node.span, sides))
    elif not _absent(rows, args, report):
        given = ", ".join(shown(arg.type) for arg in args) or "nothing"
        message = f"`{name}` takes {rows_shown(rows)}, but is given {given}."
        report(T301(message, node.span, helps=_mixed(*args) if len(args) == 2 else ()))
    return Apply(name, tuple(arg.tree for arg in args)), UNKNOWN


def _coerced(args: Sequence[Typed], takes: Sequence[Type]) -> tuple[Node, ...]:
    trees = [coerced(arg.tree, arg.type, take) for arg, take in zip(args, takes, strict=True)]
    return tuple(arg.tree if tree is None else tree for arg, tree in zip(args, trees, strict=True))


def _absent(rows: Sequence[Row], args: Sequence[Typed], report: Report) -> bool:
    """Reports T305 when the only thing wrong is that arguments may be none."""
    there = [present(arg.type) for arg in args]
    if NONE not in there and match(rows, there) is None:
        return False
    absent = [arg for arg in args if arg.type == NONE or arg.type.kind == "optional"]
    for arg in absent:
        report(none(arg.node, arg.text))
    return bool(absent)


def _contains(whole: Type, item: Type) -> bool:
    if whole in (JSON, UNKNOWN):
        return not holds_secret(item)
    if whole.kind == "list":
        return comparable(inside(whole), item)
    return whole.kind in ("map", "str") and (item in (JSON, UNKNOWN) or present(item) == STR)


def _sides(left: Typed, right: Typed) -> list[tuple[Span, str]]:
    return [(left.node.span, shown(left.type)), (right.node.span, shown(right.type))]


def _mixed(left: Typed, right: Typed) -> list[str]:
    kinds = {present(left.type).kind, present(right.type).kind}
    if "str" in kinds and isinstance(left.node, TextLiteral):
        return ['A value is shown in a text by braces: `"order {order.id}"`.']
    if kinds == {"decimal", "float"}:
        return ["A float is not exact: convert one of them, `decimal(...)` or `float(...)`."]
    numbers = sorted(kinds & NUMBERS)
    if "str" in kinds and numbers:
        return [
            f'Put the number into a text: `"{{...}}"`; or convert the text: `{numbers[0]}(...)`.'
        ]
    if "date" in kinds and "datetime" in kinds:
        return ["A date is a day, a datetime a moment: nothing converts one into the other."]
    return []
