"""R503: what may have to be taken back has an undo."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...runtime.plan import AgentCall
from ..codes import declare
from ..proving.covering import taking_back
from ..proving.spots import Spot
from ..proving.tables import undoable
from ..proving.view import View
from ..proving.words import FEW, thing

CODE = declare("R503", "error", "no undo")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools used as steps whose effect a later failure must take back, and that cannot.

    A step without an undo has a tool without one, so this is told once, at the tool.

    Cost: for each step O(log fallibles x depth of bodies).
    """
    told: dict[str, list[tuple[Spot, str, Spot, str]]] = {}
    for spot, step, tool in view.steps:
        if step.undos or not any(map(undoable, tool.effects)) or not view.runs(spot):
            continue
        failing = _failing(view, spot)
        if failing is not None:
            told.setdefault(tool.name, []).append((spot, step.path, *failing))
    for name, runs in told.items():
        tool = view.tools[name]
        effect = next(filter(undoable, tool.effects))
        spot, path, other, failure = runs[0]
        ordered = view.graph.precedes(spot, other) or view.graph.across(other, spot)
        beside = "" if ordered or other is spot else "beside it "
        also = [(view.span(effect.at), f"{effect.effect_class}, but no `undo` says how")]
        also.append((view.span(other.node.at), f"can fail: {failure}"))
        also += [(view.span(each.node.at), "used here") for each, *_ in runs[:FEW]]
        yield CODE(
            f"`{path}` is done, then {beside}{failure}: the {thing(effect.kind)} has to be "
            f"taken back, and `{name}` has no undo.",
            view.span(tool.at),
            "has no undo",
            also=also,
            helps=[
                f"Add `undo TOOL(...)` to `{name}`, or say `effect {effect.kind} irreversible` "
                "when nothing takes it back."
            ],
        )


def _failing(view: View, spot: Spot) -> tuple[Spot, str] | None:
    """Gives the first statement whose failure takes the step back, and how it fails.

    An agent that is begun again takes back what it does not ask for any more.
    """
    for each in taking_back(view.graph, view.fallibles, spot):
        return each, view.failures[each.index]
    for each in taking_back(view.graph, view.bounded, spot):
        return each, f"the deadline is over before `{each.path}` is called"
    if isinstance(spot.node, AgentCall):
        return spot, f"`{spot.node.name}` is begun again and does not ask for it any more"
    return None
