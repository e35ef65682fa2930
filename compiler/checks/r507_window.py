"""R507: what has to be taken back is taken back while that is still accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest

from msgspec import Struct
from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.span import Span
from ...runtime.plan import Each, First, Repeat, SagaCall, Undo
from ..codes import declare
from ..proving.durations import shown
from ..proving.spots import Spot
from ..proving.tables import undoable
from ..proving.timelines import Kind
from ..proving.view import View
from ..proving.windows import Wait, Windows
from ..proving.words import FEW, thing

CODE = declare("R507", "error", "undo that comes too late")

TOLD = 64
"""So many findings of one saga say what takes the time: each looks at all that is between."""


def run(view: View) -> Iterator[Diagnostic]:
    """Finds steps whose undo may be called when its window is over.

    An error by the times that are written down, a warning in the worst case, and one note when
    nobody knows how long it takes.

    Cost: O(steps) in a sequence; a `parallel` is gone through once for each set of statements that
    has settled before a step, and only when it takes long enough as a whole.
    """
    limited = list(_limited(view))
    if not limited:
        return
    windows = Windows(view)
    told = 0
    note: Diagnostic | None = None
    for each in limited:
        late = _late(view, windows, each.spot, each.within)
        if late is not None:
            told += 1
            yield _diagnostic(view, windows, each, late, told <= TOLD)
        elif note is None:
            note = _endless(view, windows, each)
    if note is not None:
        yield note


class _Limited(Struct, frozen=True):
    """What can be taken back for some time only, by the undo that is accepted longest."""

    spot: Spot
    undo: Undo
    within: int
    what: str


def _limited(view: View) -> Iterator[_Limited]:
    """Gives the steps, and the called sagas, all of whose undos are accepted for some time only."""
    for spot, step, tool in view.steps:
        effect = next(filter(undoable, tool.effects), None)
        if effect is not None:
            yield from _last(spot, step.undos, f"the {thing(effect.kind)}")
    for spot in view.graph.spots:
        if isinstance(spot.node, SagaCall) and not spot.frame.aftermath:
            yield from _last(spot, spot.node.undos, f"what `{spot.node.saga}` did")


def _last(spot: Spot, undos: Sequence[Undo], what: str) -> Iterator[_Limited]:
    sure = [undo for undo in undos if undo.when is None]
    last = max(sure, key=lambda undo: (undo.within is None, undo.within or 0), default=None)
    if last is not None and last.within is not None:
        yield _Limited(spot, last, last.within, what)


def _late(view: View, windows: Windows, spot: Spot, within: int) -> tuple[Kind, Wait] | None:
    kinds: tuple[Kind, Kind] = ("declared", "worst")
    for kind in kinds:
        wait = windows.longest(spot, kind, within)
        if wait is not None and _cut(view, wait.length) > within:
            return kind, wait
    return None


def _cut(view: View, length: int) -> int:
    """A saga that is over its deadline goes no further: that is when it fails at the latest."""
    deadline = view.plan.deadline
    return length if deadline is None else min(length, deadline)


def _diagnostic(
    view: View, windows: Windows, of: _Limited, late: tuple[Kind, Wait], told: bool
) -> Diagnostic:
    spot, undo = of.spot, of.undo
    kind, wait = late
    length = shown(_cut(view, wait.length))
    failure = view.failures[wait.last.index]
    when = f"up to {length} later" if kind == "declared" else f"in the worst case {length} later"
    if view.graph.across(wait.last, spot) is not None:
        when += ", in another item,"
    also = [(view.span(undo.at), f"accepted for {shown(of.within)} after the first attempt")]
    if told:
        also += _taking(view, windows, spot, wait.last, kind)
    also.append((view.span(wait.last.node.at), f"can fail: {failure}"))
    found = CODE(
        f"`{spot.path}` is done, and {when} {failure}: `{undo.tool}` is accepted for "
        f"{shown(of.within)} only, so nothing takes {of.what} back.",
        view.span(spot.node.at),
        "what has to be taken back",
        also=also,
        helps=(
            f"Let `{_name(spot)}` come behind what takes so long, or make that shorter.",
            "Or add another `undo` behind it that is accepted for longer.",
        ),
    )
    return found if kind == "declared" else replace(found, severity=Severity.WARNING)


def _taking(
    view: View, windows: Windows, spot: Spot, last: Spot, kind: Kind
) -> Sequence[tuple[Span, str]]:
    """Gives the statements that take most of the time, in the order written."""
    lengths, graph = windows.lengths[kind], view.graph
    between = [
        (lengths[index], index)
        for index in windows.between(spot, last)
        if lengths.get(index, 0) and not graph.moments[index].closing
    ]
    most = sorted(
        (index, length)
        for length, index in nlargest(FEW + 1, between)
        if not graph.precedes(graph.moments[index], spot)
        and not graph.excl(graph.moments[index], spot)
    )
    word = "may take" if kind == "declared" else "may take, with all attempts,"
    line = windows.lines[kind]
    again = [
        (view.span(outer.node.at), f"its other items may take {shown(line.more[outer.index])} more")
        for outer in spot.around()
        if line.more.get(outer.index)
    ]
    return again + [
        (view.span(graph.moments[index].node.at), f"{word} {shown(length)}")
        for index, length in most
    ]


def _endless(view: View, windows: Windows, of: _Limited) -> Diagnostic | None:
    spot, undo = of.spot, of.undo
    last = windows.last(spot)
    if last is None or view.plan.deadline is not None:
        return None
    endless = windows.unbounded(spot, last)
    if endless is None:
        return None
    loop = isinstance(endless.node, Each | First | Repeat)
    why = "runs nobody knows how often" if loop else "may take for ever"
    where = "in another item " if view.graph.across(last, spot) is not None else ""
    found = CODE(
        f"`{spot.path}` is done, and nobody can say how long it takes until {where}"
        f"{view.failures[last.index]}: `{undo.tool}` takes {of.what} back only "
        f"for {shown(of.within)}.",
        view.span(spot.node.at),
        "what has to be taken back",
        also=[
            (view.span(endless.node.at), why),
            (view.span(undo.at), f"accepted for {shown(of.within)} after the first attempt"),
        ],
        helps=("A `deadline` bounds it, or another `undo` behind it that is accepted for longer.",),
    )
    return replace(found, severity=Severity.NOTE)


def _name(spot: Spot) -> str:
    return spot.path.rpartition(".")[2]
