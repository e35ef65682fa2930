"""What a run waits for, in the words of the command line: for whom or what, and what to say."""

from __future__ import annotations

from typing import Any


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


def way_on(run_id: str, row: dict[str, Any]) -> str:
    """Gives the command with which people let a run go on; empty where only time or a run can."""
    match row["kind"]:
        case "gate":
            return f"saga approve {run_id} {_word(row['path'])} --by WHO"
        case "signal":
            return f"saga signal {run_id} {_word(row['path'])} JSON"
        case _:
            return ""


def missing(row: dict[str, Any]) -> str:
    """Says how much of a gate's quorum is there; empty before the first approval."""
    approved: list[str] = row.get("approved_by") or []
    if row["kind"] != "gate" or not approved:
        return ""
    needed, _, group = str(row["needs"]).partition(" of ")
    return f"{len(approved)} of {needed} ({group}): {', '.join(approved)}"


def _word(path: str) -> str:
    """Gives a path as one word of a shell; an item's key stands in brackets and quotation marks."""
    return f"'{path}'" if any(sign in path for sign in '["* ') else path
