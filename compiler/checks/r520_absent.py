"""R520: the verify of what is undone can say that it is gone."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.view import View

CODE = declare("R520", "error", "verify that never says absent")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds verifies of undone steps whose answer is never none, false, or judged absent.

    Cost: O(steps).
    """
    told: set[str] = set()
    for _, step, tool in view.steps:
        verify = step.verify
        if verify is None or not step.undos:
            continue
        if "verify" not in step.replaces:
            if tool.name in told:
                continue
            told.add(tool.name)
        reader = view.tools[verify.tool]
        empty = reader.result.kind in ("optional", "bool", "json", "none")
        if empty or any(verdict.kind == "absent" for verdict in verify.verdicts):
            continue
        yield CODE(
            f"`{step.path}` has been undone and `{reader.name}` is asked whether it is gone: it "
            "always answers something, so the run stands for ever.",
            view.span(verify.at),
            "can never say absent",
            also=[(view.span(reader.at), f"gives `{reader.result}`, never none or false")],
            helps=[
                f"Let `{reader.name}` give `{reader.result}?`, or add `absent when ...` to the "
                "verify."
            ],
        )
