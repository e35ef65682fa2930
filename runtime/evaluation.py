"""One evaluation of an expression: what each kind of node means, and how much work it may be."""

from __future__ import annotations

import operator as operators
from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from decimal import Decimal
from typing import Any, cast

from . import formula as f
from .arithmetic import Failed, compute, negate, order
from .display import LONGEST, brief
from .equality import same
from .functions import FUNCTIONS, few, items, shown, truth
from .scalars import kind_of
from .shapes import Schema, Shape
from .values import Damaged, Record, decode

STARTED_AT = "started_at()"
"""Under this name the environment gives the run's start; no name of a saga can be written so."""

WORK = 20_000_000
"""Most items that one evaluation may visit, all its loops together."""


class Evaluation:
    """One evaluation: the schema, and the work that is left."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.left = WORK

    def spend(self, work: int) -> None:
        self.left -= work
        if self.left < 0:
            raise Failed(f"the expression needs more than {WORK:,} steps")

    def value(self, tree: f.Node, names: Mapping[str, object]) -> Any:
        """Evaluates what decides by itself which of its parts are needed; the rest is `given`."""
        # Chains of exact classes: on the path of every call, and half the time of `match`.
        if type(tree) is f.Name:
            if tree.name not in names:
                raise Failed(f"{tree.name} has no value yet")
            return names[tree.name]
        if type(tree) is f.Literal:
            return literal(tree.value)
        if type(tree) is f.Field:
            return field(self.value(tree.of, names), tree.name)
        if type(tree) is f.Compare:
            left = self.value(tree.left, names)
            return self.compare(tree.operator, left, self.value(tree.right, names))
        if type(tree) is f.Binary:
            left = self.value(tree.left, names)
            return self.binary(tree.operator, left, self.value(tree.right, names))
        if type(tree) is f.Logic:
            if truth(self.value(tree.left, names)) is (tree.operator == "or"):
                return tree.operator == "or"
            return truth(self.value(tree.right, names))
        if type(tree) is f.Choice:
            holds = truth(self.value(tree.condition, names))
            return self.value(tree.then if holds else tree.otherwise, names)
        if type(tree) is f.Comprehension:
            return self.loop(tree, self.value(tree.of, names), names)
        if type(tree) is f.Apply and tree.function == "started_at":
            return self.value(f.Name(STARTED_AT), names)
        return self.given(tree, [self.value(part, names) for part in f.children(tree)])

    def loop(self, tree: f.Comprehension, over: Any, names: Mapping[str, object]) -> list[Any]:
        made: list[Any] = []
        # Only the first map of a chain is ever written to.
        inner = ChainMap[str, object]({}, cast(MutableMapping[str, object], names))
        for item in items(over):
            self.spend(1)
            inner[tree.name] = item
            if tree.condition is None or truth(self.value(tree.condition, inner)):
                made.append(self.value(tree.value, inner))
        return few(made)

    def given(self, tree: f.Node, parts: list[Any]) -> Any:
        """Gives the value of a node from the values of all its parts."""
        match tree:
            case f.Field(name=name):
                return field(parts[0], name)
            case f.Index():
                return index(parts[0], parts[1])
            case f.Unary(operator="not"):
                return not truth(parts[0])
            case f.Unary():
                return negate(parts[0])
            case f.Binary(operator=operator):
                return self.binary(operator, parts[0], parts[1])
            case f.Compare(operator=operator):
                return self.compare(operator, parts[0], parts[1])
            case f.Text():
                return self.text("".join([self.text(shown(part)) for part in parts]))
            case f.ListOf():
                return parts
            case f.MapOf(pairs=pairs):
                return {key: part for (key, _), part in zip(pairs, parts, strict=True)}
            case f.RecordOf(record=record, fields=fields):
                given = {key: part for (key, _), part in zip(fields, parts, strict=True)}
                return self.record(record, given)
            case f.Apply(function=function):
                return self.apply(function, parts)
            case _:
                raise TypeError(f"{type(tree).__name__} has no parts that are all needed")

    def text(self, made: str) -> str:
        self.spend(len(made) >> 6)
        if len(made) > LONGEST:
            raise Failed(f"a text would have more than {LONGEST:,} characters")
        return made

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        kinds = (kind_of(left), kind_of(right))
        if operator == "+" and kinds == (str, str):
            return self.text(left + right)
        if operator == "+" and kinds == (list, list):
            self.spend(len(left) + len(right))
            return few(left + right)
        return compute(operator, left, right)

    def compare(self, operator: str, left: Any, right: Any) -> bool:
        match operator:
            case "==":
                return same(left, right, self.spend)
            case "!=":
                return not same(left, right, self.spend)
            case "in":
                return self.contains(right, left)
            case "not in":
                return not self.contains(right, left)
            case _:
                one, other = order(left, right)
                return bool(_ORDERS[operator](one, other))

    def contains(self, all_of_it: Any, part: Any) -> bool:
        kind = kind_of(all_of_it)
        if kind is str and kind_of(part) is str:
            self.spend(len(all_of_it) >> 6)
            return part in all_of_it
        if kind is dict:
            return kind_of(part) is str and part in all_of_it
        if kind is list or kind is tuple:
            self.spend(len(all_of_it))
            return any(same(item, part, self.spend) for item in all_of_it)
        raise Failed(f"{brief(part)} cannot be looked for in {brief(all_of_it)}")

    def record(self, name: str, given: dict[str, Any]) -> Record:
        made: dict[str, Any] = {}
        for field_name, shape in self.schema.records[name].items():
            if field_name in given:
                made[field_name] = _widened(given[field_name], shape)
            elif shape.optional:
                made[field_name] = decode(shape.default)
            else:
                raise Failed(f"{name} needs its field {field_name}")
        return Record(name, made)

    def apply(self, function: str, args: list[Any]) -> Any:
        for arg in args:
            self.spend(
                len(arg) if kind_of(arg) is list else len(arg) >> 6 if kind_of(arg) is str else 0
            )
        made = FUNCTIONS[function](*args)
        return self.text(made) if kind_of(made) is str else made


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


def _widened(value: Any, shape: Shape) -> Any:
    # Types were checked when the plan was made; a boundary checks the whole record again.
    if kind_of(value) is int and shape.type.kind in ("decimal", "float"):
        return Decimal(value) if shape.type.kind == "decimal" else FUNCTIONS["float"](value)
    return value


def literal(wire: Any) -> Any:
    """Gives the value of a literal. Raises `Failed` when it is damaged."""
    try:
        return decode(wire)
    except Damaged as fault:
        raise Failed(f"a value in the plan is damaged: {fault}") from fault


def field(value: Any, name: str) -> Any:
    """Gives a field of a record, or what a map has under a name: none when it has nothing there."""
    if kind_of(value) is Record:
        if name not in value.fields:
            raise Failed(f"the record {value.name} has no field {name}")
        return value.fields[name]
    if kind_of(value) is dict:
        return value.get(name)
    raise Failed(f"{brief(value)} has no field {name}")


def index(value: Any, at: Any) -> Any:
    """Gives an item of a list, counted from 0, or of a map: none when there is no such item."""
    if kind_of(value) in (list, tuple) and kind_of(at) is int:
        return value[at] if 0 <= at < len(value) else None
    if kind_of(value) is dict and kind_of(at) is str:
        return value.get(at)
    raise Failed(f"{brief(value)} has no item {brief(at)}")
