"""Layout of boxes that have no order: in a grid, as wide as is good to read."""

from __future__ import annotations

from collections.abc import Sequence

from .layout import USUAL, Layout, Point, Spacing

WIDEST = 720
"""How wide a row may be in pixels, when it has more than one box."""


def in_rows(sizes: Sequence[tuple[float, float]], spacing: Spacing = USUAL) -> Layout:
    """Lays out boxes from left to right, row under row, in columns of one width."""
    if not sizes:
        return Layout((), (), 0, 0)
    column = max(width for width, _ in sizes)
    fitting = max(1, int((WIDEST + spacing.beside) // (column + spacing.beside)))
    rows = -(-len(sizes) // fitting)
    across = -(-len(sizes) // rows)
    centres: list[Point] = []
    top = 0.0
    for first in range(0, len(sizes), across):
        row = sizes[first : first + across]
        for index, (_, height) in enumerate(row):
            left = index * (column + spacing.beside)
            centres.append((left + column / 2, top + height / 2))
        top += max(height for _, height in row) + spacing.beside / 2
    width = across * (column + spacing.beside) - spacing.beside
    return Layout(tuple(centres), (), width, top - spacing.beside / 2)
