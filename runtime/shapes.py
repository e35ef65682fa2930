"""The types of a plan, applied to values at every boundary: inputs, arguments, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from msgspec import Struct

from .display import brief
from .formula import Node, RecordOf, Type, children
from .objects import adopt, fields_of
from .plan import Plan
from .scalars import kind_of
from .values import Record, Secret, decode, encode

LARGEST_EXPONENT = 6_144
"""Decimals reach from 1E-6144 to 1E+6144, as in IEEE 754 decimal128."""


class Mismatch(Exception):
    """A value is not of its type: at `path` it must be `expected`, and is `got`."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(f"{path or 'the value'} must be {expected}, and is {got}")
        self.path = path
        self.expected = expected
        self.got = got


class Shape(Struct, frozen=True):
    """A field of a record: its type and, where it has one, its default in stored form."""

    type: Type
    optional: bool = False
    default: Any = None


class Schema(Struct, frozen=True):
    """The records and enums that a plan knows, by name."""

    records: Mapping[str, Mapping[str, Shape]] = {}
    enums: Mapping[str, tuple[str, ...]] = {}

    @classmethod
    def of(cls, plan: Plan) -> Schema:
        """Makes the schema of a plan, the defaults of its records computed.

        Raises `expressions.Failed` when a default cannot be computed.
        """
        # The evaluator builds records by this module; only here it is the other way round.
        from .expressions import Failed, evaluate

        declared = {record.name: record for record in plan.records}
        records: dict[str, dict[str, Shape]] = {}
        schema = cls(records, {enum.name: enum.members for enum in plan.enums})

        def complete(name: str, within: tuple[str, ...]) -> None:
            if name in within:
                raise Failed(f"the defaults of the record {name} need themselves")
            if name in records:
                return
            shapes: dict[str, Shape] = {}
            for field in declared[name].fields:
                shapes[field.name] = Shape(field.type)
                if field.default is not None:
                    for used in _built(field.default.tree):
                        complete(used, (*within, name))
                    value = evaluate(field.default.tree, {}, schema)
                    try:
                        wire = encode(conform(value, field.type, schema, f"{name}.{field.name}"))
                    except Mismatch as fault:
                        raise Failed(str(fault)) from fault
                    shapes[field.name] = Shape(field.type, True, wire)
            records[name] = shapes

        for name in declared:
            complete(name, ())
        return schema


def _built(tree: Node) -> Iterator[str]:
    if isinstance(tree, RecordOf):
        yield tree.record
    for part in children(tree):
        yield from _built(part)


def conform(value: object, type: Type, schema: Schema, at: str = "") -> Any:
    """Gives a value of the type in the runtime's own form, and raises `Mismatch` for any other.

    Converted are only: int to decimal or float where wanted; a dict, or an object with the fields,
    to a record, defaults filled in; a Python enum's member to its name; a tuple to a list. `at` is
    the name of the value in messages. Whether a `json` can be stored is for `values.encode` to say.
    """
    try:
        return _conform(value, type, schema, at)
    except RecursionError as fault:
        raise Mismatch(at, f"{type}", "nested too deep, or holds itself") from fault


