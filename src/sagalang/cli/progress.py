"""What is happening while a run goes on: one line on a terminal, now and then a line elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .look import goes_on
from .output import plain, say

if TYPE_CHECKING:
    from ..runtime.engine.run import Run

PATIENCE = 0.5
"""Seconds before anything is shown: most runs are over by then."""

EVERY = 0.25
"""Seconds between two looks."""

FIRST, LONGEST = 5.0, 300.0
"""Seconds before the first line that is no terminal's, and most between two; they double."""


def wait_shown(run: Run) -> None:
    """Waits for a run and shows on stderr what it does."""
    from ..runtime.engine.run import STANDS

    if run.wait(PATIENCE).status in STANDS or not goes_on(run):
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    with console.status(Text(_doing(run.to_json()))) as line:
        while run.wait(EVERY).status not in STANDS and goes_on(run):
            line.update(Text(_doing(run.to_json())))


def wait_told(run: Run) -> None:
    """Waits for a run; one that takes long says now and then on stderr what it is about."""
    from ..runtime.engine.run import STANDS

    pause = FIRST
    while run.wait(pause).status not in STANDS and goes_on(run):
        say(_doing(run.to_json()))
        pause = min(2 * pause, LONGEST)


def _doing(shown: dict[str, Any]) -> str:
    """Says in one line what a run does now."""
    over = sum(step["status"] in ("succeeded", "skipped", "compensated") for step in shown["steps"])
    now = [
        f"{step['path']} {plain(step['status'])}" + _tries(step)
        for step in shown["steps"]
        if step["status"] in ("in_flight", "unknown", "compensating")
    ]
    done = f"{over} of {len(shown['steps'])} steps"
    return f"{shown['run_id']} {plain(shown['status'])}: {', '.join([done, *now])}"


def _tries(step: dict[str, Any]) -> str:
    """Says how often a step was tried, and what went wrong the last time."""
    error = step.get("error")
    why = f": {error['type']}: {error['message']}" if error else ""
    return f" (attempt {step['attempts']}{why})" if step["attempts"] > 1 else ""
