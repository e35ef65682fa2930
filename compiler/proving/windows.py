"""How long after a step's first attempt its undo may be called: at the last failure behind it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from ...runtime.plan import Each, First, Repeat, Step
from .spots import Frame, Spot
from .tables import undoable
from .timelines import Kind, Timeline, declared, rounds, undoing, worst
from .view import View


class Wait(Struct, frozen=True):
    """The longest time until an undo is called, and the failure that it is called for."""

    length: int
    last: Spot


class Windows:
    """The times of one saga; each `parallel` is gone through once for what has settled before."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.lengths: dict[Kind, dict[int, int]] = {"declared": {}, "worst": {}}
        self.endless: list[int] = []
        """The indices of statements that may take for ever, or run nobody knows how often."""
        for spot in view.graph.spots:
            if spot.frame.aftermath:
                continue
            said, most = declared(spot), worst(view, spot)
            self.lengths["declared"][spot.index] = said or 0
            self.lengths["worst"][spot.index] = most or said or 0
            loop = isinstance(spot.node, Each | First | Repeat) and rounds(spot.node) is None
            if said is None or most is None or loop:
                self.endless.append(spot.index)
        self.lines: dict[Kind, Timeline] = {
            kind: Timeline(view, given) for kind, given in self.lengths.items()
        }
        self.latest = {kind: self._latest(kind) for kind in self.lines}
        self.undos = [0, *accumulate(self._undo(spot) for spot in view.graph.moments)]
        self._regions: dict[tuple[Kind, int, int], Timeline] = {}
        self._ends: dict[tuple[Kind, int, int, Frame], list[Spot]] = {}

    def longest(self, spot: Spot, kind: Kind, over: int = -1) -> Wait | None:
        """Gives the longest time from a step's beginning to the undo that a failure behind it asks.

        In the worst case the undos of what came later come first. None also when it is not `over` a
        time: that is often seen without going through a `parallel`.
        """
        found = self._longest(spot, kind, rough=spot.region is not None)
        if found is None or found.length <= over:
            return None
        if spot.region is not None:
            found = self._longest(spot, kind, rough=False)
        return None if found is None or found.length <= over else found

    def last(self, spot: Spot) -> Spot | None:
        """Gives the last statement whose failure may take a step back; roughly in a `parallel`."""
        found = self._longest(spot, "worst", rough=True)
        if found is not None and spot.region is not None and found.last.region is spot.region:
            found = self._longest(spot, "worst", rough=False)
        return None if found is None else found.last

    def _longest(self, spot: Spot, kind: Kind, rough: bool) -> Wait | None:
        found: Wait | None = None
        for frame in spot.frame.around():
            if frame.goes_on:
                for wait in self._failures(spot, frame, kind, rough):
                    if found is None or wait.length > found.length:
                        found = wait
        if found is None or kind == "declared":
            return found
        low = spot.index + 1 if spot.region is None else spot.region.index
        more = self.undos[max(low, found.last.index + 1)] - self.undos[low]
        return Wait(
            found.length + max(0, more - self._undo(spot) * (low <= spot.index)), found.last
        )

    def between(self, spot: Spot, last: Spot) -> range:
        """Gives the indices of what may come between a step's beginning and a failure."""
        start = spot.index if spot.region is None else spot.region.index
        stop = last.index if last.region is None else last.region.stop - 1
        return range(start, max(start, stop) + 1)

    def unbounded(self, spot: Spot, last: Spot) -> Spot | None:
        """Gives the first statement around or behind a step whose length nobody knows."""
        moments = self.view.graph.moments
        for outer in spot.around():
            if isinstance(outer.node, Each | Repeat) and rounds(outer.node) is None:
                return outer
        within = self.between(spot, last)
        for place in range(bisect_left(self.endless, within.start), len(self.endless)):
            index = self.endless[place]
            if index >= within.stop:
                break
            other = moments[index]
            passed = other.holds(spot) or self.view.graph.precedes(other, spot)
            if not passed and not self.view.graph.excl(other, spot):
                return other
        return None

    def _failures(self, spot: Spot, frame: Frame, kind: Kind, rough: bool) -> Iterator[Wait]:
        """Gives the latest failure of those that one catch catches, in each part of the saga.

        A `rough` answer takes a whole `parallel` for what comes behind a step in it.
        """
        line = self.lines[kind]
        indices = self.view.fallibles.indices.get(frame, ())
        start, begin = spot.index + 1, line.begin[spot.index] + self._tried(line, spot)
        if spot.region is not None:
            region = spot.region
            begin = line.begin[region.index] + self._tried(line, region)
            if rough:
                start = region.index
            else:
                inner = self._inside(region, spot, kind)
                own = inner.begin[spot.index] + self._tried(inner, spot)
                begin += line.end[region.index] - line.begin[region.index]
                begin += own - inner.end[region.index]
                start = region.stop
                other = self._last_inside(region, spot, frame, kind)
                if other is not None:
                    yield Wait(inner.last(other) - own, other)
        for low, high in self._behind(spot, start):
            first, stop = bisect_left(indices, low), bisect_left(indices, high)
            if first < stop:
                place = stop - 1
                if stop == len(indices):
                    place = self.latest[kind][frame][first]
                other = self.view.graph.moments[indices[place]]
                yield Wait(line.last(other) - begin, other)

    def _last_inside(self, region: Spot, spot: Spot, frame: Frame, kind: Kind) -> Spot | None:
        """Gives the latest failure of a `parallel` that a step in it does not wait for."""
        graph = self.view.graph
        key = (kind, region.index, graph.before(spot), frame)
        if key not in self._ends:
            inner = self._inside(region, spot, kind)
            indices = self.view.fallibles.indices.get(frame, ())
            low, high = bisect_left(indices, region.index), bisect_left(indices, region.stop)
            others = [graph.moments[index] for index in indices[low:high]]
            late = [other for other in others if not graph.precedes(other, spot)]
            self._ends[key] = sorted(late, key=inner.last, reverse=True)
        return next((o for o in self._ends[key] if o is not spot and not graph.excl(o, spot)), None)

    @staticmethod
    def _tried(line: Timeline, spot: Spot) -> int:
        """Gives the time of the items of `first` that were tried, and undone, before a step's own.

        When a step in one stands, no further item is tried.
        """
        around = (each for each in spot.around() if isinstance(each.node, First))
        return sum(line.more.get(each.index, 0) for each in around)

    def _behind(self, spot: Spot, start: int) -> Iterator[tuple[int, int]]:
        ends = (self.view.layout.closing(o) for o in spot.around() if isinstance(o.node, First))
        # That every item of a `first` fails takes nothing back that stands: each was undone before.
        over = [(end.index, end.stop) for end in ends if end is not None]
        for low, high in sorted([*self.view.graph.alternatives(spot), *over]):
            if low >= start:
                yield start, low
                start = high
        yield start, len(self.view.graph.moments)

    def _inside(self, region: Spot, spot: Spot, kind: Kind) -> Timeline:
        """Gives the line of a `parallel` from a step's beginning, what settled before taking none.

        What runs beside it may begin with it.
        """
        before = self.view.graph.before(spot)
        key = (kind, region.index, before)
        if key not in self._regions:
            passed = {
                region.index + bit for bit in range(region.stop - region.index) if before >> bit & 1
            }
            self._regions[key] = Timeline(self.view, self.lengths[kind], region, passed)
        return self._regions[key]

    def _latest(self, kind: Kind) -> Mapping[Frame, Sequence[int]]:
        """Gives for each catch, from each of its failures on, the place of the latest one."""
        line = self.lines[kind]
        found: dict[Frame, list[int]] = {}
        for frame, indices in self.view.fallibles.indices.items():
            ends = [line.last(self.view.graph.moments[index]) for index in indices]
            places = list(range(len(indices)))
            for place in range(len(indices) - 2, -1, -1):
                if ends[places[place + 1]] >= ends[place]:
                    places[place] = places[place + 1]
            found[frame] = places
        return found

    def _undo(self, spot: Spot) -> int:
        node = spot.node
        if spot.closing or not isinstance(node, Step) or not node.undos or spot.frame.aftermath:
            return 0
        if not any(map(undoable, self.view.tools[node.tool].effects)):
            return 0
        undo = node.undos[0]
        return undoing(undo, self.view.tools[undo.tool]) or 0
