"""Expressions at different statements compared: must their values be equal, may they, can they not.

Each is first written so that every name means one value (`#` and a path for what a statement
gives, `#picks[*]` for the variable of a loop), arguments in the place of a tool's parameters and
of a called saga's inputs, short `let`s in the place of their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal as OneOf, cast

from msgspec import structs

from ...runtime.formula import (
    Binary,
    Comprehension,
    Field,
    ListOf,
    Literal,
    Name,
    Node,
    RecordOf,
    Text,
    children,
    names,
)
from ...runtime.plan import Each, First, Let, SagaCall, Step
from .meanings import meaning
from .spots import Spot
from .view import View

Sameness = OneOf["equal", "may be", "distinct"]
SHORT = 24
"""A `let` whose expression has more parts than this stands for itself."""
OTHER = "'"
"""Ends the names of what belongs to another item of a loop."""


class Identity:
    """Writes and compares the expressions of one saga; the work is done once for each `let`."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._lets: dict[str, Node] = {}
        for spot in view.graph.spots:
            if isinstance(spot.node, Let) and len(view.graph.named(spot.path)) == 1:
                tree = self.written(spot.node.value.tree, spot)
                if _size(tree) <= SHORT:
                    self._lets[spot.path] = tree

    def written(self, tree: Node, at: Spot, *, inside: bool = False) -> Node:
        """Writes an expression of the statement at a spot; `inside` as for `meaning`."""
        return renamed(tree, lambda name: self._name(name, at, inside))

    def given(self, tree: Node, at: Spot, arguments: Mapping[str, Node]) -> Node:
        """Writes an expression of a tool that the step at a spot calls with some arguments."""

        def known(name: str) -> Node:
            if name == "key":
                return Name(f"#{at.path}#key")
            return (
                self.written(arguments[name], at)
                if name in arguments
                else Name(f"#{at.path}#{name}")
            )

        return renamed(tree, known)

    def _name(self, name: str, at: Spot, inside: bool) -> Node:
        found = meaning(self.view.layout, at, name, inside=inside)
        match found.kind:
            case "statement":
                path = found.spots[0].path
                return self._lets.get(path, Name(f"#{path}"))
            case "item":
                return Name(f"#{found.spots[0].path}[*]")
            case "parameter":
                call = found.spots[0]
                assert isinstance(call.node, SagaCall)
                for argument in call.node.args:
                    if argument.name == name:
                        tree = self.written(argument.value.tree, call)
                        return tree if _size(tree) <= SHORT else Name(f"#{call.path}#{name}")
                return Name(f"#{call.path}#{name}")
            case "input":
                return Name(name)

    def same(self, one: Node, other: Node) -> Sameness:
        """Compares two expressions as written here."""
        if one == other:
            return "equal"
        return "distinct" if self._distinct(one, other) else "may be"

    def across(self, loop: Spot, one: Node, other: Node) -> Sameness:
        """Compares an expression in one item of a loop with one in another item of it."""
        moved = renamed(other, lambda name: Name(_other(loop, name)))
        if one == moved:
            return "equal"
        by = self.key(loop)
        if one == other and by is not None and _carries(one, by, loop):
            return "distinct"
        return "distinct" if self._distinct(one, moved) else "may be"

    def key(self, loop: Spot) -> Node | None:
        """Gives the expression that no two items of a loop share, None for its index."""
        node = loop.node
        if not isinstance(node, Each | First) or node.by is None:
            return None
        return self.written(node.by.tree, loop, inside=True)

    def _distinct(self, one: Node, other: Node) -> bool:
        if isinstance(one, Literal) and isinstance(other, Literal):
            return bool(one.value != other.value)
        if isinstance(one, ListOf) and isinstance(other, ListOf):
            pairs = zip(one.items, other.items, strict=False)
            return any(self._distinct(*pair) for pair in pairs)
        if isinstance(one, RecordOf) and isinstance(other, RecordOf):
            mine = dict(one.fields)
            return any(k in mine and self._distinct(mine[k], v) for k, v in other.fields)
        if _ends_apart(one, other):
            return True
        return self._apart(one, other) or self._apart(other, one)

    def _apart(self, one: Node, other: Node) -> bool:
        """True when one value was made by a call that the other does not know of."""
        maker = self.maker(one)
        if maker is None:
            return False
        return all(name != maker and self._known_before(name) for name in names(other))

    def _known_before(self, name: str) -> bool:
        return not name.startswith("#") or self._makes(name)

    def maker(self, tree: Node) -> str | None:
        """Gives the name of the call whose answer alone makes this value a new one."""
        inner = tree
        while isinstance(inner, Field):
            inner = inner.of
        if isinstance(inner, Name) and self._makes(inner.name):
            echoed = isinstance(tree, Field) and self._echoed(inner.name, tree.name)
            return None if echoed else inner.name
        return None

    def _makes(self, name: str) -> bool:
        if name.rstrip(OTHER).endswith("#key"):
            return True
        steps = self._steps(name)
        return bool(steps) and not any(self.view.tools[step.tool].is_read for step in steps)

    def _echoed(self, name: str, field: str) -> bool:
        """True for a field of an answer that is called as what the call was given."""
        tools = [self.view.tools[step.tool] for step in self._steps(name)]
        return any(parameter.name == field for tool in tools for parameter in tool.parameters)

    def _steps(self, name: str) -> list[Step]:
        spots = self.view.graph.named(name.strip(f"#{OTHER}"))
        steps = [spot.node for spot in spots if isinstance(spot.node, Step)]
        return steps if len(steps) == len(spots) else []


