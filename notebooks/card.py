"""The parts of every card: escaped text, tables, pictures, in colours of their own.

A card has to read the same in a trusted and an untrusted notebook, reopened without a kernel, and
exported: pictures are data in `<img>`, all else is plain tables and paragraphs. Each cell says its
own ground and ink, because the style sheets of front ends colour tables by the theme.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from ..compiler.emit.palette import GROUND, INK, QUIET, State
from ..dsl.cells import printable

MOST = 50
"""Rows of a table that a card shows; it says how many there are."""

FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"
LINE = "#d0d7de"
HEAD = "#f4f5f7"
_SIGNS = {"⏸": "‖", "✋": "?"}
"""Signs that some fonts lack or colour, and what stands for them in text."""
_MONO = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"


class Html(str):
    """A piece of HTML in which everything that a user gave is escaped."""

    __slots__ = ()


def text(value: object) -> Html:
    """Gives anything as text that is shown as it is."""
    if isinstance(value, Html):
        return value
    return Html(escape(printable(str(value))))


def card(*parts: Html) -> Html:
    """Puts the parts of a card on a ground of its own."""
    return Html(
        f'<div style="background:{GROUND};color:{INK};border:1px solid {LINE};border-radius:8px;'
        f"padding:14px 18px 16px;margin:4px 0;font-family:{FONT};font-size:14px;"
        f'line-height:1.5;max-width:1040px;overflow-x:auto">{"".join(parts)}</div>'
    )


def title(name: str, *said: object) -> Html:
    """Gives the first line of a card: a name, and what is said beside it."""
    beside = "".join(f" &nbsp; {text(part)}" for part in said if part)
    return Html(
        f'<p style="margin:0 0 2px;color:{INK}"><strong style="font-size:18px">{text(name)}'
        f"</strong>{beside}</p>"
    )


def badge(state: State, word: str = "") -> Html:
    """Gives a state as its sign and word on its own colour."""
    return Html(
        f'<span style="background:{state.fill};color:{state.colour};border:1px solid '
        f'{state.colour};border-radius:10px;padding:1px 9px;font-size:13px;font-weight:600">'
        f"{text(_SIGNS.get(state.glyph, state.glyph))} {text(word or state.word)}</span>"
    )


def quiet(said: object) -> Html:
    """Gives words that stand back."""
    return Html(f'<span style="color:{QUIET}">{text(said)}</span>')


def code(said: object) -> Html:
    """Gives a name or a piece of a program."""
    return Html(
        f'<code style="background:{HEAD};color:{INK};font-family:{_MONO};font-size:13px;'
        f'padding:1px 4px">{text(said)}</code>'
    )


def paragraph(said: object) -> Html:
    """Gives a paragraph."""
    return Html(f'<p style="margin:4px 0;color:{INK}">{text(said)}</p>')


def heading(said: str) -> Html:
    """Gives the name of a part of a card."""
    return Html(
        f'<p style="margin:14px 0 4px;color:{QUIET};font-size:13px"><strong>{text(said)}</strong>'
        "</p>"
    )


def block(said: str) -> Html:
    """Gives lines whose columns matter, such as a warning with its caret."""
    return Html(
        f'<pre style="background:{HEAD};color:{INK};font-family:{_MONO};font-size:12.5px;'
        f'line-height:1.4;padding:8px 10px;margin:4px 0;overflow-x:auto">{text(said)}</pre>'
    )


def panel(state: State, *parts: Html) -> Html:
    """Gives what a person should not overlook, with the colour of a state at its side."""
    return Html(
        f'<div style="background:{state.fill};color:{INK};border-left:4px solid {state.colour};'
        f'padding:6px 12px;margin:10px 0">{"".join(parts)}</div>'
    )


def picture(svg: str, alt: str) -> Html:
    """Gives an SVG as an image, with what it shows in words."""
    data = base64.b64encode(svg.encode()).decode("ascii")
    return Html(
        f'<div style="overflow-x:auto;margin:10px 0 4px"><img style="max-width:none" '
        f'src="data:image/svg+xml;base64,{data}" alt="{text(alt)}"></div>'
    )


def table(head: Sequence[object], rows: Iterable[Sequence[object]], whole: str = "") -> Html:
    """Gives a table; of many rows the first, with a line that says how many there are and where.

    `whole` is how all of them are had, as a piece of a program.
    """
    every = list(rows)
    names = "".join(
        f'<th style="{_CELL};background:{HEAD};color:{QUIET}">{text(name)}</th>' for name in head
    )
    shown = "".join(
        f'<tr style="background:{GROUND}">'
        + "".join(
            f'<td style="{_CELL};background:{GROUND};color:{INK}">{text(v)}</td>' for v in row
        )
        + "</tr>"
        for row in every[:MOST]
    )
    made = (
        f'<table style="border-collapse:collapse;background:{GROUND};margin:4px 0;font-size:13px">'
        f"<thead><tr>{names}</tr></thead><tbody>{shown}</tbody></table>"
    )
    if len(every) > MOST:
        made += paragraph(quiet(f"{MOST} of {len(every):,} rows; {whole} has all"))
    return Html(made)


_CELL = f"text-align:left;vertical-align:top;padding:4px 12px 4px 8px;border:1px solid {LINE}"


def moment(iso: str) -> str:
    """Gives a time in ISO 8601 and UTC as people read it.

    >>> moment("2026-11-29T19:03:50.729+00:00")
    '2026-11-29 19:03:50 UTC'
    """
    return f"{iso[:19].replace('T', ' ')} UTC"
