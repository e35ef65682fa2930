"""Expressions of a saga as data: the typed trees of a plan, which only `expressions` evaluates."""

from __future__ import annotations

from typing import Any, Literal as OneOf

from msgspec import Struct

TypeKind = OneOf[
    "str", "int", "float", "decimal", "bool", "bytes", "date", "datetime", "duration", "json",
    "none", "list", "map", "optional", "secret", "record", "enum",
]  # fmt: skip


class Type(Struct, frozen=True, omit_defaults=True):
    """A type of the language.

    `of` is the item of a list, map (keys are texts), optional or secret; `name` is the declared
    name of a record or enum. `none` is the type of the literal `none` alone.
    """

    kind: TypeKind
    of: Type | None = None
    name: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "optional":
                return f"{self.of}?"
            case "list" | "map" | "secret":
                return f"{self.kind}[{self.of}]"
            case "record" | "enum":
                return self.name
            case kind:
                return kind


class Place(Struct, frozen=True, array_like=True):
    """Where something stands in a source: for people and diagnostics, never part of the meaning.

    `file` is the source's name relative to the main file; `start` and `end` are half-open offsets
    in code points of the normalised text; `line` and `column` count from 1.
    """

    file: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    column: int = 0


NOWHERE = Place()


class Tree(Struct, frozen=True, tag_field="op"):
    """A node of an expression; the subclasses below are all there are."""


class Literal(Tree, frozen=True, tag="literal"):
    """A constant, or a value bound into a descriptor; `value` is in the encoding of `values`."""

    value: Any


class Name(Tree, frozen=True, tag="name"):
    """A value in scope: an input, step or let, a parameter, or `key`, `result`, `it`, `args`."""

    name: str


class Field(Tree, frozen=True, tag="field"):
    """`of.name` of a record, a map, or an answer of unknown type."""

    of: Node
    name: str


class Index(Tree, frozen=True, tag="index"):
    """`of[index]`: none when there is no such item."""

    of: Node
    index: Node


class Unary(Tree, frozen=True, tag="unary"):
    """`-x` or `not x`."""

    operator: OneOf["-", "not"]
    of: Node


class Binary(Tree, frozen=True, tag="binary"):
    """Arithmetic, and `+` of texts and lists. `int / int` is a decimal."""

    operator: OneOf["+", "-", "*", "/", "//", "%"]
    left: Node
    right: Node


class Compare(Tree, frozen=True, tag="compare"):
    """One comparison."""

    operator: OneOf["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
    left: Node
    right: Node


class Logic(Tree, frozen=True, tag="logic"):
    """`and`, `or`: the right side is evaluated only when it decides."""

    operator: OneOf["and", "or"]
    left: Node
    right: Node


class Choice(Tree, frozen=True, tag="choice"):
    """`if condition then a else b`."""

    condition: Node
    then: Node
    otherwise: Node


class ListOf(Tree, frozen=True, tag="list"):
    """`[a, b]`."""

    items: tuple[Node, ...]


class MapOf(Tree, frozen=True, tag="map"):
    """`{ k: v }` where a map or json is expected, in the order written."""

    pairs: tuple[tuple[str, Node], ...]


class RecordOf(Tree, frozen=True, tag="record"):
    """`Item(sku: "a")`, or `{ sku: "a" }` where a record is expected; defaults are filled in."""

    record: str
    fields: tuple[tuple[str, Node], ...]


class Comprehension(Tree, frozen=True, tag="comprehension"):
    """`[value for name in of if condition]`."""

    value: Node
    name: str
    of: Node
    condition: Node | None


class Apply(Tree, frozen=True, tag="apply"):
    """One of the language's own pure functions, such as `len` or `lower`."""

    function: str
    args: tuple[Node, ...]


class Text(Tree, frozen=True, tag="text"):
    """An interpolated text: its parts, shown and joined."""

    parts: tuple[Node, ...]


Node = (
    Literal | Name | Field | Index | Unary | Binary | Compare | Logic | Choice
    | ListOf | MapOf | RecordOf | Comprehension | Apply | Text
)  # fmt: skip


class Formula(Struct, frozen=True, omit_defaults=True):
    """An expression as the plan carries it: its tree, its static type, its own text and place."""

    tree: Node
    type: Type
    source: str = ""
    at: Place = NOWHERE


def children(tree: Node) -> tuple[Node, ...]:
    """Gives the direct parts of a node, in the order written."""
    match tree:
        case Literal() | Name():
            return ()
        case Field(of=of) | Unary(of=of):
            return (of,)
        case Index(of=of, index=index):
            return (of, index)
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return (left, right)
        case Logic(left=left, right=right):
            return (left, right)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case ListOf(items=items):
            return items
        case MapOf(pairs=pairs) | RecordOf(fields=pairs):
            return tuple(part for _, part in pairs)
        case Comprehension(value=value, of=of, condition=condition):
            return (of, value) if condition is None else (of, value, condition)
        case Apply(args=parts) | Text(parts=parts):
            return parts


def names(tree: Node) -> frozenset[str]:
    """Gives the names that an expression reads from outside itself, without its loop names."""
    match tree:
        case Name(name=name):
            return frozenset((name,))
        case Comprehension(value=value, name=name, of=of, condition=condition):
            inner = names(value) if condition is None else names(value) | names(condition)
            return names(of) | (inner - {name})
        case _:
            none: frozenset[str] = frozenset()
            return none.union(*map(names, children(tree)))
