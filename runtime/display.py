"""How values read as text: in interpolated texts, in messages, and nowhere as a form to store."""

from __future__ import annotations

import base64
import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from .scalars import digits, kind_of
from .values import Record, Secret

LONGEST = 10_000_000
"""Most characters that a shown value may have."""


class Unshowable(Exception):
    """A value has no text: it is a secret, or its text would be too long."""


def show(value: object) -> str:
    """Gives the text of a value as the language writes it; a text itself stays as it is.

    Raises `Unshowable`.
    """
    if kind_of(value) is str:
        return value
    parts: list[str] = []
    _Writer(parts).write(value)
    return "".join(parts)


def quote(text: str) -> str:
    """Gives a text between quotation marks, with the escapes of JSON."""
    return json.dumps(text, ensure_ascii=False)


def brief(value: object) -> str:
    """Says what a value is in a few words, for messages.

    A long text is described and never cut: half of a secret could not be masked any more.
    """
    match value:
        case None:
            return "none"
        case bool() | int() | float() | Decimal() | date() | timedelta() if kind_of(value) in _PLAIN:
            shown = _scalar(value)
            return shown if shown is not None and len(shown) <= 40 else f"a long {_kind(value)}"
        case str() if kind_of(value) is str:
            shown = quote(value)
            many = f"a text of {len(value):,} characters"
            return many if len(shown) > 60 else f"the text {shown}"
        case list() | tuple():
            return f"a list of {_count(len(value), 'item')}"
        case dict():
            return f"a map with {_count(len(value), 'key')}"
        case Record():
            return f"the record {value.name}"
        case Secret():
            return "a secret"
        case bytes():
            return f"{_count(len(value), 'byte')}"
        case _:
            name = kind_of(value).__name__
            return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"


def duration(value: timedelta) -> str:
    """Writes a duration as the language does, in the largest unit that keeps it whole."""
    micros = value // timedelta(microseconds=1)
    for unit, size in _UNITS:
        if micros % size == 0:
            return f"{micros // size}{unit}"
    return f"{Decimal(micros).scaleb(-3):f}ms"


_UNITS = (
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
)
_PLAIN = frozenset((bool, int, float, Decimal, date, datetime, timedelta))


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _kind(value: object) -> str:
    return "number" if isinstance(value, int | float | Decimal) else kind_of(value).__name__


def _scalar(value: Any) -> str | None:
    kind = kind_of(value)
    if value is None:
        return "none"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return digits(value)
    if kind is float:
        return repr(value)
    if kind is Decimal:
        # A huge exponent makes a few stored bytes into gigabytes of zeros.
        return format(value, "f") if abs(value.adjusted()) < LONGEST else None
    if kind is date or kind is datetime:
        return str(value.isoformat())
    if kind is timedelta:
        return duration(value)
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    return None


class _Writer:
    """Collects the pieces of a text and stops when they are too many."""

    def __init__(self, parts: list[str]) -> None:
        self.parts = parts
        self.left = LONGEST

    def add(self, text: str) -> None:
        self.left -= len(text) + 1
        if self.left < 0:
            raise Unshowable(f"its text would have more than {LONGEST:,} characters")
        self.parts.append(text)

    def write(self, value: Any) -> None:
        match value:
            case str():
                self.add(quote(value))
            case list() | tuple():
                self.add("[")
                for n, item in enumerate(value):
                    self.add(", " if n else "")
                    self.write(item)
                self.add("]")
            case dict():
                self.pairs("{ ", value, " }") if value else self.add("{}")
            case Record():
                self.pairs(f"{value.name}(", value.fields, ")")
            case Secret():
                raise Unshowable("it is a secret")
            case _:
                shown = _scalar(value)
                if shown is None:
                    raise Unshowable(f"{brief(value)} has no text")
                self.add(shown)

    def pairs(self, start: str, fields: dict[str, Any], end: str) -> None:
        self.add(start)
        for n, (key, item) in enumerate(fields.items()):
            self.add(", " if n else "")
            self.add(f"{key if key.isidentifier() and key.isascii() else quote(key)}: ")
            self.write(item)
        self.add(end)
