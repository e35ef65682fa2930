"""Axes of the pictures on cards: round ticks, and times in the unit that fits."""

from __future__ import annotations

_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_CLOCK = (1, 2, 5, 10, 15, 30, 60)


def ticks(length: int, most: int = 8) -> list[int]:
    """Gives round times from 0 to a length in milliseconds, at most so many.

    >>> ticks(4_200)
    [0, 1000, 2000, 3000, 4000]
    """
    for size in _sizes():
        if length // size < most:
            return list(range(0, length + 1, size))
    day = _UNITS[0][0]
    size = day * -(-length // (day * most))
    return list(range(0, length + 1, size))


def duration(milliseconds: int) -> str:
    """Writes a time with at most three digits that matter.

    >>> duration(1_250), duration(90_000)
    ('1.25 s', '1.5 min')
    """
    for size, unit in _UNITS:
        if milliseconds >= size:
            value = milliseconds / size
            return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{milliseconds} ms"


def _sizes() -> list[int]:
    small = [*_STEPS, *(step * 1_000 for step in (1, 2, 5, 10, 15, 30))]
    minutes = [step * 60_000 for step in _CLOCK[:-1]]
    hours = [step * 3_600_000 for step in (1, 2, 6, 12)]
    return [*small, *minutes, *hours]
