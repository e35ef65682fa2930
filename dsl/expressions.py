"""The nodes of types and of expressions, which are pure and total."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from .node import Name, Node


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """A built-in type, record or enum by its name."""

    name: Name


@dataclass(frozen=True, slots=True)
class ListType(Node):
    """`list[T]`."""

    item: Type


@dataclass(frozen=True, slots=True)
class MapType(Node):
    """`map[T]`, with text keys."""

    item: Type


@dataclass(frozen=True, slots=True)
class OptionalType(Node):
    """`T?`, which may be `none`."""

    inner: Type


@dataclass(frozen=True, slots=True)
class SecretType(Node):
    """`secret[T]`, passed by reference and never written."""

    inner: Type


Type = NamedType | ListType | MapType | OptionalType | SecretType


@dataclass(frozen=True, slots=True)
class IntLiteral(Node):
    """`12`."""

    value: int


@dataclass(frozen=True, slots=True)
class DecimalLiteral(Node):
    """`12.50`, exact, with its places kept."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class BoolLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class NoneLiteral(Node):
    """`none`."""


@dataclass(frozen=True, slots=True)
class Duration(Node):
    """`200ms 10s 5m 24h 3d`, in milliseconds; an expression too."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class PlainText(Node):
    """A text that names a thing (`call`, `service`, `as`, `needs`) and is not interpolated."""

    value: str


@dataclass(frozen=True, slots=True)
class TextRun(Node):
    """The characters between two interpolations, escapes resolved."""

    value: str


@dataclass(frozen=True, slots=True)
class Interpolation(Node):
    """`{expr}` inside a text; its span includes the braces."""

    value: Expr


@dataclass(frozen=True, slots=True)
class TextLiteral(Node):
    """A text that is shown: runs and interpolations in turn; `""` has no parts."""

    parts: tuple[TextRun | Interpolation, ...]

    @property
    def plain(self) -> str | None:
        """The text when nothing in it is interpolated, else None."""
        runs = [part.value for part in self.parts if isinstance(part, TextRun)]
        return "".join(runs) if len(runs) == len(self.parts) else None


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    """`[a, b]`."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class MapEntry(Node):
    """`k: v`; the key is a text, written as a word or in quotes, and never a variable."""

    key: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class MapLiteral(Node):
    """`{ k: v }`, a map or a record, whichever type is expected."""

    entries: tuple[MapEntry, ...]


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """A name that stands for a value, or for an enum before a dot."""

    name: Name


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`value.name`."""

    value: Expr
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`value[index]`, which gives `T?`."""

    value: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """`value` or `name: value` in a call."""

    name: Name | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`callee(arguments)`: a tool, agent, saga, record or function by its name."""

    callee: Name
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """`-operand`."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Not(Node):
    """`not operand`."""

    operand: Expr


ArithmeticOperator = Literal["+", "-", "*", "/", "//", "%"]
ComparisonOperator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
LogicalOperator = Literal["and", "or"]


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """`left + right` and its like, associating to the left."""

    operator: ArithmeticOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """`left == right` and its like; one comparison has no second one as its part."""

    operator: ComparisonOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logical(Node):
    """`left and right`, `left or right`, associating to the left."""

    operator: LogicalOperator
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`if condition then value else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
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
