"""Lengths of time as people read them, and the longest that retrying can take."""

from __future__ import annotations

from itertools import pairwise

from ...runtime.plan import Retry

_DAY, _HOUR, _MINUTE, _SECOND = 86_400_000, 3_600_000, 60_000, 1_000
_UNITS = (
    ("d", _DAY, 2 * _DAY),
    ("h", _HOUR, _HOUR),
    ("m", _MINUTE, _MINUTE),
    ("s", _SECOND, _SECOND),
)
MANY = 120
"""More of a unit than this are hard to picture."""


def shown(milliseconds: int) -> str:
    """Writes a length as people do, in the largest unit that keeps it whole; a day is 24h.

    One that is whole only in small units is cut to two of the larger ones.

    >>> shown(90_000), shown(86_400_000), shown(172_800_000), shown(11_643_000)
    ('90s', '24h', '2d', '3h 14m')
    """
    for unit, size, least in _UNITS:
        if milliseconds % size == 0 and milliseconds >= least:
            if milliseconds <= MANY * size or size == _DAY:
                return f"{milliseconds // size}{unit}"
            break
    for (unit, size, least), (smaller, part, _) in pairwise(_UNITS):
        if milliseconds >= least:
            rest = milliseconds % size // part
            return f"{milliseconds // size}{unit}" + (f" {rest}{smaller}" if rest else "")
    return f"{milliseconds}ms"


def longest(retry: Retry, timeout: int) -> int | None:
    """Gives the milliseconds that all attempts with their pauses can take; None is for ever.

    Each attempt takes its whole timeout, each pause is the doubled one at its longest.
    """
    if retry.attempts is None:
        return None
    return retry.attempts * timeout + pauses(retry)


def pauses(retry: Retry) -> int:
    """Gives the milliseconds of all pauses between a known number of attempts, at their longest."""
    total, pause = 0, retry.low
    between = (retry.attempts or 1) - 1
    for done in range(between):
        if pause >= retry.high:
            return total + retry.high * (between - done)
        total += pause
        pause *= 2
    return total
