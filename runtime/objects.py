"""Objects of Python classes that declare their fields, read as records."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from .scalars import kind_of
from .values import DEPTH, Record


def fields_of(value: object) -> dict[str, Any] | None:
    """Gives the declared fields of a dataclass object or msgspec struct, and None for all else.

    Reading a field may run the user's own code; whatever that raises is raised here.
    """
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        # Where Python reserves a field's name, a generated class keeps the own one beside it.
        return {
            field.metadata.get("saga", field.name): getattr(value, field.name)
            for field in dataclasses.fields(value)
        }
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    return None


def adopt(value: object) -> Any:
    """Gives objects with declared fields as records of their class's name, at every depth.

    For answers whose type is unknown or not met. All else stays: `values.encode` judges it.
    """
    return _adopt(value, 0)


def _adopt(value: Any, depth: int) -> Any:
    kind = kind_of(value)
    if depth > DEPTH or kind in _PLAIN:
        return value
    if kind is list:
        return [_adopt(item, depth + 1) for item in value]
    if kind is dict:
        return {key: _adopt(item, depth + 1) for key, item in value.items()}
    if kind is Record:
        return Record(value.name, {k: _adopt(v, depth + 1) for k, v in value.fields.items()})
    try:
        fields = fields_of(value)
    except Exception:
        # An object that cannot be read is no record; storing it is refused later, with its class.
        return value
    if fields is None:
        return value
    return Record(kind.__name__, {k: _adopt(v, depth + 1) for k, v in fields.items()})


_PLAIN = frozenset((str, int, float, bool, type(None), bytes))
