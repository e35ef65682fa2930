"""Builds the nodes of types and expressions from the rules of the grammar with the same names."""

from __future__ import annotations

from typing import cast

from . import nodes as n
from .diagnostics import Diagnostic, problem, replacement
from .driver import TooDeep, Unfit, drive
from .growth import Growing, Quoted, Word, value_names
from .span import Span
from .texts import pieces, unquote

_FOREIGN = {"True": "true", "False": "false", "None": "none"}


class ExpressionBuilder:
    """Methods named like rules; each gets the span and the children of one match."""

    def __init__(self, growing: Growing) -> None:
        self.growing: Growing = growing
        self.foreign: list[n.Name] = []
        self.declared: set[str] = set()

    def make(self, rule: str, span: Span, made: list[object]) -> object:
        """Make the value of one rule."""
        return getattr(self, rule)(span, *made)

    def plain(self, quoted: Quoted) -> n.PlainText:
        """Make a text that names a thing."""
        return n.PlainText(quoted.span, unquote(quoted.raw, quoted.span, self.growing.report))

    def plain_or_none(self, quoted: Quoted | None) -> n.PlainText | None:
        """Make a text that names a thing, if there is one."""
        return None if quoted is None else self.plain(quoted)

    def text_or_none(self, quoted: Quoted | None) -> n.TextLiteral | None:
        """Make a text that is shown, if there is one."""
        return None if quoted is None else self.text_literal(quoted.span, quoted)

    def declares(self, name: n.Name) -> n.Name:
        """Take in a name that the author gives to a value."""
        self.growing.diagnostics += value_names([name])
        self.declared.add(name.text)
        return name

    def itself(self, span: Span, part: n.Node) -> n.Node:
        return part

    # --- types

    def named_type(self, span: Span, name: n.Name) -> n.Type:
        return n.NamedType(span, name)

    def list_type(self, span: Span, item: n.Type) -> n.Type:
        return n.ListType(span, item)

    def map_type(self, span: Span, item: n.Type) -> n.Type:
        return n.MapType(span, item)

    def secret_type(self, span: Span, inner: n.Type) -> n.Type:
        return n.SecretType(span, inner)

    def optional_type(self, span: Span, inner: n.Type) -> n.Type:
        return n.OptionalType(span, inner)

    # --- expressions

    def conditional(self, span: Span, condition: n.Expr, then: n.Expr, other: n.Expr) -> n.Expr:
        return n.Conditional(span, condition, then, other)

    def or_(self, span: Span, left: n.Expr, right: n.Expr) -> n.Expr:
        return n.Logical(span, "or", left, right)

    def and_(self, span: Span, left: n.Expr, right: n.Expr) -> n.Expr:
        return n.Logical(span, "and", left, right)

    def not_(self, span: Span, operand: n.Expr) -> n.Expr:
        return n.Not(span, operand)

    def comparator(self, span: Span, word: Word) -> Word:
        return word

    sum_operator = product_operator = comparator

    def comparison(self, span: Span, left: n.Expr, operator: Word, right: n.Expr) -> n.Expr:
        return n.Comparison(span, cast(n.ComparisonOperator, operator.text), left, right)

    def contained(self, span: Span, left: n.Expr, right: n.Expr) -> n.Expr:
        return n.Comparison(span, "in", left, right)

    def not_contained(self, span: Span, left: n.Expr, right: n.Expr) -> n.Expr:
        return n.Comparison(span, "not in", left, right)

    def arithmetic(self, span: Span, left: n.Expr, operator: Word, right: n.Expr) -> n.Expr:
        return n.Arithmetic(span, cast(n.ArithmeticOperator, operator.text), left, right)

    def negate(self, span: Span, operand: n.Expr) -> n.Expr:
        return n.Negate(span, operand)

    def field(self, span: Span, value: n.Expr, name: n.Name) -> n.Expr:
        return n.Field(span, value, name)

    def index(self, span: Span, value: n.Expr, index: n.Expr) -> n.Expr:
        return n.Index(span, value, index)

    def reference(self, span: Span, name: n.Name) -> n.Expr:
        self.growing.diagnostics += value_names([name])
        if name.text in _FOREIGN:
            self.foreign.append(name)
        return n.Reference(span, name)

    def true_literal(self, span: Span) -> n.Expr:
        return n.BoolLiteral(span, True)

    def false_literal(self, span: Span) -> n.Expr:
        return n.BoolLiteral(span, False)

    def none_literal(self, span: Span) -> n.Expr:
        return n.NoneLiteral(span)

    def list_literal(self, span: Span, *items: n.Expr) -> n.Expr:
        return n.ListLiteral(span, items)

    def comprehension(
        self,
        span: Span,
        value: n.Expr,
        variable: n.Name,
        items: n.Expr,
        condition: n.Expr | None,
    ) -> n.Expr:
        return n.Comprehension(span, value, self.declares(variable), items, condition)

    def map_literal(self, span: Span, *entries: n.MapEntry) -> n.Expr:
        return n.MapLiteral(span, entries)

    def map_entry(self, span: Span, key: n.Name | Quoted, value: n.Expr) -> n.MapEntry:
        if isinstance(key, Quoted):
            key = n.Name(key.span, unquote(key.raw, key.span, self.growing.report))
        return n.MapEntry(span, key, value)

    def arguments(self, span: Span, *made: n.Argument) -> tuple[n.Argument, ...]:
        return made

    def argument(self, span: Span, value: n.Expr) -> n.Argument:
        return n.Argument(span, None, value)

    def named_argument(self, span: Span, name: n.Name, value: n.Expr) -> n.Argument:
        return n.Argument(span, name, value)

    def call(self, span: Span, name: n.Name, arguments: tuple[n.Argument, ...]) -> n.Call:
        self.growing.diagnostics += value_names([name])
        return n.Call(span, name, arguments)

    def text_literal(self, span: Span, quoted: Quoted) -> n.TextLiteral:
        parts: list[n.TextRun | n.Interpolation] = []
        for piece in pieces(quoted.raw, span, self.growing.report):
            if piece.value is not None:
                parts.append(n.TextRun(piece.span, piece.value))
                continue
            value = self.interpolated(Span(span.source, piece.span.start + 1, piece.span.end - 1))
            if value is not None:
                parts.append(n.Interpolation(piece.span, value))
        return n.TextLiteral(span, tuple(parts))

    def interpolated(self, span: Span) -> n.Expr | None:
        """Parse the expression between two braces of a text."""
        source = self.growing.source
        text = source.cut(span)
        if not text.strip():
            self.growing.report(_nothing_inside(span))
            return None
        mark = text.find("#")
        if mark >= 0:
            self.growing.report(_comment_inside(Span(span.source, span.start + mark, span.end)))
            return None
        outer = self.growing
        self.growing = Growing(source, span.start, outer.diagnostics)
        try:
            return cast(n.Expr, drive(text, "interpolation", self.growing, self.make))
        except TooDeep:
            return None
        except Unfit as unfit:
            # Loaded for the first mistake, as in the parser.
            from .syntax_errors import explain

            outer.report(explain(source, span, span.start + unfit.at, unfit.stopped))
            return None
        finally:
            self.growing = outer

    def interpolation(self, span: Span, value: n.Expr) -> n.Expr:
        return value

    def foreign_words(self) -> None:
        """Report `True`, `False` and `None` where nothing in the declaration has that name."""
        for name in self.foreign:
            if name.text not in self.declared:
                right = _FOREIGN[name.text]
                self.growing.report(
                    problem(
                        "S101",
                        f"`{name.text}` is written `{right}` here.",
                        name.span,
                        f"write `{right}`",
                        fix=replacement("safe", name.span, right),
                    )
                )


def _nothing_inside(span: Span) -> Diagnostic:
    return problem(
        "S101",
        "There is nothing between these braces.",
        Span(span.source, span.start - 1, span.end + 1),
        "an expression was expected between them",
        helps=["Braces that are to be shown are written twice: `{{}}`."],
    )


def _comment_inside(span: Span) -> Diagnostic:
    return problem(
        "S101",
        "No comment stands between the braces of a text.",
        span,
        "`#` begins a comment",
        helps=["A brace that is to be shown is written twice: `{{`."],
    )
