"""Looking at runs: lists, state now or then, events, and following one while it goes on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import json_option, log_option, run_argument
from .output import columns, plain, print_json, say, table

if TYPE_CHECKING:
    from ..runtime.engine.log import Log
    from ..runtime.engine.run import Run

STATUSES = (
    "running", "waiting", "paused", "compensating", "escalated",
    "succeeded", "rolled_back", "partly_rolled_back", "cancelled",
)  # fmt: skip
"""What a run can be; written out, because the runtime is not imported for `--help`."""

POLL = 0.1
"""Seconds between two looks of `watch`."""


@click.command()
@click.option(
    "--status", multiple=True, type=click.Choice(STATUSES), help="Only runs with this status."
)
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
    rows = [(r["run_id"], r["saga"], plain(r["status"]), _short(r["created"])) for r in found]
    if rows:
        click.echo(table(("run", "saga", "status", "begun (UTC)"), rows))
    else:
        say("no runs" if not status else f"no run is {' or '.join(status)}")


def _short(moment: str) -> str:
    return moment[:19].replace("T", " ")


@click.command()
@run_argument()
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
    click.echo(state_text(run.log.path, shown))


def state_text(log: Path, shown: dict[str, Any]) -> str:
    """Lays out the state of a run for people."""
    from ..runtime.engine.views import last_checkpoints
    from .registry import incident_text

    lines = [columns([(shown["run_id"], f"saga {shown['saga']}", plain(shown["status"]))], "")]
    if shown.get("reason"):
        lines.append(f"  because: {shown['reason']}")
    if shown["error"]:
        lines.append(f"  error: {shown['error']['type']}: {shown['error']['message']}")
    rows = [
        (_GLYPHS.get(s["status"], "?"), s["path"], plain(s["status"]), _tries(s))
        for s in shown["steps"]
    ]
    lines.append(columns(rows))
    if shown["effects"]:
        lines.append("  effects:")
        lines.append(columns([_effect(e) for e in shown["effects"]], "    "))
    lines.append(f"  readiness {shown['readiness']}")
    if shown["checkpoints"]:
        lines.append(f"  checkpoints {last_checkpoints(shown)}")
    for row in shown["waiting_for"]:
        lines.append(waiting_text(log, shown["run_id"], row))
    if shown["incident"]:
        lines.append(incident_text(log, shown["run_id"], shown["incident"]))
    return "\n".join(line for line in lines if line)


def waiting_text(log: Path, run_id: str, row: dict[str, Any]) -> str:
    """Lays out what a run waits for: what is shown, who has decided, and how to decide."""
    from ..runtime.engine import waiting

    lines = [f"  {waiting.wanted(row)}"]
    lines += [
        f"    {name}: {json.dumps(v, ensure_ascii=False)}" for name, v in row["shows"].items()
    ]
    if so_far := waiting.missing(row):
        lines.append(f"    approved so far by {so_far}")
    if way := waiting.way_on(log, run_id, row):
        verb, more = ("decide", "   (or reject)") if row["kind"] == "gate" else ("send it", "")
        lines.append(f"    {verb} with: {way}{more}")
    return "\n".join(lines)


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
    more = f"corrective {plain(effect['corrective'])}" if effect.get("corrective") else ""
    return (effect["resource"], effect["class"], plain(effect["status"]), more)


@click.command()
@run_argument()
@log_option
@json_option
def log(run_id: str, log_path: str | None, as_json: bool) -> None:
    """Shows the events of a run in their order.

    \b
    Example:
      saga log o-1
      saga log o-1 --json | jq '.[] | select(.kind == "intent")'
    """
    read = _log(log_path)
    read.run(run_id)
    events, damage = read.readable(run_id)
    if as_json:
        print_json(events)
    else:
        head = ("n", "time (UTC)", "event", "where", "what", "readiness")
        click.echo(table(head, [event_row(e) for e in events]))
    if damage is not None:
        raise damage


def event_row(event: dict[str, Any]) -> tuple[str, ...]:
    """Gives an event as the columns of a table."""
    said = " ".join(
        plain(str(part))
        for part in (event.get("direction"), event.get("status"))
        if part and part != "do"
    )
    error = event.get("error")
    if error:
        said = f"{said} ({error['type']}: {error['message']})"
    said += _who(event)
    moment = str(event["wall_time"])
    return (
        str(event["n"]),
        moment[11:23] if "T" in moment else moment,
        plain(event["kind"]),
        event.get("path") or "",
        said,
        str(event.get("readiness") or ""),
    )


def _who(event: dict[str, Any]) -> str:
    """Gives who asked for something or decided it, and the reason; a step's actor is no person."""
    data: dict[str, Any] = event.get("data") or {}
    if "identity" not in data or not event.get("actor"):
        return ""
    word = "for" if event.get("status") == "refused" else "by"
    reason = data.get("reason") or data.get("note")
    return f" {word} {event['actor']}" + (f" ({reason})" if reason else "")


@click.command()
@run_argument()
@log_option
def watch(run_id: str, log_path: str | None) -> None:
    """Follows a run while it goes on: each event as it is written.

    \b
    Example:
      saga watch o-1
    """
    run = _log(log_path).run(run_id)
    try:
        follow_events(run)
    except KeyboardInterrupt:
        say(f"\nno longer watching; {run_id} goes on wherever it does.")
        sys.exit(130)
    click.echo(state_text(run.log.path, run.to_json()))


def follow_events(run: Run) -> None:
    """Writes each new event of a run to stderr until it stands still."""
    from ..runtime.engine.progress import goes_on
    from ..runtime.engine.run import STANDS
    from ..runtime.engine.waiting import take_up

    seen = 0
    while True:
        status = run.status
        events = run.events()
        for event in events[seen:]:
            say("  ".join(part for part in event_row(event) if part))
        seen = len(events)
        if status in STANDS:
            return
        if not goes_on(run):
            say(f"no process goes on with {run.id}: `{take_up(run.log.path, run.id)}` takes it up")
            return
        run.wait(POLL)


def _log(log_path: str | None) -> Log:
    from ..runtime.engine.log import open_log

    return open_log(log_path)
