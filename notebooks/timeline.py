"""The timeline of a run as a picture: a bar for every attempt, undos below their step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..compiler.emit.lettering import fit, measure
from ..compiler.emit.palette import GROUND, INK, QUIET, STATES, State
from ..compiler.emit.svg import clean
from .axis import duration, ticks
from .card import FONT, LINE

WIDTH, NAMES, ROOM = 980, 190, 96
"""Pixels: the whole, the column of names, and what is kept for words behind the last bar."""
LANE, BAR, TOP = 22, 12, 30
MOST = 60
"""Most steps that are drawn; the table of `run.timeline()` has all."""

_STATE: Mapping[str, str] = {
    "succeeded": "succeeded",
    "done": "succeeded",
    "in_flight": "in_flight",
    "unknown": "unknown",
    "lost": "unknown",
}
"""What an attempt came to, by the state that has its colour; all else failed."""


def timeline(rows: Sequence[Mapping[str, Any]], elapsed: int) -> str:
    """Draws the attempts of a run; `elapsed` is its own time in milliseconds up to now."""
    lanes = list(dict.fromkeys((row["path"], row["direction"] != "do") for row in rows))
    order = list(dict.fromkeys(path for path, _ in lanes))
    lanes.sort(key=lambda lane: (order.index(lane[0]), lane[1]))
    shown = lanes[:MOST]
    ends = [row["end"] if row["end"] is not None else elapsed for row in rows]
    length = max([elapsed, *ends, 1])
    scale = (WIDTH - NAMES - ROOM) / length
    height = TOP + LANE * len(shown) + 12
    parts = [_frame(height, length, scale)]
    for index, (path, back) in enumerate(shown):
        y = TOP + LANE * index
        name = fit(f"↶ {path}" if back else path, 13, NAMES - 24)
        indent = 22 if back else 10
        parts.append(_text(name, indent, y + 15, 13, QUIET if back else INK))
        mine = [row for row in rows if (row["path"], row["direction"] != "do") == (path, back)]
        parts += (_bar(row, y, scale, elapsed, back) for row in mine)
        parts.append(_ending(mine, y, scale, elapsed, back))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="{escape(FONT)}">{"".join(parts)}</svg>'
    )


def said(rows: Sequence[Mapping[str, Any]]) -> str:
    """Says the timeline in words."""
    names = [
        f"{row['path']} {'' if row['direction'] == 'do' else row['direction'] + ' '}"
        f"{row['status'].replace('_', ' ')}"
        for row in rows[:MOST]
    ]
    more = f", and {len(rows) - MOST:,} more" if len(rows) > MOST else ""
    return f"Timeline of {len(rows):,} attempts: {', '.join(names)}{more}."


def _frame(height: int, length: int, scale: float) -> str:
    parts = [f'<rect width="{WIDTH}" height="{height}" fill="{GROUND}"/>']
    for at in ticks(length):
        x = NAMES + at * scale
        parts.append(
            f'<path d="M{x:.1f} {TOP - 4}V{height - 8}" stroke="{LINE}" stroke-width="1"/>'
        )
        parts.append(_text(duration(at) if at else "0", x, TOP - 11, 12, QUIET, "middle"))
    return "".join(parts)


def _bar(row: Mapping[str, Any], y: int, scale: float, elapsed: int, back: bool) -> str:
    state = _look(row, back)
    end = elapsed if row["end"] is None else row["end"]
    width = max(3.0, (end - row["begin"]) * scale)
    x = NAMES + row["begin"] * scale
    dash = ' stroke-dasharray="4 3"' if row["end"] is None else ""
    return (
        f'<rect x="{x:.1f}" y="{y + 5}" width="{width:.1f}" height="{BAR}" rx="3" '
        f'fill="{state.fill}" stroke="{state.colour}" stroke-width="1.5"{dash}>'
        f"<title>{escape(clean(_told(row, end)))}</title></rect>"
    )


def _ending(
    mine: Sequence[Mapping[str, Any]], y: int, scale: float, elapsed: int, back: bool
) -> str:
    """Says behind the last bar of a lane what came of it: no state is told by colour alone."""
    last = mine[-1]
    state = _look(last, back)
    end = elapsed if last["end"] is None else last["end"]
    x = NAMES + max(end * scale, last["begin"] * scale + 3) + 7
    number = f"{len(mine)} attempts, " if len(mine) > 1 else ""
    word = f"{state.glyph} {number}{duration(end - last['begin'])}"
    # What has no room behind the bar stands in front of the first one.
    if x + measure(word, 12) > WIDTH:
        x = NAMES + mine[0]["begin"] * scale - 7
        return _text(word, x, y + 15, 12, state.colour, "end")
    return _text(word, x, y + 15, 12, state.colour)


def _look(row: Mapping[str, Any], back: bool) -> State:
    name = _STATE.get(row["status"], "failed")
    if back:
        name = {"succeeded": "compensated", "in_flight": "compensating"}.get(name, name)
    return STATES[name]


def _told(row: Mapping[str, Any], end: int) -> str:
    return (
        f"{row['path']}, {row['direction']}, attempt {row['attempt']}: {row['tool']}, "
        f"{row['status'].replace('_', ' ')}, {duration(end - row['begin'])}"
    )


def _text(said: str, x: float, y: float, size: int, fill: str, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(clean(said))}</text>'
    )
