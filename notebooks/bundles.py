"""What a notebook shows of each object: the bundle of its card and its text."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..runtime.engine.rows import (
    Approvals,
    Attempts,
    Changes,
    Decision,
    Effects,
    Events,
    Incident,
)
from ..runtime.engine.run import Run, Snapshot
from ..runtime.engine.saga import Saga
from ..runtime.journal import LogError
from ..runtime.store.question import Table
from . import card
from .axis import duration
from .curve import curve, said
from .programcard import saga_html, saga_text
from .runcard import Sight, effects_table, incident_panel, run_html, run_text, sight, sight_then
from .timeline import said as timeline_said, timeline

Bundle = dict[str, str]
Show = Callable[[Any], Bundle]


def bundle(text: str, html: Callable[[], card.Html]) -> Bundle:
    """Gives a text and its card, or the text alone where `SAGA_UI` asks for that."""
    shown = {"text/plain": text}
    if os.environ.get("SAGA_UI") != "text":
        shown["text/html"] = str(html())
    return shown


def saga_bundle(saga: Saga, *, dag: bool = True) -> Bundle:
    """Gives what is shown of a saga."""
    return bundle(saga_text(saga), lambda: saga_html(saga, dag=dag))


def run_bundle(run: Run) -> Bundle:
    """Gives what is shown of a run; of a log that cannot be read, why."""
    try:
        return _seen(sight(run))
    except LogError as error:
        said = f"run {run.id}: {error}"
        return bundle(said, lambda: card.card(card.paragraph(said)))


def table_bundle(found: Table) -> Bundle:
    """Gives what is shown of an answer in SQL."""
    number = f"{len(found.rows):,} row{'' if len(found.rows) == 1 else 's'}"
    notice = [card.paragraph(card.quiet(found.notice))] if found.notice else []
    return bundle(
        _columns(found, number),
        lambda: card.card(
            *notice,
            card.table(found.columns, [_cells(row) for row in found.rows], "`.rows`"),
            card.paragraph(card.quiet(number)),
        ),
    )


def _seen(seen: Sight) -> Bundle:
    return bundle(run_text(seen), lambda: run_html(seen))


def _effects(rows: Effects) -> Bundle:
    return bundle(
        _lines(rows, "no effects", "{path}  {resource}  {status}"),
        lambda: card.card(effects_table(rows)),
    )


def _attempts(rows: Attempts) -> Bundle:
    ends = [row["begin"] if row["end"] is None else row["end"] for row in rows]
    table = [
        (
            card.code(row["path"]),
            row["direction"],
            row["attempt"],
            row["status"].replace("_", " "),
            duration(row["begin"]),
            "" if row["end"] is None else duration(row["end"] - row["begin"]),
        )
        for row in rows
    ]
    head = ("step", "direction", "attempt", "status", "begun after", "took")
    return bundle(
        _lines(rows, "no attempts", "{path}  {direction}  {status}"),
        lambda: card.card(
            card.picture(timeline(rows, max(ends, default=0)), timeline_said(rows)),
            card.table(head, table, "`run.timeline()`"),
        ),
    )


def _changes(rows: Changes) -> Bundle:
    table = [
        (row["n"], row["kind"].replace("_", " "), card.code(row["path"]), row["readiness"])
        for row in rows
    ]
    last = max((row["n"] for row in rows), default=1)
    return bundle(
        _lines(rows, "no readiness yet", "event {n}  {kind}  {path}  {readiness}"),
        lambda: card.card(
            card.picture(curve(rows, last), said(rows)),
            card.table(("event", "what happened", "where", "readiness"), table, "`run.readiness`"),
        ),
    )


def _events(rows: Events) -> Bundle:
    table = [
        (row["n"], _clock(row), _words(row["kind"]), card.code(row["path"]), _outcome(row))
        for row in rows
    ]
    head = ("n", "time (UTC)", "event", "where", "what")
    return bundle(
        _lines(rows, "no events", "{n}  {kind}  {path}  {status}"),
        lambda: card.card(card.table(head, table, "`run.events()`")),
    )


def _approvals(rows: Approvals) -> Bundle:
    table = [
        (
            card.code(row["path"]),
            _words(row["status"]),
            row["actor"],
            str(row["data"].get("note") or row["data"].get("reason") or ""),
            _clock(row),
        )
        for row in rows
    ]
    head = ("gate", "decision", "by", "note", "time (UTC)")
    return bundle(
        _lines(rows, "nobody has decided anything", "{path}  {status}  {actor}"),
        lambda: card.card(card.table(head, table, "`run.approvals`")),
    )


def _clock(row: Mapping[str, Any]) -> str:
    return str(row["wall_time"])[:19].replace("T", " ")


def _words(name: str) -> str:
    return name.replace("_", " ")


def _outcome(row: Mapping[str, Any]) -> str:
    error = row["error"]
    because = f" ({error['type']}: {error['message']})" if error else ""
    direction = row["direction"] if row["direction"] != "do" else ""
    return f"{direction} {_words(row['status'])}".strip() + because


def _incident(incident: Incident) -> Bundle:
    answers = ", ".join(incident["answers"])
    return bundle(
        f"incident at {incident['path']}: {incident['summary']} (answers: {answers})",
        lambda: card.card(
            card.title("Incident", card.quiet(incident["id"])), incident_panel(incident)
        ),
    )


def _decision(decision: Decision) -> Bundle:
    kind = decision["kind"].replace("_", " ")
    what = decision["status"].replace("_", " ") or kind
    where = f"{decision['path']}: " if decision["path"] else ""
    by = f" by {decision['actor']}" if decision["actor"] else ""
    said = f"{where}{what}{by}, written as event {decision['n']}"
    return bundle(said, lambda: card.card(card.paragraph(said)))


def _lines(rows: list[dict[str, Any]], none: str, form: str) -> str:
    return "\n".join(form.format_map(row) for row in rows) or none


def _columns(found: Table, number: str) -> str:
    rows = [
        tuple(found.columns),
        *(tuple(map(str, _cells(row))) for row in found.rows[: card.MOST]),
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(len(found.columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, number, *([found.notice] if found.notice else [])])


def _cells(row: tuple[Any, ...]) -> list[object]:
    return ["" if value is None else value for value in row]


BUNDLES: Mapping[type, Show] = {
    Saga: saga_bundle,
    Run: run_bundle,
    Snapshot: lambda snapshot: _seen(sight_then(snapshot)),
    Events: _events,
    Effects: _effects,
    Attempts: _attempts,
    Changes: _changes,
    Approvals: _approvals,
    Incident: _incident,
    Decision: _decision,
    Table: table_bundle,
}
"""By type, subclasses included."""
