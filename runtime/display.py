"""How values read as text: in interpolated texts, in messages, and nowhere as a form to store."""

from __future__ import annotations

import base64
import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

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
    if isinstance(value, str):
        return value
    writer = _Writer()
    writer.write(value)
    return "".join(writer.parts)


def quote(text: str) -> str:
    """Gives a text between quotation marks, with the escapes of JSON."""
    return json.dumps(text, ensure_ascii=False)


def brief(value: object) -> str:
    """Says what a value is in a few words, for messages.

    A long text is described and never cut: half of a secret could not be masked any more.
    """
    given: Any = value
    kind = kind_of(given)
    if kind is str:
        shown = quote(given)
        return f"the text {shown}" if len(shown) <= 60 else f"a text of {len(given):,} characters"
    if kind in _SHORT:
        return _scalar(given)
    if kind in (int, Decimal):
        shown = _scalar(given) if _length(given) <= 40 else ""
        return shown if 0 < len(shown) <= 42 else "a long number"
    if kind is list or kind is tuple:
        return f"a list of {_count(len(given), 'item')}"
    if kind is dict:
        return f"a map with {_count(len(given), 'key')}"
    if kind is bytes:
        return _count(len(given), "byte")
    if kind is Record:
        return f"the record {given.name}"
    if kind is Secret:
        return "a secret"
    return f"an {kind.__name__}" if kind.__name__[:1] in "aeiouAEIOU" else f"a {kind.__name__}"


def duration(value: timedelta) -> str:
    """Writes a duration as the language does, in the largest unit that keeps it whole."""
    micros = value // timedelta(microseconds=1)
    if not micros:
        return "0s"
    for unit, size in _UNITS:
        if micros % size == 0:
            return f"{micros // size}{unit}"
    whole, part = divmod(abs(micros), 1_000)
    return f"{'-' if micros < 0 else ''}{whole}.{part:03}".rstrip("0") + "ms"


_UNITS = (
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
)
_SHORT = frozenset((type(None), bool, float, date, datetime, timedelta))


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _length(value: int | Decimal) -> int:
    # About, and before it is made: a huge exponent makes a few bytes into gigabytes of zeros.
    if isinstance(value, Decimal):
        return abs(value.adjusted()) if value.is_finite() else 0
    return value.bit_length() * 3 // 10


def _scalar(value: Any) -> str:
    kind = kind_of(value)
    if value is None:
        return "none"
    if kind is bool:
        return "true" if value else "false"
    if kind is int and _length(value) <= LONGEST:
        return digits(value)
    if kind is float:
        return repr(value)
    if kind is Decimal and _length(value) <= LONGEST:
        return format(value, "f")
    if kind is date or kind is datetime:
        return str(value.isoformat())
    if kind is timedelta:
        return duration(value)
    if kind is bytes:
        return base64.b64encode(value).decode("ascii")
    if kind is UUID:
        return str(value)
    raise Unshowable(f"{brief(value)} has no text")


class _Writer:
    """Collects the pieces of a text and stops when they are too many."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left = LONGEST

    def add(self, text: str) -> None:
        self.left -= len(text) + 1
        if self.left < 0:
            raise Unshowable(f"its text would have more than {LONGEST:,} characters")
        self.parts.append(text)

    def write(self, value: Any) -> None:
        kind = kind_of(value)
        if kind is str:
            self.add(quote(value))
        elif kind is list or kind is tuple:
            self.add("[")
            for n, item in enumerate(value):
                self.add(", " if n else "")
                self.write(item)
            self.add("]")
        elif kind is dict:
            self.pairs("{ ", value, " }")
        elif kind is Record:
            self.pairs(f"{value.name}(", value.fields, ")")
        elif kind is Secret:
            raise Unshowable("it is a secret")
        else:
            self.add(_scalar(value))

    def pairs(self, start: str, fields: dict[str, Any], end: str) -> None:
        self.add(start if fields else start.strip())
        for n, (key, item) in enumerate(fields.items()):
            self.add(", " if n else "")
            self.add(f"{key if key.isidentifier() and key.isascii() else quote(key)}: ")
            self.write(item)
        self.add(end if fields else end.strip())
