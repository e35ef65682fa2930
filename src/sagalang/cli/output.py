"""Where words go: results to stdout, progress and warnings to stderr, colours only to a terminal."""

from __future__ import annotations

import os
import sys
from typing import Any

import click
import msgspec


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


def print_json(document: Any) -> None:
    """Writes one JSON document to stdout."""
    data = msgspec.json.format(msgspec.json.encode(document), indent=2)
    click.echo(data.decode("utf-8"))


def columns(rows: list[tuple[str, ...]], indent: str = "  ") -> str:
    """Lays out rows in columns as wide as they need to be."""
    if not rows:
        return ""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(indent + line.rstrip() for line in lines)
