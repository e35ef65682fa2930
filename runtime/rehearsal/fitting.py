"""Values changed as little as needed, so that a condition of a program holds of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, cast

from ..expressions import Failed, evaluate
from ..formula import Compare, Field, Literal, Logic, Name, Node, Type, Unary
from ..shapes import Mismatch, Schema, conform
from ..values import Record

ROUNDS = 3
"""How often the parts of a condition are gone through: one part may undo what another did."""

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "in": "not in",
             "not in": "in"}  # fmt: skip
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Fitting:
    """Fits values of one type; conditions call the value `subject` and may read `known` too."""

    def __init__(self, subject: str, type: Type, known: Mapping[str, Any], schema: Schema) -> None:
        self.subject = subject
        self.type = type
        self.known = known
        self.schema = schema

    def holds(self, test: Node, value: Any) -> bool:
        """True when a condition holds of a value."""
        try:
            return evaluate(test, {**self.known, self.subject: value}, self.schema) is True
        except Failed:
            return False

    def fit(self, test: Node, value: Any) -> Any:
        """Gives a value of which a condition holds, made of `value`. Raises `Unfit`.

        Parts of it are set to what they are compared with, one after another; where that is not
        enough there may be such a value all the same.
        """
        for _ in range(ROUNDS):
            if self.holds(test, value):
                return self._conforming(value)
            value = self._towards(test, value)
        if self.holds(test, value):
            return self._conforming(value)
        raise Unfit

    def _conforming(self, value: Any) -> Any:
        try:
            return conform(value, self.type, self.schema)
        except Mismatch:
            raise Unfit from None

    def _towards(self, test: Node, value: Any) -> Any:
        if self.holds(test, value):
            return value
        match test:
            case Logic(operator="and", left=left, right=right):
                return self._towards(right, self._towards(left, value))
            case Logic(operator="or", left=left, right=right):
                for side in (left, right):
                    made = self._towards(side, value)
                    if self.holds(side, made):
                        return made
                return value
            case Unary(operator="not", of=inner):
                turned = negated(inner)
                return value if turned is None else self._towards(turned, value)
            case Compare():
                return self._compared(test, value)
            case _:
                path = self._path(test)
                return value if path is None else _with(value, path, True)

    def _compared(self, test: Compare, value: Any) -> Any:
        for path, operator, other in self._sides(test):
            try:
                wanted = evaluate(other, {**self.known, self.subject: value}, self.schema)
            except Failed:
                continue
            for candidate in self._candidates(operator, wanted, path):
                made = _with(value, path, candidate)
                if self.holds(test, made):
                    return made
        return value

    def _sides(self, test: Compare) -> Iterator[tuple[tuple[str, ...], str, Node]]:
        left = self._path(test.left)
        if left is not None:
            yield left, test.operator, test.right
        right = self._path(test.right)
        if right is not None and test.operator in _MIRRORED:
            yield right, _MIRRORED[test.operator], test.left

    def _candidates(self, operator: str, wanted: Any, path: tuple[str, ...]) -> Iterator[Any]:
        match operator:
            case "==" | "<=" | ">=":
                yield wanted
            case "in":
                yield from wanted if isinstance(wanted, (list, dict)) else ()
            case _:
                yield from self._others(operator, wanted, path)

    def _others(self, operator: str, wanted: Any, path: tuple[str, ...]) -> Iterator[Any]:
        type_ = self._type_at(path)
        if type_ is not None and type_.kind == "enum":
            yield from self.schema.enums[type_.name]
        match wanted:
            case bool():
                yield not wanted
            case int() | float() | Decimal():
                yield wanted - 1 if operator == "<" else wanted + 1
            case str():
                yield f"{wanted}'"
            case list():
                yield "<text>"
                yield 0
            case None:
                yield "<text>"
                yield 1
                yield True
            case _:
                pass

    def _path(self, tree: Node) -> tuple[str, ...] | None:
        """Gives the fields by which a tree is reached from the subject, None for other trees."""
        match tree:
            case Name(name=name) if name == self.subject:
                return ()
            case Field(of=of, name=name):
                outer = self._path(of)
                return None if outer is None else (*outer, name)
            case _:
                return None

    def _type_at(self, path: tuple[str, ...]) -> Type | None:
        at: Type | None = self.type
        for name in path:
            at = None if at is None else self._field(at, name)
        return at.of if at is not None and at.kind == "optional" else at

    def _field(self, type_: Type, name: str) -> Type | None:
        if type_.kind == "optional" and type_.of is not None:
            type_ = type_.of
        shape = self.schema.records[type_.name].get(name) if type_.kind == "record" else None
        return None if shape is None else shape.type


def _with(value: Any, path: tuple[str, ...], part: Any) -> Any:
    """Gives a value with another part at a path."""
    if not path:
        return part
    first, rest = path[0], path[1:]
    if isinstance(value, Record):
        changed = _with(value.fields.get(first), rest, part)
        return Record(value.name, {**value.fields, first: changed})
    # Of a `json` nothing is known: a field that is asked for makes it a map.
    base = cast(dict[str, Any], value) if isinstance(value, dict) else dict[str, Any]()
    return {**base, first: _with(base.get(first), rest, part)}


class Unfit(Exception):
    """No value was found of which the condition holds."""


def negated(test: Node) -> Node | None:
    """Gives the condition that holds exactly when another does not, as far as `not` is pushed in.

    None when it cannot be said without `not`.
    """
    match test:
        case Compare(operator=operator, left=left, right=right):
            return Compare(_OPPOSITE[operator], left, right)  # type: ignore[arg-type]
        case Logic(operator=operator, left=left, right=right):
            one, other = negated(left), negated(right)
            if one is None or other is None:
                return None
            return Logic("or" if operator == "and" else "and", one, other)
        case Unary(operator="not", of=inner):
            return inner
        case Name() | Field():
            return Compare("==", test, Literal(False))
        case _:
            return None
