"""R509: one tool has at most one irreversible effect."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R509", "error", "two irreversible effects in one call")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools that do more than one thing that nothing takes back.

    Cost: O(tools).
    """
    for tool in view.plan.tools:
        final = [each for each in tool.effects if each.effect_class == "irreversible"]
        if len(final) > 1:
            one, two = (thing(each.kind) for each in final[:2])
            yield CODE(
                f"`{tool.name}` breaks off in the middle: the {one} stands, the {two} is missing, "
                "and neither way leads out.",
                view.span(final[1].at),
                "a second irreversible effect",
                also=[(view.span(each.at), "irreversible too") for each in (final[0], *final[2:])],
                helps=["Make two tools of it, each with one irreversible effect."],
            )
