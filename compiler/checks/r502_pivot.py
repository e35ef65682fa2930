"""R502: nothing that can fail stands after or beside a step that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dsl.diagnostics import Diagnostic, Fix
from ...dsl.span import Span
from ...runtime.plan import Step
from ..codes import declare
from ..proving.barrier import Breach, breaches
from ..proving.mending import MENDED, mend
from ..proving.spots import Spot
from ..proving.view import View
from ..proving.words import FEW, named, thing, undone_before

CODE = declare("R502", "error", "pivot barrier")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds pivots behind or beside which something can fail: one finding for each pivot."""
    for number, breach in enumerate(breaches(view, FEW)):
        yield _diagnostic(view, breach, mend(view, breach) if number < MENDED else None)


def _diagnostic(view: View, breach: Breach, fix: Fix | None) -> Diagnostic:
    spot, step, first = breach.spot, breach.step, breach.open
    effect = next(each for each in breach.tool.effects if each.effect_class == "irreversible")
    failure = view.failures[first[0].index]
    then = ", then" if view.graph.precedes(spot, first[0]) else " while beside it"
    run = f"`{step.name}` is done{then} {failure}"
    stays = f"nothing takes the {thing(effect.kind)} back"
    undone = undone_before(view, first[0])
    if undone:
        stays = f"{undone}, but {stays}"
    also: list[tuple[Span, str]] = []
    for each in first:
        where = "after" if view.graph.precedes(spot, each) else "beside"
        also.append((view.span(each.node.at), f"can fail {where} it: {view.failures[each.index]}"))
    also.append((view.span(effect.at), "this effect is irreversible"))
    says = "behind this step there is no way back"
    if breach.count > len(first):
        says += f"; {breach.count} statements after or beside it can fail"
    return CODE(
        f"{run}: {stays}.",
        view.span(step.at),
        says,
        also=also,
        helps=tuple(_helps(view, spot, step, first)),
        fix=fix,
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
