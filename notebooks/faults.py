"""Mistakes in a notebook: sentences with a place in place of frames of Python."""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Mapping
from types import TracebackType

from ..dsl.diagnostics import Diagnostic, Severity
from ..dsl.render_terminal import render
from ..dsl.source import Source
from ..loading import CompileFailed
from ..runtime.engine.errors import RunError
from ..runtime.frames import NoFrames
from ..runtime.journal import BadRunId, LogError
from ..runtime.settings import BadSettings
from ..runtime.store.errors import QueryRefused
from .cell import leading

SAID: tuple[type[BaseException], ...] = (
    RunError, LogError, QueryRefused, BadRunId, BadSettings, NoFrames, CancelledError,
)  # fmt: skip
"""What a user can get wrong: their texts say all, and frames of the engine would hide them.

A cell that awaits is cancelled by an interrupt.
"""

_CELL = re.compile(r"<ipython-input-(\d+)-|ipykernel_\d+[/\\]")


class CellFailed(CompileFailed):
    """The text of a cell has errors; they are shown with colours where a notebook has them."""

    def __init__(
        self,
        diagnostics: tuple[Diagnostic, ...],
        sources: Mapping[str, Source],
        name: str,
        *,
        colour: bool,
    ) -> None:
        super().__init__(diagnostics, sources)
        self.name = name
        self.colour = colour

    def _render_traceback_(self) -> list[str]:
        shown = render(self.diagnostics, self.sources, colour=self.colour).rstrip()
        errors = sum(one.severity is Severity.ERROR for one in self.diagnostics)
        count = f"{self.name}: {errors} error{'' if errors == 1 else 's'}. Nothing was changed."
        return [*shown.split("\n"), "", count]


class WrongOptions(RunError):
    """The line of a magic is wrong; nothing was done."""


def lines(
    error: BaseException, trace: TracebackType | None, number: int, raw: str | None
) -> list[str]:
    """Gives what a notebook shows of a mistake: its place in the cell and its sentence.

    `number` is the k of `In[k]`, `raw` the cell as it was typed, None when nobody knows it.
    """
    own = getattr(error, "_render_traceback_", None)
    if own is not None:
        return list(own())
    line = _line_in_cell(trace)
    # IPython counts from the first line that it runs; the reader counts all.
    line += leading(Source("", raw).text.split("\n")) if raw is not None and line else 0
    where = f"Cell In[{number}], line {line}: " if line else ""
    said = str(error) or ("Cancelled." if isinstance(error, CancelledError) else "")
    return f"{where}{said}".split("\n")


def _line_in_cell(trace: TracebackType | None) -> int:
    """Gives the line of the cell that led to the mistake, 0 when it was none of a cell."""
    found = 0
    while trace is not None:
        if _CELL.search(trace.tb_frame.f_code.co_filename):
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
