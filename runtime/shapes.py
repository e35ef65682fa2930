"""The types of a plan, applied to values at every boundary: inputs, arguments, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from msgspec import Struct

from .arithmetic import Failed
from .display import brief
from .formula import Node, RecordOf, Type, children
from .objects import adopt, fields_of
from .plan import Plan
from .scalars import kind_of
from .texts import EXAMPLES, TEXTS
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
    """The records and enums that a plan knows, by name.

    With `texts`, values may come from where only JSON is known, as answers of services and agents
    do: a text stands for what JSON has no form for. A float is no decimal there either.
    """

    records: Mapping[str, Mapping[str, Shape]] = {}
    enums: Mapping[str, tuple[str, ...]] = {}
    texts: bool = False

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
    to a record, defaults filled in; a Python enum's member to its name; a tuple to a list; with
    `Schema.texts` a text to what JSON has no form for. `at` is the name of the value in messages.
    Whether a `json` can be stored is for `values.encode` to say.
    """
    if kind_of(value) is _EXACT.get(type.kind):
        return value
    try:
        return _CHECKS[type.kind](value, type, schema)
    except Mismatch as fault:
        raise within(fault, at) from None
    except RecursionError as fault:
        raise Mismatch(at, f"{type}", "nested too deep, or holds itself") from fault


def within(fault: Mismatch, part: str) -> Mismatch:
    """Gives a mismatch found in a part of a value as one of the whole: so the path is made."""
    dot = "." if part and fault.path and fault.path[0] != "[" else ""
    return Mismatch(f"{part}{dot}{fault.path}", fault.expected, fault.got)


def _conform(value: Any, type_: Type, schema: Schema) -> Any:
    return _CHECKS[type_.kind](value, type_, schema)


_Check = Callable[[Any, Type, Schema], Any]


def _wrong(value: object, type_: Type) -> Mismatch:
    return Mismatch("", str(type_), brief(value))


def _exactly(kind: type) -> _Check:
    def check(value: Any, type_: Type, schema: Schema) -> Any:
        return value if kind_of(value) is kind else _from_text(value, type_, schema)

    return check


def _from_text(value: Any, type_: Type, schema: Schema) -> Any:
    """Reads what a text stands for, where texts may."""
    if not schema.texts or kind_of(value) is not str or type_.kind not in TEXTS:
        raise _wrong(value, type_)
    try:
        return TEXTS[type_.kind](value)
    except (ValueError, OverflowError, Failed) as fault:
        raise Mismatch("", f"{type_} ({EXAMPLES[type_.kind]})", brief(value)) from fault


def _plain(kind: type, make: Callable[[Any], Any]) -> _Check:
    """Makes a subclass, such as numpy's float, plain; bools and members of enums are no numbers."""

    def check(value: Any, type_: Type, schema: Schema) -> Any:
        given = kind_of(value)
        if given is kind:
            return value
        if not issubclass(given, kind) or given is bool or issubclass(given, Enum):
            raise _wrong(value, type_)
        return make(value)

    return check


_plain_float = _plain(float, float.__float__)


def _float(value: Any, type_: Type, schema: Schema) -> Any:
    if kind_of(value) is not int:
        return _plain_float(value, type_, schema)
    try:
        return float(value)
    except OverflowError as fault:
        raise _wrong(value, type_) from fault


def _decimal(value: Any, type_: Type, schema: Schema) -> Any:
    made = Decimal(value) if kind_of(value) is int else value
    if kind_of(made) is not Decimal:
        made = _from_text(value, type_, schema)
    if not made.is_finite() or abs(made.adjusted()) > LARGEST_EXPONENT:
        raise Mismatch("", f"{type_} of at most {LARGEST_EXPONENT:,} places", brief(value))
    return made


def _json(value: Any, type_: Type, schema: Schema) -> Any:
    return adopt(value)


def _optional(value: Any, type_: Type, schema: Schema) -> Any:
    if value is None:
        return None
    try:
        return _conform(value, _inner(type_), schema)
    except Mismatch as fault:
        if fault.path:
            raise
        raise Mismatch("", f"{fault.expected} or none", fault.got) from None


def _list(value: Any, type_: Type, schema: Schema) -> Any:
    if kind_of(value) is not list and kind_of(value) is not tuple:
        raise _wrong(value, type_)
    of = _inner(type_)
    made: list[Any] = []
    try:
        for item in value:
            made.append(_conform(item, of, schema))
    except Mismatch as fault:
        raise within(fault, f"[{len(made)}]") from None
    return made


def _map(value: Any, type_: Type, schema: Schema) -> Any:
    if kind_of(value) is not dict:
        raise _wrong(value, type_)
    of = _inner(type_)
    made: dict[str, Any] = {}
    for key, item in value.items():
        if kind_of(key) is not str:
            got = f"a map with the key {brief(key)}"
            raise Mismatch("", f"{type_} with texts as keys", got)
        try:
            made[key] = _conform(item, of, schema)
        except Mismatch as fault:
            raise within(fault, step(key)) from None
    return made


def _enum(value: Any, type_: Type, schema: Schema) -> Any:
    members = schema.enums[type_.name]
    name = value
    if issubclass(kind_of(value), Enum):
        # Where Python reserves a member's name, its value is the name.
        name = value.name if value.name in members else value.value
    if kind_of(name) is not str or name not in members:
        raise Mismatch("", f"{type_.name} ({', '.join(members)})", brief(value))
    return name


def _secret(value: Any, type_: Type, schema: Schema) -> Any:
    if kind_of(value) is Secret:
        return value
    # What stands here may be the secret itself: only its kind is said.
    raise Mismatch("", f"{type_}, given as env:NAME", f"a {kind_of(value).__name__}")


def _record(value: Any, type_: Type, schema: Schema) -> Any:
    given = _given(value, type_)
    shapes = schema.records[type_.name]
    made: dict[str, Any] = {}
    for name, shape in shapes.items():
        if name in given:
            try:
                made[name] = _conform(given.pop(name), shape.type, schema)
            except Mismatch as fault:
                raise within(fault, step(name)) from None
        elif shape.optional:
            made[name] = decode(shape.default)
        else:
            raise Mismatch(step(name), str(shape.type), "missing")
    for key in given:
        has = ", ".join(shapes) or "no fields"
        raise Mismatch(step(key), f"left out ({type_.name} has {has})", "there")
    return Record(type_.name, made)


def _given(value: Any, type_: Type) -> dict[Any, Any]:
    if kind_of(value) is dict:
        return dict(value)
    if kind_of(value) is Record:
        if value.name != type_.name:
            raise _wrong(value, type_)
        return dict(value.fields)
    try:
        fields = fields_of(value)
    except Exception as fault:
        got = f"{brief(value)} whose fields cannot be read"
        raise Mismatch("", str(type_), got) from fault
    if fields is None:
        raise _wrong(value, type_)
    return fields


def step(key: object) -> str:
    """Gives a field or key as a part of a path; a long one is not repeated."""
    return key if isinstance(key, str) and 0 < len(key) <= 60 else "[...]"


def _inner(type_: Type) -> Type:
    if type_.of is None:
        raise TypeError(f"the type {type_.kind} has no item type")
    return type_.of


_EXACT: dict[str, type] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "bytes": bytes,
    "date": date,
    "datetime": datetime,
    "duration": timedelta,
}
"""A value of exactly this class is of the type as it is, which is soon said of most values."""

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
