"""R502: nothing that can fail stands after or beside a step that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...dsl.diagnostics import Diagnostic, Fix
from ...dsl.span import Span
from ...runtime.plan import AgentCall, Each, Repeat, SagaCall, Step
from ..codes import declare
from ..proving.barrier import Breach, breaches
from ..proving.failures import too_many
from ..proving.mending import MENDED, mend
from ..proving.rearranging import Calling
from ..proving.spots import Frame, Spot
from ..proving.view import View
from ..proving.words import FEW, named, thing, undone_before

CODE = declare("R502", "error", "pivot barrier")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds pivots behind or beside which something can fail: one finding for each pivot.

    Cost: for each pivot O(log fallibles x depth of bodies); a fix is tried on whole plans, for a
    few of them.
    """
    for number, breach in enumerate(breaches(view, FEW)):
        yield _diagnostic(view, breach, mend(view, breach) if number < MENDED else None)


def _diagnostic(view: View, breach: Breach, fix: Fix | None) -> Diagnostic:
    spot, step = breach.spot, breach.step
    effect = next(each for each in breach.tool.effects if each.effect_class == "irreversible")
    # A run in one item is easier to see than one in two, and that than one of all its items.
    first = sorted(breach.open, key=lambda each: _reach(view, spot, each))
    stays = f"nothing takes the {thing(effect.kind)} back"
    undone = undone_before(view, first[0])
    if undone:
        stays = f"{undone}, but {stays}"
    also: list[tuple[Span, str]] = []
    for each in first:
        can = f"can fail {_where(view, spot, each)}"
        also.append((view.span(each.node.at), f"{can}: {view.failures[each.index]}"))
    also.append((view.span(effect.at), "this effect is irreversible"))
    for call in _calls(spot, first[0]):
        name = call.node.path.rpartition(".")[2]
        also.append((view.span(call.node.at), f"`{name}` calls the saga in which it stands"))
    says = "behind this step there is no way back"
    if breach.count > len(first):
        says += f"; {breach.count} statements after or beside it can fail"
    return CODE(
        f"{_run(view, spot, step, first[0])}: {stays}.",
        view.span(step.at),
        says,
        also=also,
        helps=tuple(_helps(view, spot, step, first)),
        fix=fix,
    )


def _calls(spot: Spot, other: Spot) -> Iterator[Spot]:
    """Gives the calls of sagas in which a step stands and the other does not, the inner first."""
    for around in spot.around():
        if isinstance(around.node, SagaCall) and not around.holds(other):
            yield around


def _reach(view: View, spot: Spot, other: Spot) -> tuple[bool, bool]:
    whole = other.parent is not None and other.closing and other.parent.holds(spot)
    return whole, view.graph.across(other, spot) is not None


def _own(spot: Spot, other: Spot) -> bool:
    """True when more other items of a loop around a step fail than it tolerates."""
    return (
        other.closing
        and isinstance(other.node, Each)
        and other.parent is not None
        and other.parent.holds(spot)
    )


def _run(view: View, spot: Spot, step: Step, other: Spot) -> str:
    """Tells how the pivot is done and something else fails."""
    failure = view.failures[other.index]
    loop = view.graph.across(other, spot)
    if loop is None:
        then = ", then" if view.graph.precedes(spot, other) else " while beside it"
        if isinstance(other.node, Each) and _own(spot, other):
            return f"item 1's `{step.name}` is done{then} {too_many(other.node, 'other')}"
        return f"`{step.name}` is done{then} {failure}"
    item = _item(loop)
    later = f"{item} 2's {failure}" if failure.startswith("`") else f"in {item} 2 {failure}"
    then = ", then" if view.graph.precedes(spot, other, across=loop) else " while beside it"
    return f"{item} 1's `{step.name}` is done{then} {later}"


def _where(view: View, spot: Spot, other: Spot) -> str:
    loop = view.graph.across(other, spot)
    if loop is not None:
        return f"in another {_item(loop)}"
    return "after it" if view.graph.precedes(spot, other) else "beside it"


def _item(loop: Frame) -> str:
    return "round" if loop.owner is not None and isinstance(loop.owner.node, Repeat) else "item"


def _helps(view: View, spot: Spot, step: Step, first: Sequence[Spot]) -> Iterator[str]:
    loop = view.graph.across(first[0], spot)
    if loop is None and _own(spot, first[0]):
        yield (
            f"Put `{step.name}` into a loop of its own behind `{first[0].path}`, over the items "
            "that did not fail, and let it be retriable there."
        )
        yield "Or let no item fail when its steps do: put them into a `scope` with an `else`."
    elif loop is not None and loop.owner is not None:
        yield (
            f"Put `{step.name}` into a loop of its own behind `{loop.owner.path}`, when all that "
            "can fail is over, and let it be retriable there."
        )
    elif not view.graph.precedes(spot, first[0]):
        yield f"Let `{step.name}` wait: put it behind the `parallel`, or write `after` at it."
    else:
        yield f"Put `{step.name}` behind everything that can fail."
    steps = list(dict.fromkeys(each.path for each in first if isinstance(each.node, Calling)))
    if steps:
        yield (
            f"Or say what a failure of {named(steps)} means once there is no way back: "
            "`else continue` or `else escalate`."
        )
    if not isinstance(spot.node, AgentCall):
        yield (
            "Or, when it may stand although the rest is taken back, write "
            f'`accept irreversible because "..."` at `{step.name}`.'
        )
