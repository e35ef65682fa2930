"""Numbers, times and their order as the language has them: exact, bounded, everywhere the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from typing import Any

from .display import brief
from .scalars import DIGITS, fits, kind_of

PLACES = 50
"""Significant digits of every decimal that is computed."""

LARGEST_EXPONENT = 6_144
"""Decimals reach from 1E-6144 to 1E+6144, as in IEEE 754 decimal128."""

_MICRO = timedelta(microseconds=1)
_DAY = timedelta(days=1)


class Failed(Exception):
    """An expression has no value; the message says why, in a sentence for people."""


def decimals() -> Context:
    """Gives the context of all decimal arithmetic, whatever the caller's own is."""
    return Context(
        prec=PLACES,
        rounding=ROUND_HALF_EVEN,
        Emin=-LARGEST_EXPONENT,
        Emax=LARGEST_EXPONENT,
        capitals=1,
        clamp=0,
        flags=[],
        traps=[InvalidOperation, DivisionByZero, Overflow],
    )


_CONTEXT = decimals()


def is_number(value: object) -> bool:
    """True for an int, a float or a decimal, and false for a bool."""
    return kind_of(value) in (int, float, Decimal)


def compute(operator: str, left: Any, right: Any) -> Any:
    """Gives `left operator right` of numbers, texts, lists and times. Raises `Failed`."""
    kinds = (kind_of(left), kind_of(right))
    operation = _NUMERIC.get(operator) if kinds[0] in _RANK and kinds[1] in _RANK else None
    try:
        if operation is not None:
            return _numbers(operation, left, right)
        if timedelta in kinds or kinds in ((datetime, datetime), (date, date)):
            return _times(operator, left, right)
    except ZeroDivisionError as fault:
        raise Failed(f"division by zero: {brief(left)} {operator} {brief(right)}") from fault
    except (ArithmeticError, ValueError, DecimalException) as fault:
        raise Failed(f"{brief(left)} {operator} {brief(right)} is out of range") from fault
    raise Failed(f"`{operator}` does not work on {brief(left)} and {brief(right)}")


def _floor_decimal(left: Decimal, right: Decimal) -> Decimal:
    # Python's own `//` of decimals rounds towards zero, its `//` of ints downwards: here all do.
    if not right:
        raise ZeroDivisionError
    quotient = _CONTEXT.divide_int(left, right)
    rest = _CONTEXT.remainder(left, right)
    return _CONTEXT.subtract(quotient, 1) if rest and (rest < 0) != (right < 0) else quotient


def _rest_decimal(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise ZeroDivisionError
    rest = _CONTEXT.remainder(left, right)
    return _CONTEXT.add(rest, right) if rest and (rest < 0) != (right < 0) else rest


def _divide_decimal(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise ZeroDivisionError
    return _CONTEXT.divide(left, right)


def _multiply(left: int, right: int) -> int:
    # Before it is made: a product of long numbers is the only costly operation.
    if left.bit_length() + right.bit_length() > 4 * DIGITS:
        raise OverflowError
    return left * right


_RANK = {int: 0, float: 1, Decimal: 1}
_Operation = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any], Callable[[Any, Any], Any]]

# For each operator: on two ints, on two floats, on two decimals.
_NUMERIC: dict[str, _Operation] = {
    "+": (int.__add__, float.__add__, _CONTEXT.add),
    "-": (int.__sub__, float.__sub__, _CONTEXT.subtract),
    "*": (_multiply, float.__mul__, _CONTEXT.multiply),
    "/": (
        lambda left, right: _divide_decimal(Decimal(left), Decimal(right)),
        float.__truediv__,
        _divide_decimal,
    ),
    "//": (int.__floordiv__, float.__floordiv__, _floor_decimal),
    "%": (int.__mod__, float.__mod__, _rest_decimal),
}


def _numbers(operation: _Operation, left: Any, right: Any) -> Any:
    on_ints, on_floats, on_decimals = operation
    kinds = {kind_of(left), kind_of(right)}
    if kinds == {int}:
        return bounded(on_ints(left, right))
    if float not in kinds:
        return on_decimals(Decimal(left), Decimal(right))
    if Decimal in kinds:
        raise Failed(
            f"a decimal and a float do not mix ({brief(left)}, {brief(right)});"
            " convert one with decimal() or float()"
        )
    return bounded(on_floats(float(left), float(right)))


def bounded(value: Any) -> Any:
    """Gives a number back when it is finite and not too long, and raises `OverflowError` if not."""
    if kind_of(value) is int:
        if not fits(value):
            raise OverflowError(f"an integer has at most {DIGITS:,} digits")
    elif not math.isfinite(value):
        raise OverflowError("a number must be finite")
    return value


def negate(value: Any) -> Any:
    """Gives `-value` of a number or duration. Raises `Failed`."""
    if kind_of(value) is Decimal:
        return value.copy_negate() if value else value.copy_abs()
    if is_number(value):
        return -value
    if kind_of(value) is timedelta:
        return compute("-", timedelta(0), value)
    raise Failed(f"`-` does not work on {brief(value)}")


def _times(operator: str, left: Any, right: Any) -> Any:
    match operator, left, right:
        case "+", timedelta(), timedelta():
            return left + right
        case "-", timedelta(), timedelta():
            return left - right
        case "*", timedelta(), int() if is_number(right):
            return left * right
        case "*", int(), timedelta() if is_number(left):
            return left * right
        case "/", timedelta(), timedelta():
            return _divide_decimal(Decimal(left // _MICRO), Decimal(right // _MICRO))
        case "//", timedelta(), timedelta():
            return left // right
        case "%", timedelta(), timedelta():
            return left % right
        case "+", timedelta(), date():
            return _later(right, left)
        case "+", date(), timedelta():
            return _later(left, right)
        case "-", date(), timedelta():
            return _later(left, -right)
        case "-", datetime(), datetime():
            _same_clock(left, right)
            return instant(left) - instant(right)
        case "-", date(), date() if kind_of(left) is kind_of(right):
            return left - right
        case _:
            raise Failed(f"`{operator}` does not work on {brief(left)} and {brief(right)}")


def _later(start: date, by: timedelta) -> date:
    if isinstance(start, datetime):
        # Python adds to the clock on the wall: on a day when clocks change that is an hour off.
        moved = instant(start) + by
        return moved if start.tzinfo is None else moved.astimezone(start.tzinfo)
    if by % _DAY:
        raise Failed(f"a date moves by whole days, and not by {brief(by)}")
    return start + by


def instant(value: datetime) -> datetime:
    """Gives a time with a zone in UTC; one without stays as it is."""
    return value if value.tzinfo is None else value.astimezone(UTC)


def _same_clock(left: datetime, right: datetime) -> None:
    if (left.tzinfo is None) != (right.tzinfo is None):
        raise Failed("a time with a zone and a time without one cannot be compared")


def order(left: Any, right: Any) -> tuple[Any, Any]:
    """Gives two Python values that compare as `left` and `right` do in the language.

    Raises `Failed` when the language puts them in no order.
    """
    kinds = (kind_of(left), kind_of(right))
    if kinds[0] in _RANK and kinds[1] in _RANK:
        if kinds in ((float, Decimal), (Decimal, float)):
            raise Failed("a decimal and a float do not mix; convert one with decimal() or float()")
        if left != left or right != right:
            raise Failed("what is not a number has no order")
        return left, right
    if kinds == (datetime, datetime):
        _same_clock(left, right)
        return instant(left), instant(right)
    if kinds[0] is kinds[1] and kinds[0] in (str, date, timedelta):
        return left, right
    raise Failed(f"{brief(left)} and {brief(right)} have no order")
