"""The registry of effects, the readiness with its reasons, and what waits for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import json_option, log_option, path_argument, run_argument
from .output import plain, print_json, say, table


@click.command()
@run_argument()
@path_argument(required=False)
@click.option("--verify-now", is_flag=True, help="Ask each verify now; nothing is written down.")
@log_option
@json_option
def effects(
    run_id: str, path: str | None, verify_now: bool, log_path: str | None, as_json: bool
) -> None:
    """Shows what a run has changed outside, and what became of each change.

    PATH is the run's saga, for --verify-now, when saga.toml does not name it.

    \b
    Example:
      saga effects o-1
      saga effects o-1 --verify-now
    """
    from ..loading import open as open_log
    from ..runtime.engine.document import document
    from .run import saga_of

    with document(as_json) as out:
        log = open_log(log_path)
        found: list[dict[str, Any]] = log.run(run_id).effects
        if verify_now:
            saga = saga_of(log, run_id, path)
            seen = {row["path"]: row for row in log.verify_now(run_id, saga)}
            for effect in found:
                effect["verified"] = seen[effect["path"]]["verified"]
                effect["verified_reason"] = seen[effect["path"]]["reason"]
        if out is not None:
            print_json(found, out)
            return
    if found:
        head = ("step", "resource", "class", "impact", "status", "undo", "corrective", "seen now")
        click.echo(table(head, [_effect(effect) for effect in found]))
    else:
        click.echo("nothing was changed outside")


def _effect(effect: dict[str, Any]) -> tuple[str, ...]:
    seen = str(effect.get("verified", ""))
    reason = effect.get("verified_reason", "")
    return (
        effect["path"],
        effect["resource"],
        effect["class"],
        str(effect["impact"]),
        plain(effect["status"]) + (" (unproven)" if effect["unproven"] else ""),
        str(effect.get("undo") or ""),
        plain(str(effect.get("corrective") or "")),
        f"{seen}: {reason}" if reason and seen == "unknown" else seen,
    )


@click.command()
@run_argument()
@log_option
@json_option
def score(run_id: str, log_path: str | None, as_json: bool) -> None:
    """Shows the readiness to roll back: what each effect adds to it, and what changed it.

    It is the share of what has been changed outside, weighed by impact, that can be taken back now.

    \b
    Example:
      saga score o-1
    """
    from ..runtime.engine.log import open_log
    from ..runtime.kernel.score import reasons

    run = open_log(log_path).run(run_id)
    now = run.to_json()["readiness"]
    state = run.state
    why = reasons(state)
    history = run.readiness
    if as_json:
        document = {"run_id": run_id, "readiness": now, "reasons": why, "history": history}
        print_json(document)
        return
    click.echo(f"{run_id}: readiness {now}")
    if state.closed:
        click.echo("  (as it was going forward: the run has been going back since)")
    if why:
        head = ("step", "resource", "class", "impact", "counts", "because")
        rows = [
            (r["path"], r["resource"], r["class"], str(r["impact"]), r["u"], r["why"]) for r in why
        ]
        click.echo(table(head, rows, "  "))
    elif not state.closed:
        click.echo("  nothing stands outside that would have to be taken back")
    if len(history) > 1:
        click.echo("\n  how it came to that:")
        steps = [(str(r["n"]), r["path"], plain(r["kind"]), r["readiness"]) for r in history]
        click.echo(table(("n", "step", "event", "readiness"), steps, "  "))


@click.command()
@log_option
@json_option
def incidents(log_path: str | None, as_json: bool) -> None:
    """Lists what waits for people: the open incident of each run that stands escalated.

    \b
    Example:
      saga incidents
    """
    from ..runtime.engine.log import open_log

    log = open_log(log_path)
    found = log.incidents()
    if as_json:
        print_json(found)
        return
    if not found:
        say("no open incident")
    for incident in found:
        click.echo(f"{incident['run_id']} ({incident['saga']})")
        click.echo(incident_text(log.path, incident["run_id"], incident))
        click.echo("")


def incident_text(log: Path, run_id: str, incident: dict[str, Any]) -> str:
    """Lays out an incident for people: what happened, what is touched, what can be answered."""
    from ..runtime.engine import waiting

    lines = [f"  {incident['id']}: {incident['summary']}"]
    rows = [(r["path"], r["resource"], r["verified"]) for r in incident["resources"]]
    if rows:
        lines.append(table(("step", "resource", "verified"), rows, "    "))
    for row in incident["irreversible"]:
        corrective = plain(str(row["corrective"]))
        lines.append(f"    {row['resource']} cannot be undone; its corrective: {corrective}")
    for row in incident["deadlines"]:
        what = f"undo {row['undo']}" if "undo" in row else "the key"
        lines.append(f"    {what} of {row['path']} is good until {row['until']}")
    if incident["runbook"]:
        lines.append(f"    runbook: {incident['runbook']}")
    lines.append(f"    recommended: {incident['recommended']} ({'; '.join(incident['reasons'])})")
    said, others = waiting.answer(log, run_id, incident)
    lines.append(f"    answer with: {said}   {others}".rstrip())
    return "\n".join(lines)
