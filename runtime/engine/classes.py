"""Records and enums as Python classes: what tools are given, and what people import."""

from __future__ import annotations

import dataclasses
import datetime as dt
import keyword
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import Enum as PyEnum, StrEnum
from typing import Any

from ..formula import Type
from ..plan import Enum, Plan, Record as Declared
from ..scalars import kind_of
from ..shapes import Schema
from ..values import Record, Secret, decode

Convert = Callable[[Any, Mapping[str, str]], Any]
"""Gives a value as Python code takes it; the second argument has the secrets by reference."""

_ANNOTATIONS: dict[str, Any] = {
    "str": str, "int": int, "float": float, "decimal": Decimal, "bool": bool, "bytes": bytes,
    "date": dt.date, "datetime": dt.datetime, "duration": dt.timedelta, "none": None,
}  # fmt: skip


class Classes:
    """The Python classes of one plan's records and enums: those of a module, the rest made here."""

    def __init__(
        self, plan: Plan, schema: Schema, given: Mapping[str, type] | Sequence[type] = ()
    ) -> None:
        known = dict(given) if isinstance(given, Mapping) else {c.__name__: c for c in given}
        self._schema = schema
        self.by_name: dict[str, type] = {}
        for enum in plan.enums:
            self.by_name[enum.name] = known.get(enum.name) or _enum_class(enum)
        for record in plan.records:
            self.by_name[record.name] = known.get(record.name) or self._record_class(record)
        self._members: dict[str, dict[str, Any]] = {
            enum.name: _members(self.by_name[enum.name], enum) for enum in plan.enums
        }
        self._fields = {record.name: self._field_converters(record) for record in plan.records}

    def convert(self, type_: Type) -> Convert | None:
        """Gives how values of a type become Python's; None when they are it already."""
        match type_.kind:
            case "json":
                return self._any
            case "secret":
                return _secret
            case "enum":
                members = self._members[type_.name]
                return lambda value, secrets: members.get(value, value)
            case "record":
                return self._record
            case "list" | "map" | "optional" if type_.of is not None:
                return _container(type_.kind, self.convert(type_.of))
            case _:
                return None

    def _record(self, value: Any, secrets: Mapping[str, str]) -> Any:
        if type(value) is not Record:
            return value
        return self._instance(value, secrets)

    def _instance(self, value: Record, secrets: Mapping[str, str]) -> Any:
        fields = self._fields.get(value.name)
        if fields is None:
            return {k: self._any(v, secrets) for k, v in value.fields.items()}
        made: dict[str, Any] = {}
        for name, item in value.fields.items():
            attribute, of = fields[name]
            made[attribute] = item if of is None else of(item, secrets)
        return self.by_name[value.name](**made)

    def _any(self, value: Any, secrets: Mapping[str, str]) -> Any:
        """Copies what is changeable: a tool may do with its arguments what it likes."""
        kind = kind_of(value)
        if kind is list:
            return [self._any(item, secrets) for item in value]
        if kind is dict:
            return {k: self._any(v, secrets) for k, v in value.items()}
        if kind is Record:
            return self._instance(value, secrets)
        return _secret(value, secrets)

    def _field_converters(self, record: Declared) -> dict[str, tuple[str, Convert | None]]:
        cls = self.by_name[record.name]
        attributes = {field.name: field.name for field in record.fields}
        if dataclasses.is_dataclass(cls):
            for field in dataclasses.fields(cls):
                attributes[field.metadata.get("saga", field.name)] = field.name
        # A record may hold itself in a list: its own converter is looked up by name when it runs.
        return {f.name: (attributes[f.name], self.convert(f.type)) for f in record.fields}

    def _record_class(self, record: Declared) -> type:
        fields: list[tuple[str, Any, Any]] = []
        for parameter in record.fields:
            name = _attribute(parameter.name)
            metadata = {} if name == parameter.name else {"saga": parameter.name}
            shape = self._schema.records[record.name][parameter.name]
            if shape.optional:
                default = self._default(parameter.type, shape.default)
                field = dataclasses.field(default_factory=default, metadata=metadata)
            else:
                field = dataclasses.field(metadata=metadata)
            fields.append((name, self._annotation(parameter.type), field))
        made = dataclasses.make_dataclass(record.name, fields, frozen=True, kw_only=True)
        made.__doc__ = record.doc or f"The record {record.name}."
        return made

    def _default(self, type_: Type, wire: Any) -> Callable[[], Any]:
        def make() -> Any:
            of = self.convert(type_)
            value = decode(wire)
            return value if of is None else of(value, {})

        return make

    def _annotation(self, type_: Type) -> Any:
        match type_.kind:
            case "optional" if type_.of is not None:
                of = self._annotation(type_.of)
                return Any if of is Any else of | None
            case "list" if type_.of is not None:
                return list[self._annotation(type_.of)]  # type: ignore[misc]
            case "map" if type_.of is not None:
                return dict[str, self._annotation(type_.of)]  # type: ignore[misc]
            case "record" | "enum":
                return self.by_name.get(type_.name, Any)
            case kind:
                return _ANNOTATIONS.get(kind, Any)


def _container(kind: str, of: Convert | None) -> Convert | None:
    if kind == "optional":
        if of is None:
            return None
        return lambda value, secrets: None if value is None else of(value, secrets)
    if kind == "list":
        if of is None:
            return lambda value, secrets: list(value)
        return lambda value, secrets: [of(item, secrets) for item in value]
    if of is None:
        return lambda value, secrets: dict(value)
    return lambda value, secrets: {k: of(v, secrets) for k, v in value.items()}


def _attribute(name: str) -> str:
    # What generated modules do too: Python's own words get a mark behind them.
    return f"{name}_" if keyword.iskeyword(name) or name in dir(object) else name


def _enum_class(enum: Enum) -> type:
    members = [(_attribute(member), member) for member in enum.members]
    safe = all(not hasattr(str, name) for name, _ in members)
    made: Any = StrEnum(enum.name, members) if safe else PyEnum(enum.name, members)
    made.__doc__ = enum.doc or f"The enum {enum.name}."
    return made  # type: ignore[no-any-return]


def _members(cls: Any, enum: Enum) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for member in cls:
        name = member.value if member.value in enum.members else member.name
        found[name] = member
    return found


def _secret(value: Any, secrets: Mapping[str, str]) -> Any:
    return secrets[value.reference] if type(value) is Secret else value
