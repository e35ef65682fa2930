"""Looking at runs: lists, state now or then, events, and following one while it goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from .options import json_option, log_option
from .output import columns, print_json, say

if TYPE_CHECKING:
    from ..runtime.engine.log import Log
    from ..runtime.engine.run import Run

POLL = 0.1
"""Seconds between two looks of `watch`."""


@click.command()
@click.option("--status", multiple=True, help="Only runs with this status.")
@log_option
@json_option
def runs(status: tuple[str, ...], log_path: str | None, as_json: bool) -> None:
    """Lists the runs of a log, the oldest first.

    \b
    Example:
      saga runs
      saga runs --status escalated --status waiting
    """
    found = _log(log_path).runs(status)
    if as_json:
        print_json(found)
        return
    rows = [(r["run_id"], r["saga"], r["status"].replace("_", " "), r["created"]) for r in found]
    click.echo(columns([("run", "saga", "status", "begun"), *rows], "") if rows else "no runs")


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--at", "n", type=int, metavar="N", help="As it was after its event N.")
@log_option
@json_option
def show(run_id: str, n: int | None, log_path: str | None, as_json: bool) -> None:
    """Shows the state of a run: steps, effects, what it waits for.

    \b
    Example:
      saga show o-1
      saga show o-1 --at 12
    """
    run = _log(log_path).run(run_id)
    shown = run.to_json() if n is None else run.at(n).to_json()
    if as_json:
        print_json(shown)
        return
    click.echo(state_text(shown))


def state_text(shown: dict[str, Any]) -> str:
    """Lays out the state of a run for people."""
    lines = [f"{shown['run_id']}  saga {shown['saga']}  {shown['status'].replace('_', ' ')}"]
    if shown.get("reason"):
        lines.append(f"  because: {shown['reason']}")
    if shown["error"]:
        lines.append(f"  error: {shown['error']['type']}: {shown['error']['message']}")
    rows = [
        (_GLYPHS.get(s["status"], "?"), s["path"], s["status"].replace("_", " "), _tries(s))
        for s in shown["steps"]
    ]
    lines.append(columns(rows))
    if shown["effects"]:
        lines.append("  effects:")
        lines.append(columns([_effect(e) for e in shown["effects"]], "    "))
    lines.append(f"  readiness {shown['readiness']}")
    for row in shown["waiting_for"]:
        until = f" until {row['until']}" if row.get("until") else ""
        lines.append(f"  waiting at {row['path']} for {row['needs']}{until}")
    incident = shown["incident"]
    if incident:
        lines.append(f"  incident {incident['id']}: {incident['summary']}")
        step = incident["path"] or "-"
        answers = "|".join(incident["answers"])
        lines.append(f"    answer: saga resolve {shown['run_id']} {step} {answers} --by WHO")
    return "\n".join(line for line in lines if line)


_GLYPHS = {
    "pending": "○",
    "in_flight": "▶",
    "unknown": "?",
    "succeeded": "✓",
    "failed": "✗",
    "skipped": "–",
    "compensating": "↺",
    "compensated": "↩",
    "compensation_failed": "!",
}


def _tries(step: dict[str, Any]) -> str:
    error = step.get("error")
    tries = f"{step['attempts']} attempts" if step["attempts"] > 1 else ""
    said = f"{error['type']}: {error['message']}" if error else ""
    return "  ".join(part for part in (tries, said) if part)


def _effect(effect: dict[str, Any]) -> tuple[str, ...]:
    more = f"corrective {effect['corrective']}" if effect.get("corrective") else ""
    return (effect["resource"], effect["class"], effect["status"].replace("_", " "), more)


@click.command()
@click.argument("run_id", metavar="RUN")
@log_option
@json_option
def log(run_id: str, log_path: str | None, as_json: bool) -> None:
    """Shows the events of a run in their order.

    \b
    Example:
      saga log o-1
      saga log o-1 --json | jq '.[] | select(.kind == "intent")'
    """
    events = _log(log_path).run(run_id).events()
    if as_json:
        print_json(events)
        return
    rows = [("n", "time", "event", "where", "", "readiness"), *(event_row(e) for e in events)]
    click.echo(columns(rows, ""))


def event_row(event: dict[str, Any]) -> tuple[str, ...]:
    """Gives an event as the columns of a table."""
    said = " ".join(
        str(part).replace("_", " ")
        for part in (event.get("direction"), event.get("status"))
        if part and part != "do"
    )
    error = event.get("error")
    if error:
        said = f"{said} ({error['type']}: {error['message']})"
    moment = str(event["wall_time"])
    return (
        str(event["n"]),
        moment[11:23] if "T" in moment else moment,
        event["kind"].replace("_", " "),
        event.get("path") or "",
        said,
        str(event.get("readiness") or ""),
    )


@click.command()
@click.argument("run_id", metavar="RUN")
@log_option
def watch(run_id: str, log_path: str | None) -> None:
    """Follows a run while it goes on: each event as it is written.

    \b
    Example:
      saga watch o-1
    """
    opened = _log(log_path)
    run = opened.run(run_id)
    follow_events(opened, run)
    click.echo(state_text(run.to_json()))


def follow_events(opened: Log, run: Run) -> None:
    """Writes each new event of a run to stderr until it stands still."""
    from ..runtime.engine.run import STANDS

    seen = 0
    while True:
        status = run.status
        events = run.events()
        for event in events[seen:]:
            say("  ".join(part for part in event_row(event) if part))
        seen = len(events)
        if status in STANDS:
            return
        time.sleep(POLL)


def _log(log_path: str | None) -> Log:
    from ..runtime.engine.log import open_log

    return open_log(log_path)
