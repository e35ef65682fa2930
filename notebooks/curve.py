"""The readiness of a run as a picture: how well it could be rolled back, event by event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..compiler.emit.palette import GROUND, INK, QUIET
from .card import FONT, LINE

WIDTH, HEIGHT = 980, 128
LEFT, RIGHT, TOP, BOTTOM = 46, 60, 14, 28
_STROKE, _FILL = "#2563b8", "#eaf2fd"


def curve(rows: Sequence[Mapping[str, Any]], last: int) -> str:
    """Draws the changes of a readiness over the events of a run, of which `last` is the newest."""
    points = [(int(row["n"]), float(row["readiness"])) for row in rows]
    span = max(1, last - 1)

    def place(n: int, value: float) -> tuple[float, float]:
        x = LEFT + (n - 1) / span * (WIDTH - LEFT - RIGHT)
        return x, TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)

    path = ""
    marks: list[str] = []
    for n, value in points:
        x, y = place(n, value)
        path += f"H{x:.1f}V{y:.1f}" if path else f"M{x:.1f} {y:.1f}"
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_STROKE}"/>')
    end = place(last, points[-1][1]) if points else (float(LEFT), float(TOP))
    low = place(1, 0)[1]
    area = f"{path}H{end[0]:.1f}V{low:.1f}H{LEFT}z" if path else ""
    frame = "".join(_level(value, place(1, value)[1]) for value in (0.0, 0.5, 1.0))
    current = f"{points[-1][1]:g}" if points else ""
    drawn = (
        f'<path d="{area}" fill="{_FILL}"/>{frame}'
        f'<path d="{path}H{end[0]:.1f}" fill="none" stroke="{_STROKE}" stroke-width="2"/>'
        f"{''.join(marks)}"
        f'<text x="{end[0] + 9:.1f}" y="{end[1] + 4:.1f}" font-size="13" font-weight="600" '
        f'fill="{INK}">{current}</text>'
        f'<text x="{LEFT}" y="{HEIGHT - 8}" font-size="12" fill="{QUIET}">event 1</text>'
        f'<text x="{end[0]:.1f}" y="{HEIGHT - 8}" font-size="12" fill="{QUIET}" '
        f'text-anchor="end">event {last}</text>'
        if path
        else frame
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="{escape(FONT)}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>{drawn}</svg>'
    )


def said(rows: Sequence[Mapping[str, Any]]) -> str:
    """Says the curve in words."""
    steps = "; ".join(f"{row['readiness']} after event {row['n']}" for row in rows[:40])
    return f"Readiness to roll back: {steps}." if steps else "No readiness was written yet."


def _level(value: float, y: float) -> str:
    return (
        f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{LINE}" stroke-width="1"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" font-size="12" fill="{QUIET}" '
        f'text-anchor="end">{value:g}</text>'
    )