def _conform(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    return _CHECKS[type_.kind](value, type_, schema, at)


_Check = Callable[[Any, Type, Schema, str], Any]


def _wrong(value: object, type_: Type, at: str) -> Mismatch:
    return Mismatch(at, str(type_), brief(value))


def _exactly(kind: type) -> _Check:
    def check(value: Any, type_: Type, schema: Schema, at: str) -> Any:
        if kind_of(value) is not kind:
            raise _wrong(value, type_, at)
        return value

    return check


def _plain(kind: type, make: Callable[[Any], Any]) -> _Check:
    """Makes a subclass, such as numpy's float, plain; bools and members of enums are no numbers."""

    def check(value: Any, type_: Type, schema: Schema, at: str) -> Any:
        given = kind_of(value)
        if given is kind:
            return value
        if not issubclass(given, kind) or given is bool or issubclass(given, Enum):
            raise _wrong(value, type_, at)
        return make(value)

    return check


_plain_float = _plain(float, float.__float__)


def _float(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    if kind_of(value) is not int:
        return _plain_float(value, type_, schema, at)
    try:
        return float(value)
    except OverflowError as fault:
        raise _wrong(value, type_, at) from fault


def _decimal(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    made = Decimal(value) if kind_of(value) is int else value
    if kind_of(made) is not Decimal:
        raise _wrong(value, type_, at)
    if not made.is_finite() or abs(made.adjusted()) > LARGEST_EXPONENT:
        raise Mismatch(at, f"{type_} of at most {LARGEST_EXPONENT:,} places", brief(value))
    return made


def _json(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    return adopt(value)


def _optional(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    if value is None:
        return None
    try:
        return _conform(value, _inner(type_), schema, at)
    except Mismatch as fault:
        if fault.path != at:
            raise
        raise Mismatch(at, f"{fault.expected} or none", fault.got) from None


def _list(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    if kind_of(value) is not list and kind_of(value) is not tuple:
        raise _wrong(value, type_, at)
    of = _inner(type_)
    return [_conform(item, of, schema, f"{at}[{n}]") for n, item in enumerate(value)]


def _map(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    if kind_of(value) is not dict:
        raise _wrong(value, type_, at)
    of = _inner(type_)
    for key in value:
        if kind_of(key) is not str:
            raise Mismatch(at, f"{type_} with texts as keys", f"a map with the key {brief(key)}")
    return {key: _conform(item, of, schema, inside(at, key)) for key, item in value.items()}


def _enum(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    members = schema.enums[type_.name]
    name = value
    if issubclass(kind_of(value), Enum):
        # Where Python reserves a member's name, its value is the name.
        name = value.name if value.name in members else value.value
    if kind_of(name) is not str or name not in members:
        raise Mismatch(at, f"{type_.name} ({', '.join(members)})", brief(value))
    return name


def _secret(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    if kind_of(value) is Secret:
        return value
    # What stands here may be the secret itself: only its kind is said.
    raise Mismatch(at, f"{type_}, given as env:NAME", f"a {kind_of(value).__name__}")


def _record(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    given = _given(value, type_, at)
    shapes = schema.records[type_.name]
    made: dict[str, Any] = {}
    for name, shape in shapes.items():
        if name in given:
            made[name] = _conform(given.pop(name), shape.type, schema, inside(at, name))
        elif shape.optional:
            made[name] = decode(shape.default)
        else:
            raise Mismatch(inside(at, name), str(shape.type), "missing")
    for key in given:
        has = ", ".join(shapes) or "no fields"
        raise Mismatch(inside(at, key), f"left out ({type_.name} has {has})", "there")
    return Record(type_.name, made)


def _given(value: Any, type_: Type, at: str) -> dict[Any, Any]:
    if kind_of(value) is dict:
        return dict(value)
    if kind_of(value) is Record:
        if value.name != type_.name:
            raise _wrong(value, type_, at)
        return dict(value.fields)
    try:
        fields = fields_of(value)
    except Exception as fault:
        raise Mismatch(at, str(type_), f"{brief(value)} whose fields cannot be read") from fault
    if fields is None:
        raise _wrong(value, type_, at)
    return fields


def inside(at: str, key: object) -> str:
    """Extends the path of a value by a field or key; a long one is not repeated."""
    if not isinstance(key, str) or len(key) > 60:
        return f"{at}[...]"
    return f"{at}.{key}" if at else key


def _inner(type_: Type) -> Type:
    if type_.of is None:
        raise TypeError(f"the type {type_.kind} has no item type")
    return type_.of


_CHECKS: dict[str, _Check] = {
    "str": _plain(str, str.__str__),
    "int": _plain(int, int.__int__),
    "float": _float,
    "decimal": _decimal,
    "bool": _exactly(bool),
    "bytes": _exactly(bytes),
    "date": _exactly(date),
    "datetime": _exactly(datetime),
    "duration": _exactly(timedelta),
    "json": _json,
    "none": _exactly(type(None)),
    "list": _list,
    "map": _map,
    "optional": _optional,
    "secret": _secret,
    "record": _record,
    "enum": _enum,
}
