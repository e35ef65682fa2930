"""R508: whether a call happened can be found out, or does not matter."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...runtime.plan import Tool
from ..codes import declare
from ..proving.view import View

CODE = declare("R508", "error", "unknown outcome that nothing settles")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools used as steps that have an effect, no verify, and may not be called again.

    Cost: O(steps).
    """
    told: set[str] = set()
    for _, step, tool in view.steps:
        settled = step.verify is not None or tool.idempotent is not None or tool.escalate_unknown
        if tool.is_read or settled or _weighed(tool) or tool.name in told:
            continue
        told.add(tool.name)
        yield CODE(
            f"The answer of `{step.path}` is lost: whether `{tool.name}` has happened cannot be "
            "asked, and calling it again may do it twice.",
            view.span(tool.at),
            "has neither a `verify` nor `idempotent`",
            also=[
                (view.span(tool.effects[0].at), "what may have happened"),
                (view.span(step.at), "called here"),
            ],
            helps=[
                "Add `verify READ(...)`, or `idempotent by key` when the service honours keys, or "
                "`on unknown escalate` when people have to look."
            ],
        )


def _weighed(tool: Tool) -> bool:
    """True when evidence is taken for every effect of a tool."""
    taken = tool.accept_evidence
    if taken is None or not tool.evidence:
        return False
    return all(effect.impact < taken.below for effect in tool.effects)
