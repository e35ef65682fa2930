"""What is happening while a run goes on: one line on the terminal, gone when there is a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .look import goes_on
from .output import plain

if TYPE_CHECKING:
    from ..runtime.engine.run import Run

PATIENCE = 0.5
"""Seconds before anything is shown: most runs are over by then."""

EVERY = 0.25
"""Seconds between two looks."""


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


def _doing(shown: dict[str, Any]) -> str:
    """Says in one line what a run does now."""
    over = sum(step["status"] in ("succeeded", "skipped", "compensated") for step in shown["steps"])
    now = [
        f"{step['path']} {plain(step['status'])}"
        + (f" (attempt {step['attempts']})" if step["attempts"] > 1 else "")
        for step in shown["steps"]
        if step["status"] in ("in_flight", "unknown", "compensating")
    ]
    done = f"{over} of {len(shown['steps'])} steps"
    return f"{shown['run_id']} {plain(shown['status'])}: {', '.join([done, *now])}"
