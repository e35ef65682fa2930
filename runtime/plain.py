"""Values as plain JSON for people and programs outside, and JSON from outside as values."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from .arithmetic import Failed
from .display import brief, duration
from .formula import Type
from .functions import FUNCTIONS
from .scalars import digits
from .shapes import Mismatch, Schema, conform, inside
from .values import Record, Secret

_DURATION = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,6})?)(ms|s|m|h|d)")
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


def to_plain(value: object) -> Any:
    """Gives a value as JSON builtins without tags: what people and other programs expect to read.

    Decimals, and ints beyond 64 bits, become texts, so that no reader rounds them.
    """
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -(2**63) <= value < 2**63 else digits(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return str(value)
        case date():
            return value.isoformat()
        case timedelta():
            return duration(value)
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case UUID():
            return str(value)
        case Secret():
            return value.reference
        case Record():
            return {key: to_plain(item) for key, item in value.fields.items()}
        case dict():
            return {str(key): to_plain(item) for key, item in value.items()}
        case list() | tuple():
            return [to_plain(item) for item in value]
        case set() | frozenset():
            return sorted(map(to_plain, value), key=json.dumps)
        case _:
            return brief(value)


def read_json(text: str | bytes) -> Any:
    """Reads JSON with numbers kept exact: those with a point or exponent become decimals.

    Raises `ValueError` with the place of the fault.
    """
    try:
        return _DECODER.decode(text)
    except msgspec.DecodeError as fault:
        raise ValueError(f"this is not JSON: {fault}") from fault
    except RecursionError as fault:
        raise ValueError("this JSON is nested too deep") from fault


_DECODER = msgspec.json.Decoder(float_hook=Decimal)


def read_input(value: object, type: Type, schema: Schema, at: str = "") -> Any:
    """Gives JSON from outside as a value of a type; texts stand for what JSON has no form for.

    `"12.50"` is a decimal, `"2026-01-31"` a date, `"5m"` a duration, `"env:NAME"` a secret. Raises
    `Mismatch`, which never repeats what was given for a secret.
    """
    try:
        return _read(value, type, schema, at)
    except RecursionError as fault:
        raise Mismatch(at, str(type), "nested too deep") from fault


def read_text(text: str, type: Type, schema: Schema, at: str = "") -> Any:
    """Gives a value written as one text, such as `--set qty=3`: JSON for what no text stands for.

    Raises `Mismatch`.
    """
    wanted = type.of if type.kind == "optional" and type.of else type
    if wanted is not type and wanted.kind != "str" and text == "none":
        return None
    if wanted.kind in _TEXTS or wanted.kind in ("str", "enum", "secret"):
        return read_input(text, wanted, schema, at)
    try:
        return read_input(read_json(text), type, schema, at)
    except ValueError as fault:
        raise Mismatch(at, f"{type}, written as JSON", brief(text)) from fault


def _read(value: Any, type_: Type, schema: Schema, at: str) -> Any:
    of = type_.of
    match type_.kind:
        case "optional" if of:
            return None if value is None else _read(value, of, schema, at)
        case "list" if of and isinstance(value, list):
            return [_read(item, of, schema, f"{at}[{n}]") for n, item in enumerate(value)]
        case "map" if of and isinstance(value, dict):
            return {k: _read(item, of, schema, inside(at, k)) for k, item in value.items()}
        case "record" if isinstance(value, dict):
            shapes = schema.records[type_.name]
            given = {
                k: _read(item, shapes[k].type, schema, inside(at, k)) if k in shapes else item
                for k, item in value.items()
            }
            return conform(given, type_, schema, at)
        case "secret" if isinstance(value, str):
            try:
                return Secret(value)
            except ValueError:
                raise Mismatch(at, "given as env:NAME, by reference", "another text") from None
        case "json":
            return _json(value)
        case kind if kind in _TEXTS and not isinstance(value, bool):
            return conform(_written(value, type_, at), type_, schema, at)
        case _:
            return conform(value, type_, schema, at)


def _written(value: Any, type_: Type, at: str) -> Any:
    if isinstance(value, str):
        try:
            return _TEXTS[type_.kind](value)
        except (ValueError, OverflowError, Failed) as fault:
            raise Mismatch(at, f"{type_} ({_EXAMPLES[type_.kind]})", brief(value)) from fault
    if isinstance(value, float) and type_.kind == "decimal":
        return _TEXTS["decimal"](repr(value))
    if isinstance(value, Decimal) and type_.kind == "float":
        return _TEXTS["float"](str(value))
    return value


def _json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    return value


def _read_date(text: str) -> date:
    if len(text) != len("2026-01-31"):
        raise ValueError(text)
    return date.fromisoformat(text)


def _read_duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    micros = Decimal(found[1]) * (_UNITS[found[2]] // timedelta(microseconds=1))
    if micros != int(micros):
        raise ValueError(text)
    return timedelta(microseconds=int(micros))


def _read_bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as fault:
        raise ValueError(text) from fault


def _read_float(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else FUNCTIONS["float"](text)


_TEXTS: dict[str, Callable[[str], Any]] = {
    "int": FUNCTIONS["int"],
    "float": _read_float,
    "decimal": FUNCTIONS["decimal"],
    "bytes": _read_bytes,
    "date": _read_date,
    "datetime": datetime.fromisoformat,
    "duration": _read_duration,
}
_EXAMPLES = {
    "int": "such as 12",
    "float": "such as 12.5",
    "decimal": 'such as "12.50"',
    "bytes": "as base64",
    "date": 'such as "2026-01-31"',
    "datetime": 'such as "2026-01-31T12:00:00+01:00"',
    "duration": 'such as "5m"',
}
