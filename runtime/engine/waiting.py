"""What people owe a run, in the words of the command line: whom it waits for, what to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..journal import LogError, Reader, command, resumption
from ..kernel.people import FORWARD


def wanted(row: dict[str, Any]) -> str:
    """Says in one line what a row of `waiting_for` is about."""
    until = f" until {row['until']}" if row.get("until") else ""
    match row["kind"]:
        case "timer":
            return f"waiting at `{row['path']}`{until}"
        case "signal":
            return f"waiting for the signal `{row['path']}` ({row['needs']}){until}"
        case _:
            return f"waiting at `{row['path']}` for {row['needs']}{until}"


def way_on(log: Path, run_id: str, row: dict[str, Any]) -> str:
    """Gives the command with which people let a run go on; empty where only time or a run can."""
    match row["kind"]:
        case "gate":
            return command(log, "approve", run_id, row["path"], by="WHO")
        case "signal":
            return command(log, "signal", run_id, row["path"], "JSON")
        case _:
            return ""


def take_up(log: Path, run_id: str) -> str:
    """Gives the command that takes a run up when no process goes on with it."""
    try:
        source = Reader(log).run(run_id).source
    except LogError:
        source = ""  # It is not in the log yet, or nobody can say now.
    return resumption(log, run_id, source)


def answer(log: Path, run_id: str, incident: dict[str, Any]) -> tuple[str, str]:
    """Gives the command of the answer that is recommended, and in words what else can be said."""
    recommended = incident["recommended"].partition(" or ")[0]
    step = incident["path"] or "-"
    more = _more(recommended, incident["cause"])
    said = command(log, "resolve", run_id, step, recommended, by="WHO", **more)
    others = [
        " ".join([other, *(f"--{k} {v}" for k, v in _more(other, incident["cause"]).items())])
        for other in incident["answers"]
        if other != recommended
    ]
    return said, f"(or {', '.join(others)})" if others else ""


def _more(answer: str, cause: str) -> dict[str, str]:
    """Gives what an answer needs beside a name."""
    if answer == "done" and cause in FORWARD:
        return {"value": "JSON"}
    return {"reason": "TEXT"} if answer == "skip" else {}


def missing(row: dict[str, Any]) -> str:
    """Says how much of a gate's quorum is there; empty before the first approval."""
    approved: list[str] = row.get("approved_by") or []
    if row["kind"] != "gate" or not approved:
        return ""
    needed, _, group = str(row["needs"]).partition(" of ")
    return f"{len(approved)} of {needed} ({group}): {', '.join(approved)}"
