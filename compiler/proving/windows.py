"""How long after a step's first attempt its undo may be called: at the last failure behind it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from ...runtime.plan import Each, First, Repeat, SagaCall, Step
from .covering import covered, covering
from .graph import ALL, Opening
from .items import most, turns
from .spots import Frame, Spot, in_turn
from .tables import undoable
from .tails import Tails, single
from .timelines import Kind, Part, Timeline, around_in, declared, undoing, worst
from .view import View


class Wait(Struct, frozen=True):
    """The longest time until an undo is called, and the failure that it is called for.

    All that is undone before it has an index from `since` to `until`, without the last.
    """

    length: int
    last: Spot
    since: int
    until: int


class Windows:
    """The times of one saga.

    In a `parallel` of single statements every step looks at the same `Tails`. Where one holds
    others, a step needs a line of its own for each set of statements that has settled before it, so
    that a chain of n steps with windows takes n² when the whole takes too long; that is often seen
    to be not so without going through it.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.lengths: dict[Kind, dict[int, int]] = {"declared": {}, "worst": {}}
        self.endless: list[int] = []
        """The indices of statements that may take for ever, or run nobody knows how often."""
        for spot in view.graph.spots:
            if spot.frame.aftermath:
                continue
            said, most_ = declared(spot), worst(view, spot)
            self.lengths["declared"][spot.index] = said or 0
            self.lengths["worst"][spot.index] = most_ or said or 0
            loop = isinstance(spot.node, Each | First | Repeat) and turns(spot.node) is None
            if said is None or most_ is None or loop:
                self.endless.append(spot.index)
        self.lines: dict[Kind, Timeline] = {
            kind: Timeline(view, given) for kind, given in self.lengths.items()
        }
        self.latest = {kind: self._latest(kind) for kind in self.lines}
        self.undos = [0, *accumulate(self._undo(spot) for spot in view.graph.moments)]
        self._regions: dict[tuple[Kind, int, int, int], Timeline] = {}
        self._tails: dict[tuple[Kind, int, Frame], Tails | None] = {}
        self._ends: dict[tuple[Kind, int, int, int, Frame], list[Spot]] = {}

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
        for opening in self.view.graph.openings(self.view.fallibles, spot):
            for wait in self._failures(opening, kind, rough):
                if found is None or wait.length > found.length:
                    found = wait
        if found is None or kind == "declared":
            return found
        more = self.undos[max(found.since, found.until)] - self.undos[found.since]
        own = self._undo(spot) // self._often(spot) if found.since <= spot.index else 0
        return replace(found, length=found.length + max(0, more - own))

    def between(self, spot: Spot, last: Spot) -> range:
        """Gives the indices of what may come between a step's beginning and a failure."""
        start = spot.index if spot.region is None else spot.region.index
        stop = last.index if last.region is None else last.region.stop - 1
        return range(start, max(start, stop) + 1)

    def unbounded(self, spot: Spot, last: Spot) -> Spot | None:
        """Gives the first statement around or behind a step whose length nobody knows."""
        moments = self.view.graph.moments
        for outer in spot.around():
            if isinstance(outer.node, Each | Repeat) and turns(outer.node) is None:
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

    def _failures(self, opening: Opening, kind: Kind, rough: bool) -> Iterator[Wait]:
        """Gives the latest failure of those that one catch catches, in each part of the saga.

        A `rough` answer takes a whole `parallel` for what comes behind a step in it.
        """
        spot, frame, region = opening.at, opening.frame, opening.at.region
        line, indices = self.lines[kind], self.view.fallibles.indices[opening.frame]
        since = spot.index + 1 if region is None else region.index
        if opening.loop is not None:
            since = min(since, opening.loop.start)
        at = self._beginning(opening)
        ranges = list(opening.ranges)
        alone = self._alone(spot)
        if alone is not None:
            ranges = [(index, index + 1) for index in opening.first(ALL) if alone(index)]
        begin = line.begin[at.index] + self._tried(line, at, frame)
        if region is not None and (at is spot or region.holds(at)):
            begin = line.begin[region.index] + self._tried(line, region, frame)
            tails = None if rough or alone or at is not spot else self._tailed(region, kind, frame)
            if rough:
                ranges.append((region.index, region.stop))
            elif tails is not None:
                begin += line.end[region.index] - line.begin[region.index] - tails.rest(spot)
                latest = tails.last(spot)
                if latest is not None:
                    yield Wait(*latest, since, region.stop)
            else:
                inner = self._inside(region, spot, at, kind)
                own = inner.begin[at.index] + self._tried(inner, at, frame)
                begin += line.end[region.index] - line.begin[region.index]
                begin += own - inner.end[region.index]
                other = self._last_inside(region, opening, at, kind)
                if other is not None:
                    yield Wait(inner.last(other, frame) - own, other, since, region.stop)
        for low, high in ranges:
            first, stop = bisect_left(indices, low), bisect_left(indices, high)
            if first < stop:
                place = stop - 1
                if stop == len(indices):
                    place = self.latest[kind][frame][first]
                other = self.view.graph.moments[indices[place]]
                until = max(other.index + 1, 0 if opening.loop is None else opening.loop.stop)
                yield Wait(line.last(other, frame) - begin, other, since, until)

    def _tailed(self, region: Spot, kind: Kind, frame: Frame) -> Tails | None:
        """Gives the tails of a `parallel` to what one catch catches; None where it holds bodies."""
        key = (kind, region.index, frame)
        if key not in self._tails:
            failing = self.view.fallibles.indices[frame]
            low, high = bisect_left(failing, region.index), bisect_left(failing, region.stop)
            graph, lengths = self.view.graph, self.lengths[kind]
            plain = single(graph, region)
            among = frozenset(failing[low:high])
            self._tails[key] = Tails(graph, region, lengths, among) if plain else None
        return self._tails[key]

    def _alone(self, spot: Spot) -> Callable[[int], bool] | None:
        """Gives which failures take a statement back by its own undo; None where all do.

        What is in a called saga with undos of its call is taken back by these when that is over;
        they take back nothing before.
        """
        graph = self.view.graph
        if isinstance(spot.node, SagaCall):
            return lambda index: (
                not spot.holds(graph.moments[index])
                or graph.across(graph.moments[index], spot) is not None
            )
        if covering(spot) is None:
            return None
        return lambda index: not covered(graph, spot, graph.moments[index])

    @staticmethod
    def _beginning(opening: Opening) -> Spot:
        """Gives what begins with a step in some run: the step, or a loop whose items run together.

        Where several items run at once, others may have as long a way before them as there is.
        """
        found = opening.at
        for loop in opening.at.frame.around():
            if loop is opening.frame:
                break
            if loop.loop and not in_turn(loop) and loop.owner is not None:
                found = loop.owner
        return found

    def _last_inside(self, region: Spot, opening: Opening, at: Spot, kind: Kind) -> Spot | None:
        """Gives the latest failure of a `parallel` that a step in it does not wait for."""
        graph, spot = self.view.graph, opening.at
        key = (kind, region.index, graph.before(spot), at.index, opening.frame)
        if key not in self._ends:
            inner = self._inside(region, spot, at, kind)
            indices = self.view.fallibles.indices[opening.frame]
            low, high = bisect_left(indices, region.index), bisect_left(indices, region.stop)
            others = [graph.moments[index] for index in indices[low:high]]
            self._ends[key] = sorted(
                others, key=lambda o: inner.last(o, opening.frame), reverse=True
            )
        if opening.loop is not None and opening.loop.start <= region.index:
            # Its other items are seen on the whole line: here it is the same one.
            same = (o for o in self._ends[key] if not graph.precedes(o, spot) and o is not spot)
            return next((other for other in same if not graph.excl(other, spot)), None)
        bits, base = opening.region, region.index
        alone = self._alone(spot)
        found = (o for o in self._ends[key] if bits >> (o.index - base) & 1)
        return next((other for other in found if alone is None or alone(other.index)), None)

    @staticmethod
    def _tried(line: Timeline, spot: Spot, frame: Frame) -> int:
        """Gives the time of the items of `first` that were tried, and undone, before a step's own.

        When a step in one stands, no further item is tried.
        """
        around = (each for each in around_in(frame, spot) if isinstance(each.node, First))
        return sum(line.more.get(each.index, 0) for each in around)

    def _inside(self, region: Spot, spot: Spot, at: Spot, kind: Kind) -> Timeline:
        """Gives the line of a `parallel` from a step's beginning, what settled before taking none.

        What runs beside it may begin with it.
        """
        before = self.view.graph.before(spot)
        key = (kind, region.index, before, at.index)
        if key not in self._regions:
            passed = {
                region.index + bit
                for bit in range(region.stop - region.index)
                if before >> bit & 1 and (at is spot or not at.holds(self._at(region.index + bit)))
            }
            part = Part(self.lines[kind], region, passed)
            self._regions[key] = Timeline(self.view, self.lengths[kind], part)
        return self._regions[key]

    def _at(self, index: int) -> Spot:
        return self.view.graph.moments[index]

    def _latest(self, kind: Kind) -> Mapping[Frame, Sequence[int]]:
        """Gives for each catch, from each of its failures on, the place of the latest one."""
        line = self.lines[kind]
        found: dict[Frame, list[int]] = {}
        for frame, indices in self.view.fallibles.indices.items():
            ends = [line.last(self.view.graph.moments[index], frame) for index in indices]
            places = list(range(len(indices)))
            for place in range(len(indices) - 2, -1, -1):
                if ends[places[place + 1]] >= ends[place]:
                    places[place] = places[place + 1]
            found[frame] = places
        return found

    def _undo(self, spot: Spot) -> int:
        """Gives how long the undos of a step may take, those of all its items together."""
        node = spot.node
        if spot.closing or not isinstance(node, Step) or not node.undos or spot.frame.aftermath:
            return 0
        if not any(map(undoable, self.view.tools[node.tool].effects)):
            return 0
        undo = node.undos[0]
        return (undoing(self.view, undo) or 0) * self._often(spot)

    @staticmethod
    def _often(spot: Spot) -> int:
        """Gives how many of a step may stand at once, one where that is not known before."""
        loops = (each.node for each in spot.around() if isinstance(each.node, Each | Repeat))
        return prod(most(loop) or 1 for loop in loops)
