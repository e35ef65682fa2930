"""The registry of effects, the readiness with its reasons, and what waits for people."""

from __future__ import annotations

from typing import Any

import click

from .options import json_option, log_option
from .output import columns, print_json


@click.command()
@click.argument("run_id", metavar="RUN")
@log_option
@json_option
def effects(run_id: str, log_path: str | None, as_json: bool) -> None:
    """Shows what a run has changed outside, and what became of each change.

    \b
    Example:
      saga effects o-1
    """
    found = _run(run_id, log_path).effects
    if as_json:
        print_json(found)
        return
    head = ("step", "resource", "class", "impact", "status", "undo", "corrective")
    rows = [
        (
            e["path"],
            e["resource"],
            e["class"],
            str(e["impact"]),
            e["status"] + (" (unproven)" if e["unproven"] else ""),
            str(e.get("undo") or ""),
            str(e.get("corrective") or ""),
        )
        for e in found
    ]
    click.echo(columns([head, *rows], "") if rows else "nothing was changed outside")


@click.command()
@click.argument("run_id", metavar="RUN")
@log_option
@json_option
def score(run_id: str, log_path: str | None, as_json: bool) -> None:
    """Shows the readiness to roll back, and which effect raised or lowered it.

    \b
    Example:
      saga score o-1
    """
    run = _run(run_id, log_path)
    now: Any = run.to_json()["readiness"]
    history = run.readiness
    if as_json:
        print_json({"run_id": run_id, "readiness": now, "history": history, "effects": run.effects})
        return
    click.echo(f"{run_id}: readiness {now}")
    rows = [
        tuple(str(row.get(k, "")) for k in ("n", "path", "kind", "readiness")) for row in history
    ]
    if rows:
        click.echo(columns([("n", "step", "event", "readiness"), *rows]))
    for effect in run.effects:
        if effect["status"] == "standing" and not effect.get("undo"):
            click.echo(
                f"  {effect['resource']} of `{effect['path']}` cannot be taken back "
                f"({effect['class']}, impact {effect['impact']})"
            )


@click.command()
@log_option
@json_option
def incidents(log_path: str | None, as_json: bool) -> None:
    """Lists what waits for people: one open incident of each run that stands escalated.

    \b
    Example:
      saga incidents
    """
    from ..runtime.engine.log import open_log

    found = open_log(log_path).incidents()
    if as_json:
        print_json(found)
        return
    if not found:
        click.echo("no open incident")
    for incident in found:
        click.echo(f"{incident['run_id']}  {incident['id']}  {incident['cause'].replace('_', ' ')}")
        click.echo(f"  {incident['summary']}")
        for row in incident["resources"]:
            click.echo(f"  {row['resource']} (step {row['path']}): verified {row['verified']}")
        click.echo(f"  recommended: {incident['recommended']}; {'; '.join(incident['reasons'])}")
        answers = "|".join(incident["answers"])
        step = incident["path"] or "-"
        click.echo(f"  saga resolve {incident['run_id']} {step} {answers} --by WHO")


def _run(run_id: str, log_path: str | None) -> Any:
    from ..runtime.engine.log import open_log

    return open_log(log_path).run(run_id)
