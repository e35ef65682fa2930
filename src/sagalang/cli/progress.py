"""What is happening while a run goes on: one line on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runtime.engine.run import Run

PATIENCE = 0.5
"""Seconds before anything is shown: most runs are over by then."""

EVERY = 0.25
"""Seconds between two looks."""


def wait_shown(run: Run) -> None:
    """Waits for a run and shows on stderr what it does; after a while also how to stop it."""
    from ..runtime.engine import progress

    run.wait(PATIENCE)
    if progress.stands(run) or not progress.goes_on(run):
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    told = time.monotonic() + progress.FIRST
    with console.status(Text(progress.doing(run.to_json()))) as line:
        while run.wait(EVERY) and not progress.stands(run) and progress.goes_on(run):
            line.update(Text(progress.doing(run.to_json())))
            if told and time.monotonic() > told:
                told = 0.0
                console.print(Text(progress.how_to_stop(run)), soft_wrap=True)
