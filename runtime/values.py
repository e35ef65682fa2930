"""The stored form of values: JSON with tags, from which each returns equal and with its type.

What cannot come back so is refused with a reason. A dict with a key that begins with `$` is a tag;
a user's own dict with such a key is wrapped in `$map`, so data that looks like a tag stays data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from .scalars import ENCODERS, Damaged, Unstorable, decode_scalar, kind_of

__all__ = [
    "DEPTH", "LIMIT", "PARTS", "Damaged", "Record", "Secret", "Unstorable", "decode", "digest",
    "encode", "measure",
]  # fmt: skip

LIMIT = 256 * 1024 * 1024
"""Most bytes that one stored value may have."""

DEPTH = 100
"""How deep lists, maps and records may be nested."""

PARTS = 10_000_000
"""Most items that one value may have, at all depths together: short values can share much."""

_SMALL = 2**63
_REFERENCE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*")


class Record:
    """A value of a declared record: its name and its fields. Not to be changed once made."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str, fields: Mapping[str, Any]) -> None:
        self.name = name
        self.fields: dict[str, Any] = dict(fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self.name == other.name and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class Secret:
    """Where a secret is found (`env:NAME`); the secret itself is never in it.

    Raises `ValueError` for any other text, which is not repeated: it may be the secret.
    """

    __slots__ = ("reference",)

    def __init__(self, reference: str) -> None:
        if not _REFERENCE.fullmatch(reference):
            raise ValueError("a secret is given as env:NAME, the name of an environment variable")
        self.reference = reference

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.reference == other.reference

    def __hash__(self) -> int:
        return hash((Secret, self.reference))

    def __repr__(self) -> str:
        return f"Secret({self.reference!r})"


def encode(value: Any) -> Any:
    """Gives the stored form of a value: JSON builtins that share nothing changeable with it.

    Raises `Unstorable` with a reason that names the part at fault.
    """
    # Most values are short texts, which need no account of their parts.
    if kind_of(value) is str and len(value) < 64 and value.isascii():
        return value
    try:
        return _Encoder().value(value, 0)
    except RecursionError as fault:
        raise Unstorable(_TOO_DEEP) from fault
    except RuntimeError as fault:  # A dict or set says so when another thread changes it.
        raise Unstorable("the value changed while it was being stored") from fault


_TOO_DEEP = f"it is nested more than {DEPTH} deep, or holds itself"


class _Encoder:
    """One encoding: counts parts, because a small value may hold one list a million times."""

    __slots__ = ("bytes", "parts")

    def __init__(self) -> None:
        self.parts = PARTS
        self.bytes = LIMIT

    def value(self, value: Any, depth: int) -> Any:
        kind = kind_of(value)
        if kind is str:
            return value if len(value) < 64 and value.isascii() else self.text(value)
        if value is None or kind is bool or (kind is int and -_SMALL < value < _SMALL):
            return value
        if kind is dict:
            return self.mapping(value, depth)
        if kind is list:
            return self.items(value, depth)
        if kind is bytes:
            self.spend(len(value))
        if encoder := ENCODERS.get(kind):
            return encoder(value)
        if kind is Record:
            return {"$record": self.text(value.name), "fields": self.fields(value.fields, depth)}
        if kind is Secret:
            return {"$secret": value.reference}
        if kind is tuple:
            return {"$tuple": self.items(value, depth)}
        if kind is set or kind is frozenset:
            # Sets have no order of their own, and iterate differently in every process.
            wires = sorted(self.items(value, depth), key=_canonical)
            return {f"${kind.__name__}": wires}
        raise Unstorable(_refusal(kind))

    def text(self, value: str) -> str:
        self.spend(len(value))
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as fault:
                raise Unstorable("a text with half of a surrogate pair cannot be stored") from fault
        return value

    def spend(self, size: int) -> None:
        self.bytes -= size
        if self.bytes < 0:
            raise Unstorable(f"it is larger than the limit of {LIMIT:,} bytes")

    def enter(self, size: int, depth: int) -> None:
        self.parts -= size
        if self.parts < 0:
            raise Unstorable(f"it has more than {PARTS:,} items in all")
        if depth >= DEPTH:
            raise Unstorable(_TOO_DEEP)

    def items(self, value: Any, depth: int) -> list[Any]:
        self.enter(len(value), depth)
        wires: list[Any] = []
        try:
            for item in value:
                wires.append(self.value(item, depth + 1))
        except Unstorable as fault:
            raise _inside(fault, f"[{len(wires)}]") from None
        return wires

    def mapping(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        wires = self.fields(value, depth)
        for key in wires:
            if key[:1] == "$":
                return {"$map": wires}
        return wires

    def fields(self, value: dict[Any, Any], depth: int) -> dict[str, Any]:
        self.enter(len(value), depth)
        wires: dict[str, Any] = {}
        key: Any = None
        try:
            for key, item in value.items():
                if kind_of(key) is not str:
                    raise Unstorable(f"keys must be texts, and one is {_a(kind_of(key))}")
                if len(key) >= 64 or not key.isascii():
                    self.text(key)
                kind = kind_of(item)
                # Written out here, for most items are short texts: a call costs more than all else.
                if kind is str and len(item) < 64 and item.isascii():
                    wires[key] = item
                else:
                    wires[key] = self.value(item, depth + 1)
        except Unstorable as fault:
            named = kind_of(key) is str and key.isidentifier() and len(key) < 64
            raise _inside(fault, f".{key}" if named else "[...]") from None
        return wires


def _inside(fault: Unstorable, step: str) -> Unstorable:
    # The path into something too deep, or into itself, is very long and says nothing.
    if fault.reason == _TOO_DEEP:
        return fault
    return Unstorable(fault.reason, step + fault.path)


def _a(kind: type[Any]) -> str:
    name = kind.__name__
    return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"


_PLAIN: tuple[type[Any], ...] = (*ENCODERS, str, dict, list, tuple, set, frozenset)


def _refusal(kind: type[Any]) -> str:
    if issubclass(kind, Enum):
        return f"a member of the Python enum {kind.__name__} cannot be stored; declare an enum"
    for plain in _PLAIN:
        if issubclass(kind, plain):
            return f"{_a(kind)}, a kind of {plain.__name__}, cannot be stored; make it a plain one"
    return f"{_a(kind)} cannot be stored; give texts, numbers, dates, lists, dicts or records"


def decode(wire: Any) -> Any:
    """Gives the value that was stored; it shares nothing changeable with the stored form.

    Raises `Damaged` for what `encode` never writes, such as a tag that does not exist.
    """
    if kind_of(wire) is str:
        return wire
    try:
        return _decode(wire)
    except RecursionError as fault:
        raise Damaged("a stored value is nested too deep") from fault


def _decode(wire: Any) -> Any:
    kind = kind_of(wire)
    if kind is str or wire is None or kind is bool or kind is int or kind is float:
        return wire
    if kind is list:
        return [_decode(item) for item in wire]
    if kind is not dict:
        raise Damaged(f"{_a(kind)} is not part of a stored value")
    for key in wire:
        if key[:1] == "$":
            return _tagged(key, wire)
    return {key: _decode(item) for key, item in wire.items()}


def _tagged(tag: str, wire: dict[str, Any]) -> Any:
    payload = wire[tag]
    if len(wire) > 1:
        if tag == "$record" and len(wire) == 2 and "fields" in wire and kind_of(payload) is str:
            return Record(payload, _mapping(wire["fields"]))
        rest = {key: item for key, item in wire.items() if key != tag}
        return decode_scalar(tag, payload, rest)
    match tag:
        case "$map":
            return _mapping(payload)
        case "$secret":
            try:
                return Secret(payload)
            except (TypeError, ValueError) as fault:
                raise Damaged("a reference to a secret is not well formed") from fault
        case "$tuple" if kind_of(payload) is list:
            return tuple(_decode(payload))
        case "$set" | "$frozenset" if kind_of(payload) is list:
            try:
                return (set if tag == "$set" else frozenset)(_decode(payload))
            except TypeError as fault:
                raise Damaged("a set holds what no set can hold") from fault
        case _:
            return decode_scalar(tag, payload)


def _mapping(wire: Any) -> dict[str, Any]:
    if kind_of(wire) is not dict:
        raise Damaged("a map is not well formed")
    return {key: _decode(item) for key, item in wire.items()}


def _canonical(wire: Any) -> bytes:
    return _CANON.encode(wire)


_CANON = msgspec.json.Encoder(order="deterministic")


def digest(wire: Any) -> str:
    """Identifies a stored value: 64 hexadecimal digits, equal for equal values in every process."""
    return hashlib.sha256(_CANON.encode(wire)).hexdigest()


def measure(wire: Any) -> int:
    """Gives the size of a stored value in bytes of JSON; raises `Unstorable` above `LIMIT`."""
    size = len(msgspec.json.encode(wire))
    if size > LIMIT:
        raise Unstorable(f"it has {size:,} bytes, more than the limit of {LIMIT:,} bytes")
    return size
