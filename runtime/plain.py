"""Values as plain JSON for people and programs outside, and JSON from outside as values."""

from __future__ import annotations

import base64
import json
import math
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
from .scalars import digits, kind_of
from .shapes import Mismatch, Schema, conform, step, within
from .texts import EXAMPLES, TEXTS
from .values import Record, Secret


def to_plain(value: object) -> Any:
    """Gives a value as JSON builtins without tags: what people and other programs expect to read.

    Decimals, and ints beyond 64 bits, become texts, so that no reader rounds them.
    """
    given: Any = value
    kind = kind_of(given)
    if given is None or kind is bool or kind is str:
        return given
    if kind is list or kind is tuple:
        return [to_plain(item) for item in given]
    if kind is dict:
        return {key: to_plain(item) for key, item in given.items()}
    if kind is Record:
        return {key: to_plain(item) for key, item in given.fields.items()}
    if kind is int:
        return given if -(2**63) <= given < 2**63 else digits(given)
    if kind is float:
        return given if math.isfinite(given) else str(given)
    if kind is Secret:
        return given.reference
    if kind is set or kind is frozenset:
        return sorted(map(to_plain, given), key=json.dumps)
    if kind is date or kind is datetime:
        return given.isoformat()
    if kind is timedelta:
        return duration(given)
    if kind is bytes:
        return base64.b64encode(given).decode("ascii")
    if kind is Decimal or kind is UUID:
        return str(given)
    return brief(given)


def read_json(text: str | bytes) -> Any:
    """Reads JSON with numbers kept exact: those with a point or exponent become decimals.

    Raises `ValueError` with the place of the fault. A key that stands twice is one: whoever wrote
    both values meant both.
    """
    try:
        found = _DECODER.decode(text)
        json.loads(text, object_pairs_hook=_once, parse_float=str, parse_int=str)
        return found
    except msgspec.DecodeError as fault:
        raise ValueError(f"this is not JSON: {fault}") from fault
    except RecursionError as fault:
        raise ValueError("this JSON is nested too deep") from fault


def _once(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise ValueError(f"the key {json.dumps(name, ensure_ascii=False)} stands twice")
        seen.add(name)


_DECODER = msgspec.json.Decoder(float_hook=Decimal)


def read_input(value: object, type: Type, schema: Schema, at: str = "") -> Any:
    """Gives JSON from outside as a value of a type; texts stand for what JSON has no form for.

    `"12.50"` is a decimal, `"2026-01-31"` a date, `"5m"` a duration, `"env:NAME"` a secret. Raises
    `Mismatch`, which never repeats what was given for a secret.
    """
    try:
        return _read(value, type, schema)
    except Mismatch as fault:
        raise within(fault, at) from None
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


def _read(value: Any, type_: Type, schema: Schema) -> Any:
    kind = kind_of(value)
    of = type_.of
    if type_.kind == "optional" and of:
        return None if value is None else _read(value, of, schema)
    if type_.kind == "list" and of and kind is list:
        return [_read_part(item, of, schema, f"[{n}]") for n, item in enumerate(value)]
    if type_.kind == "map" and of and kind is dict:
        return {key: _read_part(item, of, schema, step(key)) for key, item in value.items()}
    if type_.kind == "record" and kind is dict:
        shapes = schema.records[type_.name]
        given = {
            key: _read_part(item, shapes[key].type, schema, step(key)) if key in shapes else item
            for key, item in value.items()
        }
        return conform(given, type_, schema)
    if type_.kind == "secret" and kind is str:
        try:
            return Secret(value)
        except ValueError:
            raise Mismatch("", "given as env:NAME, by reference", "another text") from None
    if type_.kind == "json":
        return _json(value)
    if type_.kind in _TEXTS:
        return conform(_written(value, type_), type_, schema)
    return conform(value, type_, schema)


def _read_part(value: Any, type_: Type, schema: Schema, part: str) -> Any:
    try:
        return _read(value, type_, schema)
    except Mismatch as fault:
        raise within(fault, part) from None


def _written(value: Any, type_: Type) -> Any:
    kind = kind_of(value)
    if kind is str:
        try:
            return _TEXTS[type_.kind](value)
        except (ValueError, OverflowError, Failed) as fault:
            raise Mismatch("", f"{type_} ({_EXAMPLES[type_.kind]})", brief(value)) from fault
    if kind is float and type_.kind == "decimal":
        return Decimal(repr(value))
    if kind is Decimal and type_.kind == "float":
        return float(value)
    return value


def _json(value: Any) -> Any:
    kind = kind_of(value)
    if kind is Decimal:
        return float(value)
    if kind is list:
        return [_json(item) for item in value]
    if kind is dict:
        return {key: _json(item) for key, item in value.items()}
    return value


def _read_float(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else FUNCTIONS["float"](text)


_TEXTS: dict[str, Callable[[str], Any]] = {
    "int": FUNCTIONS["int"],
    "float": _read_float,
    **TEXTS,
}
_EXAMPLES = {"int": "such as 12", "float": "such as 12.5", **EXAMPLES}
