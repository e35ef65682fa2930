"""R514: for what nothing takes back, it is said what is done when it has to be regretted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity, replacement
from ...dsl.span import Span
from ..codes import declare
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R514", "warning", "irreversible without a corrective")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds irreversible effects without a corrective; with `accept` this is an error.

    Cost: O(steps).
    """
    told: set[str] = set()
    for _, step, tool in view.steps:
        for effect in tool.effects:
            if effect.effect_class != "irreversible" or effect.corrective is not None:
                continue
            what = thing(effect.kind)
            helps = [f'Add `corrective "..."` to the effect: what people do about the {what}.']
            span = view.span(effect.at)
            end = Span(span.source, span.end, span.end)
            fix = replacement("show", end, ' corrective "..."') if view.text(effect.at) else None
            if step.accepted is not None:
                found = CODE(
                    f"`{step.path}` may stand although the rest is taken back: nothing says what "
                    f"is then done about the {what}.",
                    view.span(step.accepted.at),
                    "accepted",
                    also=[(view.span(effect.at), "has no corrective")],
                    helps=helps,
                    fix=fix,
                )
                yield replace(found, severity=Severity.ERROR)
            elif tool.name not in told:
                told.add(tool.name)
                yield CODE(
                    f"`{step.path}` is done and people decide to take the rest back: nothing says "
                    f"what is then done about the {what}.",
                    view.span(effect.at),
                    "has no corrective",
                    also=[(view.span(step.at), "called here")],
                    helps=helps,
                    fix=fix,
                )
