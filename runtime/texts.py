"""Texts that stand for what JSON has no form for: decimals, dates, times, durations, bytes."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from .functions import FUNCTIONS

_DURATION = re.compile(r"(-?[0-9]{1,20}(?:\.[0-9]{1,6})?)(ms|s|m|h|d)")
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}


def _read_date(text: str) -> date:
    if len(text) != len("2026-01-31"):
        raise ValueError(text)
    return date.fromisoformat(text)


def _read_duration(text: str) -> timedelta:
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    micros = Fraction(found[1]) * (_UNITS[found[2]] // timedelta(microseconds=1))
    if micros.denominator != 1:
        raise ValueError(text)
    return timedelta(microseconds=micros.numerator)


def _read_bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as fault:
        raise ValueError(text) from fault


TEXTS: dict[str, Callable[[str], Any]] = {
    "decimal": FUNCTIONS["decimal"],
    "bytes": _read_bytes,
    "date": _read_date,
    "datetime": datetime.fromisoformat,
    "duration": _read_duration,
}
"""By kind of type; each raises `ValueError`, `OverflowError` or `Failed` for another text."""

EXAMPLES = {
    "decimal": 'such as "12.50"',
    "bytes": "as base64",
    "date": 'such as "2026-01-31"',
    "datetime": 'such as "2026-01-31T12:00:00+01:00"',
    "duration": 'such as "5m"',
}
"""How such texts are written, for messages."""
