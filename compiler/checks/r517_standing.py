"""R517: nothing is left standing that was done with what is undone."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.span import Span
from ...runtime.plan import Checkpoint, Each, First, SagaCall, Step
from ..codes import declare
from ..proving.clashes import Clash, clashes
from ..proving.covering import covering
from ..proving.origins import Key, Origins, Value, Written
from ..proving.resources import Use
from ..proving.spots import Frame, Spot
from ..proving.tables import undoable
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R517", "error", "standing on what is undone")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds steps that stay although what they read is rolled back without them.

    That is a read beside a scope that is rolled back alone, and an accepted step in one that was
    given what another answered; behind a checkpoint the latter is a warning.

    Cost: that of `clashes`, and one look at each expression where a step is accepted.
    """
    for clash in clashes(view):
        if clash.sameness == "may be" and clash.first.touches != clash.second.touches:
            found = _read_beside(view, clash)
            if found is not None:
                yield found
    yield from _Given(view).found()


def _alone(view: View, spot: Spot) -> Iterator[Frame]:
    """Gives the bodies around a step that a failure behind it rolls back alone, inner first."""
    for frame in spot.frame.around():
        boundary = frame.owner is not None and frame.goes_on
        if boundary and view.graph.open(view.fallibles, spot, within=frame).count:
            yield frame


def _read_beside(view: View, clash: Clash) -> Diagnostic | None:
    changing, reading = clash.first, clash.second
    if reading.touches:
        changing, reading = reading, changing
    if not _undone(view, changing.spot):
        return None
    for frame in _alone(view, changing.spot):
        across = clash.loop is not None and frame.owner is clash.loop
        if across or not frame.holds(reading.spot):
            return _beside(view, frame, changing, reading)
    return None


def _beside(view: View, frame: Frame, changing: Use, reading: Use) -> Diagnostic:
    assert frame.owner is not None
    what = thing(changing.kind)
    return CODE(
        f"`{changing.spot.path}` changes a {what}, `{reading.spot.path}` beside it reads that, "
        f"then {_body(frame)} is rolled back alone: what was read never was, and "
        f"`{reading.spot.path}` stands.",
        view.span(reading.spot.node.at),
        f"may read the {what} that is undone",
        also=[
            (view.span(changing.spot.node.at), "changes it, and is undone"),
            (view.span(frame.owner.node.at), "is rolled back alone"),
            (view.span(reading.at), "says what is read"),
        ],
        helps=(
            f"Read the {what} when `{frame.owner.path}` is over: behind it, or `after` it.",
            "Or let both stand in one scope, which is rolled back as a whole.",
        ),
    )


def _undone(view: View, spot: Spot) -> bool:
    step = spot.node
    if not isinstance(step, Step):
        return False
    back = bool(step.undos) or covering(spot) is not None
    return back and any(map(undoable, view.tools[step.tool].effects))


class _Given:
    """Looks for accepted steps that were given what undone ones answered."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.accepted = [
            (spot, step, step.accepted)
            for spot, step, tool in view.steps
            if step.accepted is not None and tool.irreversible
        ]
        self.origins = Origins(view)
        self.memory: dict[Hashable, dict[Key, Spot | None]] = defaultdict(dict)
        self.checkpoints = [
            spot
            for spot in view.graph.spots
            if isinstance(spot.node, Checkpoint) and not spot.frame.aftermath
        ]

    def found(self) -> Iterator[Diagnostic]:
        if not self.accepted:
            return
        reached = self.origins.reached(lambda spot: _undone(self.view, spot))
        for spot, step, accepted in self.accepted:
            at = self.view.span(accepted.at)
            for frame in _alone(self.view, spot):
                source = self.given(spot, step, reached, frame.start)
                if source is not None and frame.holds(source):
                    assert frame.owner is not None
                    also = (self.view.span(frame.owner.node.at), "is rolled back alone")
                    run = f"{_body(frame)} is rolled back alone"
                    help_ = f"Put `{_name(spot)}` behind `{_name(frame.owner)}`."
                    yield self.told(spot, source, run, at, also, help_)
                    break
            else:
                point = self.point(spot)
                source = None if point is None else self.given(spot, step, reached, point.index)
                if point is not None and source is not None:
                    also = (self.view.span(point.node.at), "people may go back to here")
                    run = f"people go back to the checkpoint `{point.path}`"
                    help_ = f"Put the checkpoint behind `{_name(source)}`."
                    told = self.told(spot, source, run, at, also, help_)
                    yield replace(told, severity=Severity.WARNING)

    def given(self, spot: Spot, step: Step, reached: frozenset[str], since: int) -> Spot | None:
        """Gives an undone step, from an index on, whose answer reaches the arguments of a step."""

        def known(value: Value) -> bool:
            return value.name not in reached

        def wanted(source: Spot) -> bool:
            return source.index >= since and _undone(self.view, source)

        for argument in step.args:
            for value in self.origins.values(Written(argument.value.tree, spot)):
                found = self.origins.first(value, known, wanted, self.memory[since])
                if found is not None:
                    return found
        return None

    def point(self, spot: Spot) -> Spot | None:
        """Gives the first checkpoint of the saga's own block before a step."""
        place = bisect_left(self.checkpoints, spot.index, key=lambda each: each.index)
        before = self.checkpoints[:place]
        return next((each for each in before if each.frame.owner is None), None)

    def told(
        self, spot: Spot, source: Spot, run: str, at: Span, also: tuple[Span, str], help_: str
    ) -> Diagnostic:
        view = self.view
        return CODE(
            f"`{spot.path}` is done with what `{source.path}` answered, then {run}: "
            f"`{source.path}` is undone, and `{spot.path}` stands.",
            at,
            "may stand although the rest is taken back",
            also=[
                (view.span(spot.node.at), f"is given what `{source.path}` answered"),
                (view.span(source.node.at), "is undone"),
                also,
            ],
            helps=(help_, f"Or give `{_name(spot)}` only what was known before."),
        )


def _name(spot: Spot) -> str:
    return spot.path.rpartition(".")[2]


def _body(frame: Frame) -> str:
    assert frame.owner is not None
    name = frame.owner.path
    match frame.owner.node:
        case Each() | First():
            return f"that item of `{name}`"
        case SagaCall():
            return f"the saga called as `{name}`"
        case _:
            return f"the scope `{name}`"
