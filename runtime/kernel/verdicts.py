"""What the answer of a read says about a call: applied, absent, conflict, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..events import Fault
from ..expressions import evaluate
from ..plan import Tool, Verdict
from .state import State


def verdict(
    state: State, lines: tuple[Verdict, ...], known: Callable[[], Mapping[str, Any]], value: Any
) -> tuple[str, Any, Verdict | None]:
    """Gives what an answer says, the value it gives, and the line that fitted; raises `Failed`.

    None and false are *absent*; without lines anything else is *applied*; no fit is *unknown*.
    """
    if value is None or value is False:
        return "absent", None, None
    if not lines:
        return "applied", value, None
    names = {**known(), "it": value}
    for line in lines:
        if evaluate(line.when.tree, names, state.index.schema) is True:
            if line.kind == "applied" and line.gives is not None:
                return "applied", evaluate(line.gives.tree, names, state.index.schema), line
            return line.kind, value, line
    return "unknown", None, None


def of_read(tool: Tool, reason: Exception) -> Fault:
    """Gives the fault of a read's answer, which says whose answer it was."""
    # An action's own inputs may bear the same names as the fields of what a read gives.
    return Fault(type(reason).__name__, f"the answer of `{tool.name}`: {reason}")
