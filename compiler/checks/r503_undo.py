"""R503: what may have to be taken back has an undo."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ...runtime.plan import AgentCall, Each, SagaCall
from ..codes import declare
from ..proving.spots import Spot
from ..proving.tables import undoable
from ..proving.view import View
from ..proving.words import FEW, thing

CODE = declare("R503", "error", "no undo")

ALL = 1 << 60


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

    When more items fail than are tolerated, those that did not are taken back with the whole. An
    agent that is begun again takes back what it does not ask for any more.
    """
    own = next((each for each in spot.around() if _undone_whole(each)), None)
    for each in view.graph.open(view.fallibles, spot, 1 if own is None else ALL).first:
        if own is None or own.holds(each):
            return each, view.failures[each.index]
    for each in view.graph.open(view.bounded, spot, 1 if own is None else ALL).first:
        if own is None or own.holds(each):
            return each, f"the deadline is over before `{each.path}` is called"
    for loop in spot.around():
        closing = view.layout.closing(loop)
        if loop is own:
            break
        if closing is None or not isinstance(loop.node, Each):
            continue
        if closing.index in view.failures:
            return closing, view.failures[closing.index]
    if isinstance(spot.node, AgentCall):
        return spot, f"`{spot.node.name}` is begun again and does not ask for it any more"
    return None


def _undone_whole(spot: Spot) -> bool:
    """True for a called saga that is undone by what its call says, once it is over."""
    return isinstance(spot.node, SagaCall) and bool(spot.node.undos)
