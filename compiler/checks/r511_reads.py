"""R511: what is asked to find something out changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...runtime.formula import Place
from ...runtime.plan import Step, statements
from ..codes import declare
from ..proving.view import View

CODE = declare("R511", "error", "a question that changes something")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools of `verify`, `remember`, `expecting` and `until` that have an effect.

    Cost: O(tools + steps).
    """
    for clause, name, at in dict.fromkeys(_asked(view)):
        tool = view.tools[name]
        if tool.effects:
            yield CODE(
                f"`{clause}` asks `{name}` to find something out, as often as it takes: each time "
                "it changes something.",
                view.span(at),
                "may only read",
                also=[(view.span(tool.effects[0].at), "changes something")],
                helps=["Name a tool with `effect none`."],
            )


def _asked(view: View) -> Iterator[tuple[str, str, Place]]:
    for tool in view.plan.tools:
        for each in tool.remember:
            yield "remember", each.tool, each.at
        if tool.verify is not None:
            yield "verify", tool.verify.tool, tool.verify.at
        for undo in tool.undos:
            if undo.verify is not None:
                yield "verify", undo.verify.tool, undo.verify.at
    inside = (statements(saga.body) for saga in view.plan.undo_sagas)
    taking_back = (node for body in inside for node in body if isinstance(node, Step))
    for step in (*(step for _, step, _ in view.steps), *taking_back):
        if step.verify is not None:
            yield "verify", step.verify.tool, step.verify.at
        for undo in step.undos:
            if undo.verify is not None:
                yield "verify", undo.verify.tool, undo.verify.at
        if step.expecting is not None:
            yield "expecting", step.expecting.tool, step.expecting.at
        if step.until is not None:
            yield "until", step.tool, step.until.at
