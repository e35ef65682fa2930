"""The nodes of types and of expressions, which are pure and total."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from .node import Name, Node


class NamedType(Node, frozen=True):
    """A built-in type, record or enum by its name."""

    name: Name


class ListType(Node, frozen=True):
    """`list[T]`."""

    item: Type


class MapType(Node, frozen=True):
    """`map[T]`, with text keys."""

    item: Type


class OptionalType(Node, frozen=True):
    """`T?`, which may be `none`."""

    inner: Type


class SecretType(Node, frozen=True):
    """`secret[T]`, passed by reference and never written."""

    inner: Type


Type = NamedType | ListType | MapType | OptionalType | SecretType


class IntLiteral(Node, frozen=True):
    """`12`."""

    value: int


class DecimalLiteral(Node, frozen=True):
    """`12.50`, exact, with its places kept."""

    value: Decimal


class BoolLiteral(Node, frozen=True):
    """`true` or `false`."""

    value: bool


class NoneLiteral(Node, frozen=True):
    """`none`."""


class Duration(Node, frozen=True):
    """`200ms 10s 5m 24h 3d`, in milliseconds; an expression too."""

    milliseconds: int


class PlainText(Node, frozen=True):
    """A text that names a thing (`call`, `service`, `as`, `needs`) and is not interpolated."""

    value: str


class TextRun(Node, frozen=True):
    """The characters between two interpolations, escapes resolved."""

    value: str


class Interpolation(Node, frozen=True):
    """`{expr}` inside a text; its span includes the braces."""

    value: Expr


class TextLiteral(Node, frozen=True):
    """A text that is shown: runs and interpolations in turn; `""` has no parts."""

    parts: tuple[TextRun | Interpolation, ...]

    @property
    def plain(self) -> str | None:
        """The text when nothing in it is interpolated, else None."""
        runs = [part.value for part in self.parts if isinstance(part, TextRun)]
        return "".join(runs) if len(runs) == len(self.parts) else None


class ListLiteral(Node, frozen=True):
    """`[a, b]`."""

    items: tuple[Expr, ...]


class MapEntry(Node, frozen=True):
    """`k: v`; the key is a text, written as a word or in quotes, and never a variable."""

    key: Name
    value: Expr


class MapLiteral(Node, frozen=True):
    """`{ k: v }`, a map or a record, whichever type is expected."""

    entries: tuple[MapEntry, ...]


class Reference(Node, frozen=True):
    """A name that stands for a value, or for an enum before a dot."""

    name: Name


class Field(Node, frozen=True):
    """`value.name`."""

    value: Expr
    name: Name


class Index(Node, frozen=True):
    """`value[index]`, which gives `T?`."""

    value: Expr
    index: Expr


class Argument(Node, frozen=True):
    """`value` or `name: value` in a call."""

    name: Name | None
    value: Expr


class Call(Node, frozen=True):
    """`callee(arguments)`: a tool, agent, saga, record or function by its name."""

    callee: Name
    arguments: tuple[Argument, ...]


class Negate(Node, frozen=True):
    """`-operand`."""

    operand: Expr


class Not(Node, frozen=True):
    """`not operand`."""

    operand: Expr


ArithmeticOperator = Literal["+", "-", "*", "/", "//", "%"]
ComparisonOperator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
LogicalOperator = Literal["and", "or"]


class Arithmetic(Node, frozen=True):
    """`left + right` and its like, associating to the left."""

    operator: ArithmeticOperator
    left: Expr
    right: Expr


class Comparison(Node, frozen=True):
    """`left == right` and its like; one comparison has no second one as its part."""

    operator: ComparisonOperator
    left: Expr
    right: Expr


class Logical(Node, frozen=True):
    """`left and right`, `left or right`, associating to the left."""

    operator: LogicalOperator
    left: Expr
    right: Expr


class Conditional(Node, frozen=True):
    """`if condition then value else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


class Comprehension(Node, frozen=True):
    """`[value for variable in items if condition]`."""

    value: Expr
    variable: Name
    items: Expr
    condition: Expr | None


Literals = IntLiteral | DecimalLiteral | BoolLiteral | NoneLiteral | Duration | TextLiteral
Expr = (
    Literals
    | ListLiteral
    | MapLiteral
    | Reference
    | Field
    | Index
    | Call
    | Negate
    | Not
    | Arithmetic
    | Comparison
    | Logical
    | Conditional
    | Comprehension
)
