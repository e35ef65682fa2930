"""Lengths of time as people read them, and the longest that retrying can take."""

from __future__ import annotations

from ..runtime.plan import Retry

_UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))


def shown(milliseconds: int) -> str:
    """Writes a length as the language does, in the largest unit that keeps it whole.

    >>> shown(90_000), shown(172_800_000)
    ('90s', '2d')
    """
    for unit, size in _UNITS:
        if milliseconds % size == 0 and milliseconds >= size:
            return f"{milliseconds // size}{unit}"
    return "0s"


def longest(retry: Retry, timeout: int) -> int | None:
    """Gives the milliseconds that all attempts with their pauses can take; None is for ever.

    Each attempt takes its whole timeout, each pause is the doubled one at its longest.
    """
    if retry.attempts is None:
        return None
    pauses, pause = 0, retry.low
    for done in range(retry.attempts - 1):
        if pause >= retry.high:
            pauses += retry.high * (retry.attempts - 1 - done)
            break
        pauses += pause
        pause *= 2
    return retry.attempts * timeout + pauses
