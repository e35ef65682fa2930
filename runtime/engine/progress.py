"""What a run is doing while somebody waits for it, said now and then in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..journal import Reader, command

if TYPE_CHECKING:
    from .run import Run

FIRST, LONGEST = 5.0, 300.0
"""Seconds before the first line, and most between two; they double."""


def wait_told(run: Run, say: Callable[[str], None]) -> None:
    """Waits for a run; of one that takes long it is said what it is about, and how to stop it."""
    pause = FIRST
    while run.wait(pause) and not stands(run) and goes_on(run):
        say(doing(run.to_json()))
        if pause == FIRST:
            say(how_to_stop(run))
        pause = min(2 * pause, LONGEST)


def stands(run: Run) -> bool:
    """True when a run goes on only when somebody or something from outside comes."""
    from .run import STANDS

    return run.status in STANDS


def goes_on(run: Run) -> bool:
    """True while a living process owns a run, or it has come to a stand of its own."""
    return Reader(run.log.path).owner_of(run.id).alive or stands(run)


def how_to_stop(run: Run) -> str:
    """Says how to end what takes too long."""
    cancel = command(run.log.path, "cancel", run.id)
    return f"Ctrl-C stops here and takes nothing back; `{cancel}` takes back what was done."


def doing(shown: dict[str, Any]) -> str:
    """Says in one line what a run does now, as `Run.to_json` shows it."""
    over = sum(step["status"] in ("succeeded", "skipped", "compensated") for step in shown["steps"])
    now = [
        f"{step['path']} {step['status'].replace('_', ' ')}" + _tries(step)
        for step in shown["steps"]
        if step["status"] in ("in_flight", "unknown", "compensating")
    ]
    done = f"{over} of {len(shown['steps'])} steps"
    status = shown["status"].replace("_", " ")
    return f"{shown['run_id']} {status}: {', '.join([done, *now])}"


def _tries(step: dict[str, Any]) -> str:
    """Says how often a step, or its undo, was tried, and what went wrong the last time."""
    error = step.get("error")
    why = f": {error['type']}: {error['message']}" if error else ""
    attempts = step.get("undo_attempts", step["attempts"])
    return f" (attempt {attempts}{why})" if attempts > 1 else ""
