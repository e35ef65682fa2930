"""The language's own functions, as pure functions of live values; `signatures` says their types."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal, DecimalException
from functools import cmp_to_key
from typing import Any

from .arithmetic import (
    LARGEST_EXPONENT,
    PLACES,
    Failed,
    bounded,
    compute,
    decimals,
    is_number,
    negate,
    order,
)
from .display import LONGEST, Unshowable, brief, show
from .equality import identity
from .scalars import DIGITS, kind_of

ITEMS = 1_000_000
"""Most items that a list made by an expression may have."""

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,6})?")
_CONTEXT = decimals()


def text(value: Any) -> str:
    """Gives a value that must be a text. Raises `Failed`."""
    if isinstance(value, str):
        return value
    raise Failed(f"a text is needed, not {brief(value)}")


def items(value: Any) -> Any:
    """Gives a value that must be a list (or a tuple inside a json). Raises `Failed`."""
    if kind_of(value) is not list and kind_of(value) is not tuple:
        raise Failed(f"a list is needed, not {brief(value)}")
    return value


def whole(value: Any) -> int:
    """Gives a value that must be an int. Raises `Failed`."""
    if isinstance(value, int) and kind_of(value) is int:
        return value
    raise Failed(f"an int is needed, not {brief(value)}")


def few(value: list[Any]) -> list[Any]:
    """Gives a list back when it is not too long. Raises `Failed`."""
    if len(value) > ITEMS:
        raise Failed(f"a list would have more than {ITEMS:,} items")
    return value


def shown(value: Any) -> str:
    """Gives the text of any value but a secret. Raises `Failed`."""
    try:
        return show(value)
    except Unshowable as fault:
        raise Failed(f"this cannot be made a text: {fault}") from fault


def _len(value: Any) -> int:
    if kind_of(value) not in (str, list, tuple, dict, bytes):
        raise Failed(f"len() does not work on {brief(value)}")
    return len(value)


def _sum(values: Any) -> Any:
    total: Any = 0
    for value in items(values):
        if not is_number(value):
            raise Failed(f"sum() adds numbers, not {brief(value)}")
        total = compute("+", total, value)
    return total


def _extreme(sign: int) -> Callable[..., Any]:
    def extreme(*values: Any) -> Any:
        best: Any = None
        for n, value in enumerate(items(values[0]) if len(values) == 1 else values):
            if n == 0:
                order(value, value)
                best = value
            elif _compare(value, best) * sign > 0:
                best = value
        return best

    return extreme


def _compare(left: Any, right: Any) -> int:
    one, other = order(left, right)
    return int(one > other) - int(one < other)


def _round(value: Any, places: Any = None) -> Any:
    if not is_number(value):
        raise Failed(f"round() does not work on {brief(value)}")
    if places is None:
        return _int(value if kind_of(value) is int else _rounded(value, 0))
    if not -PLACES <= whole(places) <= PLACES:
        raise Failed(f"round() takes -{PLACES} to {PLACES} places, not {brief(places)}")
    if kind_of(value) is int:
        return int(_rounded(Decimal(value), places)) if places < 0 else value
    return _rounded(value, places)


def _rounded(value: Any, places: int) -> Any:
    try:
        if kind_of(value) is float:
            return bounded(round(bounded(value), places))
        return value.quantize(_CONTEXT.scaleb(Decimal(1), -places), context=_CONTEXT)
    except (ArithmeticError, DecimalException) as fault:
        raise Failed(f"{brief(value)} cannot be rounded to {places} places") from fault


def _abs(value: Any) -> Any:
    if kind_of(value) is Decimal:
        return value.copy_abs()
    if not is_number(value) and kind_of(value) is not timedelta:
        raise Failed(f"abs() does not work on {brief(value)}")
    return negate(value) if value < kind_of(value)(0) else value


def _int(value: Any) -> int:
    kind = kind_of(value)
    try:
        if kind is str and _INTEGER.fullmatch(value) and len(value) <= DIGITS:
            return int(Decimal(value))
        if kind is int or kind is float or (kind is Decimal and _small(value)):
            return int(value)
    except (ArithmeticError, ValueError):
        pass
    raise Failed(f"{brief(value)} cannot be made an int")


def _small(value: Decimal) -> bool:
    return value.is_finite() and abs(value.adjusted()) <= LARGEST_EXPONENT


def _decimal(value: Any) -> Decimal:
    made: Decimal | None = None
    kind = kind_of(value)
    written = kind is str and len(value) <= DIGITS and _NUMBER.fullmatch(value)
    if written or kind is int or kind is Decimal:
        made = Decimal(value)
    elif kind is float:
        # The shortest text that means this float: 0.1 becomes 0.1, not its 55 binary digits.
        made = Decimal(repr(value))
    if made is None or not _small(made):
        raise Failed(f"{brief(value)} cannot be made a decimal")
    return made


def _float(value: Any) -> float:
    try:
        if is_number(value) or (kind_of(value) is str and _NUMBER.fullmatch(value)):
            return float(bounded(float(value)))
    except (ArithmeticError, ValueError):
        pass
    raise Failed(f"{brief(value)} cannot be made a float")


def _lower(value: Any) -> str:
    return text(value).lower()


def _upper(value: Any) -> str:
    return text(value).upper()


def _trim(value: Any) -> str:
    return text(value).strip()


def _split(value: Any, separator: Any = None) -> list[str]:
    if separator is not None and not text(separator):
        raise Failed("split() needs a separator that is not empty")
    return few(text(value).split(separator))


def _join(values: Any, separator: Any) -> str:
    parts = [text(value) for value in items(values)]
    between = text(separator)
    size = sum(map(len, parts)) + len(between) * max(0, len(parts) - 1)
    if size > LONGEST:
        raise Failed(f"a text would have more than {LONGEST:,} characters")
    return between.join(parts)


def _map(value: Any) -> Any:
    if kind_of(value) is not dict:
        raise Failed(f"a map is needed, not {brief(value)}")
    return value


def _keys(value: Any) -> list[str]:
    return list(_map(value))


def _values(value: Any) -> list[Any]:
    return list(_map(value).values())


def truth(value: Any) -> bool:
    """Gives a value that must be true or false. Raises `Failed`."""
    if value is True or value is False:
        return value
    raise Failed(f"true or false is needed, not {brief(value)}")


def _any(values: Any) -> bool:
    return any(truth(value) for value in items(values))


def _all(values: Any) -> bool:
    return all(truth(value) for value in items(values))


def _default(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _unique(values: Any) -> list[Any]:
    seen: set[Any] = set()
    kept: list[Any] = []
    for value in items(values):
        key = identity(value)
        if key not in seen:
            seen.add(key)
            kept.append(value)
    return kept


def _sorted(values: Any) -> list[Any]:
    for value in items(values)[:1]:
        order(value, value)
    return sorted(items(values), key=cmp_to_key(_compare))


def _range(first: Any, end: Any = None) -> list[int]:
    start, stop = (0, whole(first)) if end is None else (whole(first), whole(end))
    if stop - start > ITEMS:
        raise Failed(f"a list would have more than {ITEMS:,} items")
    return list(range(start, stop))


def _chunks(values: Any, size: Any) -> list[list[Any]]:
    if whole(size) < 1:
        raise Failed(f"chunks() needs a size of 1 or more, not {brief(size)}")
    return [list(items(values)[n : n + size]) for n in range(0, len(items(values)), size)]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": _len,
    "sum": _sum,
    "min": _extreme(-1),
    "max": _extreme(1),
    "round": _round,
    "abs": _abs,
    "str": shown,
    "int": _int,
    "decimal": _decimal,
    "float": _float,
    "lower": _lower,
    "upper": _upper,
    "trim": _trim,
    "split": _split,
    "join": _join,
    "keys": _keys,
    "values": _values,
    "any": _any,
    "all": _all,
    "default": _default,
    "unique": _unique,
    "sorted": _sorted,
    "range": _range,
    "chunks": _chunks,
}
"""By name; `started_at` is not here: it is the environment's."""
