"""R501: every tool states its effects."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.view import View

CODE = declare("R501", "error", "effects not stated")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools that say neither what they change nor that they change nothing.

    Cost: O(tools).
    """
    for tool in view.plan.tools:
        if not tool.states_effects:
            yield CODE(
                f"`{tool.name}` is called and the run fails afterwards: nobody knows what to take "
                "back, because the tool does not say what it changes.",
                view.span(tool.at),
                "states no effect",
                helps=[
                    "Add `effect none` when it only reads, else `effect KIND(id) CLASS`: "
                    "reversible, compensatable, irreversible or restoring."
                ],
            )
