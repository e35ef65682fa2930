"""R502: nothing that can fail stands after or beside a step that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dsl.diagnostics import Diagnostic
from ...dsl.span import Span
from ...runtime.plan import Step, Tool
from ..codes import declare
from ..failures import pivot
from ..spots import Spot
from ..view import View
from ..words import FEW, named, thing, undone_before

CODE = declare("R502", "error", "pivot barrier")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds each pivot p with the fallible f that need not have settled before it.

    For every statement so far the scope that catches f is the saga, which encloses p.
    """
    for spot, step, tool in view.steps:
        if pivot(step, tool):
            found = view.graph.open(view.fallibles, spot, FEW)
            if found.count:
                yield _diagnostic(view, spot, step, tool, found.first, found.count)


def _diagnostic(
    view: View, spot: Spot, step: Step, tool: Tool, first: Sequence[Spot], count: int
) -> Diagnostic:
    effect = next(each for each in tool.effects if each.effect_class == "irreversible")
    beside = not view.graph.precedes(spot, first[0])
    failure = view.failures[first[0].index]
    run = f"`{step.name}` is done, then {failure}"
    if beside:
        run = f"`{step.name}` is done while beside it {failure}"
    stays = f"nothing takes the {thing(effect.kind)} back"
    undone = undone_before(view, first[0])
    if undone:
        stays = f"{undone}, but {stays}"
    also: list[tuple[Span, str]] = []
    for each in first:
        where = "can fail after it" if view.graph.precedes(spot, each) else "can fail beside it"
        also.append((view.span(each.node.at), f"{where}: {view.failures[each.index]}"))
    also.append((view.span(effect.at), "this effect is irreversible"))
    says = "behind this step there is no way back"
    if count > len(first):
        says += f"; {count} statements after or beside it can fail"
    return CODE(
        f"{run}: {stays}.",
        view.span(step.at),
        says,
        also=also,
        helps=tuple(_helps(view, spot, step, first)),
    )


def _helps(view: View, spot: Spot, step: Step, first: Sequence[Spot]) -> Iterator[str]:
    if not view.graph.precedes(spot, first[0]):
        yield f"Let `{step.name}` wait: put it behind the `parallel`, or write `after` at it."
    else:
        yield f"Put `{step.name}` behind everything that can fail."
    steps = [each.path for each in first if isinstance(each.node, Step)]
    if steps:
        yield (
            f"Or say what a failure of {named(steps)} means once there is no way back: "
            "`else continue` or `else escalate`."
        )
    yield (
        "Or, when it may stand although the rest is taken back, write "
        f'`accept irreversible because "..."` at `{step.name}`.'
    )
