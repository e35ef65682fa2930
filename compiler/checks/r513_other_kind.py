"""R513: an undo touches what its action touches, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.undos import in_force
from ..proving.view import View

CODE = declare("R513", "warning", "undo of another kind of thing")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds undos with an effect on a kind of resource that the action leaves alone.

    Cost: O(undos).
    """
    for _, step, tool, undo in in_force(view):
        by = view.tools[undo.tool]
        kinds = {effect.kind for effect in tool.effects}
        for effect in by.effects:
            if effect.kind not in kinds:
                yield CODE(
                    f"`{step.path}` is rolled back by `{by.name}`, which touches `{effect.kind}`: "
                    f"`{tool.name}` never did.",
                    view.span(undo.at),
                    "touches another kind of thing",
                    also=[
                        (view.span(effect.at), f"touches `{effect.kind}`"),
                        *((view.span(e.at), f"touches `{e.kind}`") for e in tool.effects[:1]),
                    ],
                    helps=["Use the same word for the kind in both, or name the right undo."],
                )
