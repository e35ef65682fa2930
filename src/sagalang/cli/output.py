"""Where words go: results to stdout, progress to stderr, colours only to a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click

COLOURS = {
    "reversible": "green",
    "compensatable": "yellow",
    "irreversible": "red",
    "succeeded": "green",
    "rolled back": "yellow",
    "partly rolled back": "red",
    "cancelled": "yellow",
    "escalated": "red",
    "paused": "red",
    "waiting": "cyan",
    "running": "cyan",
    "compensating": "yellow",
    "passed": "green",
    "failed": "red",
    "compensated": "yellow",
    "compensation failed": "red",
    "unknown": "magenta",
    "standing": "cyan",
    "undone": "green",
    "undo failed": "red",
    "goes on": "green",
    "can only roll back": "yellow",
    "incompatible": "red",
    "fine": "green",
    "look": "yellow",
    "wrong": "red",
}
"""Words that stand alone in a column, and their colours; each says itself without one."""


def coloured(ctx: click.Context | None = None) -> bool:
    """True when stdout takes colours."""
    context = ctx or click.get_current_context(silent=True)
    while context is not None:
        if context.color is not None:
            return context.color
        context = context.parent
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def say(text: str) -> None:
    """Writes progress or a warning for people, to stderr."""
    click.echo(text, err=True)


def print_json(document: Any, out: TextIO | None = None) -> None:
    """Writes one JSON document to stdout, or to the stream that was kept for it."""
    import msgspec

    data = msgspec.json.format(msgspec.json.encode(document), indent=2)
    click.echo(data.decode("utf-8"), file=out)


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Lays out rows in columns as wide as they need to be; words with a colour get it."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        last = max((k for k, cell in enumerate(row) if cell), default=-1)
        cells = (
            _painted(cell, 0 if k == last else width)
            for k, (cell, width) in enumerate(zip(row[: last + 1], widths, strict=False))
        )
        lines.append(indent + "  ".join(cells))
    return "\n".join(lines)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Lays out rows under a head; columns that are empty in every row are left out."""
    kept = [k for k in range(len(head)) if any(row[k] for row in rows)]
    return columns([[row[k] for k in kept] for row in (head, *rows)], indent)


def plain(status: str) -> str:
    """Gives a status as words."""
    return status.replace("_", " ")


def quantity(number: int, noun: str) -> str:
    """Gives a number and its noun: `1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _painted(cell: str, width: int) -> str:
    colour = COLOURS.get(cell)
    padded = cell.ljust(width)
    return click.style(padded, fg=colour) if colour else padded
