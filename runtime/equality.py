"""When two values are the same for `==`, `in` and `unique`: exact, typed, and true to instants."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from .arithmetic import Failed, instant
from .display import brief
from .scalars import kind_of
from .values import Record, Secret


def identity(value: Any, spend: Callable[[int], None] = lambda _: None) -> Any:
    """Gives a hashable Python value that equals another's exactly when the language says `==`.

    Numbers are compared by their exact value, whatever their kinds; true is no number; times with
    a zone are compared as instants; the order of a map's keys does not count; NaN equals nothing.
    `spend` is told of the work. Raises `Failed` for what is no value of the language.
    """
    kind = kind_of(value)
    if kind is str:
        spend(len(value) >> 6)
        return value
    if value is None or kind in (int, float, Decimal):
        return value
    if kind is list or kind is tuple:
        spend(len(value))
        return (list, tuple([identity(item, spend) for item in value]))
    if kind is dict:
        return (dict, _fields(value, spend))
    if kind is Record:
        return (Record, value.name, _fields(value.fields, spend))
    if kind is datetime:
        return (datetime, instant(value))
    if kind is set or kind is frozenset:
        return (set, frozenset([identity(item, spend) for item in value]))
    if kind is Secret:
        return (Secret, value.reference)
    if kind in (bool, bytes, date, timedelta, UUID):
        return (kind, value)
    raise Failed(f"{brief(value)} cannot be compared")


def _fields(fields: dict[str, Any], spend: Callable[[int], None]) -> frozenset[Any]:
    spend(len(fields))
    return frozenset([(key, identity(item, spend)) for key, item in fields.items()])


def same(left: Any, right: Any, spend: Callable[[int], None] = lambda _: None) -> bool:
    """Says whether two values are the same for `==`."""
    kind = kind_of(left)
    if kind is kind_of(right) and kind in (int, bool, float):
        return bool(left == right)
    return bool(identity(left, spend) == identity(right, spend))