def renamed(tree: Node, name: Callable[[str], Node], bound: frozenset[str] = frozenset()) -> Node:
    """Writes an expression with other names from outside it; loop names of its own are kept."""
    match tree:
        case Name(name=word):
            return tree if word in bound else name(word)
        case Literal():
            return tree
        case Comprehension(value=value, name=word, of=of, condition=condition):
            inner = bound | {word}
            return Comprehension(
                renamed(value, name, inner),
                word,
                renamed(of, name, bound),
                None if condition is None else renamed(condition, name, inner),
            )
        case Field(of=of, name=field):
            made = renamed(of, name, bound)
            given = dict(made.fields) if isinstance(made, RecordOf) else {}
            return given.get(field, Field(made, field))
        case _:
            changed = {
                word: _changed(getattr(tree, word), name, bound) for word in tree.__struct_fields__
            }
            return structs.replace(tree, **changed)


def _changed(part: object, name: Callable[[str], Node], bound: frozenset[str]) -> object:
    if isinstance(part, tuple):
        parts = cast(tuple[object, ...], part)
        return tuple(_changed(each, name, bound) for each in parts)
    return renamed(cast(Node, part), name, bound) if hasattr(part, "__struct_fields__") else part


def _size(tree: Node) -> int:
    return 1 + sum(map(_size, children(tree)))


def _other(loop: Spot, name: str) -> str:
    return name + OTHER if name.startswith(f"#{loop.path}[*]") else name


def _carries(tree: Node, key: Node, loop: Spot) -> bool:
    """True when a different key makes a different value: it is in it whole, and nothing else is."""
    if tree == key:
        return True
    match tree:
        case ListOf(items=parts):
            return any(_carries(part, key, loop) for part in parts)
        case RecordOf(fields=pairs):
            return any(_carries(part, key, loop) for _, part in pairs)
        case Text(parts=parts):
            pass
        case Binary(operator="+", left=left, right=right):
            parts = (left, right)
        case _:
            return False
    fixed = [part for part in parts if all(_other(loop, name) == name for name in names(part))]
    rest = [part for part in parts if part not in fixed]
    return len(rest) == 1 and _carries(rest[0], key, loop)


def _ends_apart(one: Node, other: Node) -> bool:
    """True for texts that begin or end with different constants."""
    first, second = _ends(one), _ends(other)
    if first is None or second is None:
        return False
    (start, end), (begin, stop) = first, second
    begins = start.startswith(begin) or begin.startswith(start)
    return not begins or not (end.endswith(stop) or stop.endswith(end))


def _ends(tree: Node) -> tuple[str, str] | None:
    match tree:
        case Literal(value=str(text)):
            return text, text
        case Text(parts=parts) if parts:
            ends = [part.value if isinstance(part, Literal) else "" for part in parts]
            return str(ends[0]), str(ends[-1])
        case _:
            return None
