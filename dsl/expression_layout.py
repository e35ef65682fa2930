"""The canonical layout of types and expressions."""

from __future__ import annotations

from typing import assert_never

from . import nodes as n
from .layout import SOFT, SPACE, Group, Layout, Nest, flat, joined, listed
from .names import is_name
from .source import Source

# How tightly each kind holds together; a part that holds less tightly gets parentheses.
OPEN, OR, AND, NOT, COMPARISON, SUM, PRODUCT, NEGATE, POSTFIX = range(9)


class ExpressionLayout:
    """Lays out nodes that were parsed from one source; literals keep the author's spelling."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def type(self, node: n.Type) -> str:
        """Return a type as text."""
        match node:
            case n.NamedType():
                return node.name.text
            case n.ListType():
                return f"list[{self.type(node.item)}]"
            case n.MapType():
                return f"map[{self.type(node.item)}]"
            case n.SecretType():
                return f"secret[{self.type(node.inner)}]"
            case n.OptionalType():
                return f"{self.type(node.inner)}?"
            case _:
                assert_never(node)

    def written(self, node: n.Node) -> str:
        """Return a literal as it was written."""
        return self.source.cut(node.span)

    def value(self, node: n.Expr, least: int = OPEN) -> Layout:
        """Return an expression, in parentheses when it holds less tightly than `least`."""
        inner = self.bare(node)
        if _tightness(node) < least:
            return Group(("(", Nest((SOFT, inner)), SOFT, ")"))
        return inner

    def bare(self, node: n.Expr) -> Layout:
        """Return an expression without parentheses around it."""
        match node:
            case n.IntLiteral() | n.DecimalLiteral() | n.Duration():
                return self.written(node)
            case n.BoolLiteral():
                return "true" if node.value else "false"
            case n.NoneLiteral():
                return "none"
            case n.TextLiteral():
                return self.text(node)
            case n.Reference():
                return node.name.text
            case n.Field():
                return (self.value(node.value, POSTFIX), ".", node.name.text)
            case n.Index():
                return (self.value(node.value, POSTFIX), listed("[", [self.value(node.index)], "]"))
            case n.Call():
                return self.call(node)
            case n.ListLiteral():
                return listed("[", [self.value(item) for item in node.items], "]")
            case n.MapLiteral():
                return listed("{", [self.entry(each) for each in node.entries], "}", padded=True)
            case n.Comprehension():
                return self.comprehension(node)
            case n.Conditional():
                return self.conditional(node)
            case n.Not():
                return ("not ", self.value(node.operand, NOT))
            case n.Negate():
                return ("-", self.value(node.operand, NEGATE))
            case n.Comparison():
                return self.binary(node.left, node.operator, node.right, SUM, SUM)
            case n.Arithmetic() | n.Logical():
                own = _tightness(node)
                return self.binary(node.left, node.operator, node.right, own, own + 1)
            case _:
                assert_never(node)

    def call(self, node: n.Call) -> Layout:
        """Return a call."""
        return (node.callee.text, self.arguments(node.arguments))

    def arguments(self, arguments: tuple[n.Argument, ...]) -> Layout:
        """Return the arguments of a call in their parentheses."""
        return listed("(", [self.argument(argument) for argument in arguments], ")")

    def argument(self, node: n.Argument) -> Layout:
        value = self.value(node.value)
        return value if node.name is None else (f"{node.name.text}: ", value)

    def entry(self, node: n.MapEntry) -> Layout:
        key = node.key.text if is_name(node.key.text) else self.written(node.key)
        return (f"{key}: ", self.value(node.value))

    def binary(
        self, left: n.Expr, operator: str, right: n.Expr, left_least: int, right_least: int
    ) -> Layout:
        first = self.value(left, left_least)
        return Group((first, Nest((SPACE, f"{operator} ", self.value(right, right_least)))))

    def conditional(self, node: n.Conditional) -> Layout:
        return Group(
            (
                "if ",
                self.value(node.condition),
                Nest((SPACE, "then ", self.value(node.then))),
                Nest((SPACE, "else ", self.value(node.otherwise))),
            )
        )

    def comprehension(self, node: n.Comprehension) -> Layout:
        parts: list[Layout] = [
            self.value(node.value),
            (f"for {node.variable.text} in ", self.value(node.items)),
        ]
        if node.condition is not None:
            parts.append(("if ", self.value(node.condition)))
        return Group(("[", Nest((SOFT, joined(parts, SPACE))), SOFT, "]"))

    def text(self, node: n.TextLiteral) -> str:
        """Return a text as it was written, the expressions in it in their canonical form."""
        parts = ['"']
        for part in node.parts:
            if isinstance(part, n.TextRun):
                parts.append(self.written(part))
                continue
            inner = flat(self.value(part.value))
            # Two braces in a row would be a brace that is shown.
            pad = " " if inner.startswith("{") or inner.endswith("}") else ""
            parts.append(f"{{{pad}{inner}{pad}}}")
        return "".join(parts) + '"'


def _tightness(node: n.Expr) -> int:
    match node:
        case n.Conditional():
            return OPEN
        case n.Logical():
            return OR if node.operator == "or" else AND
        case n.Not():
            return NOT
        case n.Comparison():
            return COMPARISON
        case n.Arithmetic():
            return SUM if node.operator in ("+", "-") else PRODUCT
        case n.Negate():
            return NEGATE
        case _:
            return POSTFIX
