"""What has settled before what inside one outermost `parallel`, in every run.

A statement that waits for one inside an `if` waits for it only where that branch is taken. So what
has settled then is what has settled in each of the branches; the branch not taken counts as
settled, because no run has both. What the inside of a scope or a loop waits for, the whole
waits for: from outside it is one statement, inside it is a sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter

from ...runtime.plan import If, Parallel
from .layout import Layout
from .spots import Spot

Moment = tuple[int, bool]
"""The beginning (False) or the end (True) of the statement with this index."""


def targets(layout: Layout, spot: Spot) -> tuple[Spot, ...]:
    """Gives the spots of its region that a statement itself waits for, none that excludes it."""
    return tuple(
        target
        for path in spot.node.waits
        for target in layout.by_path.get(path, ())
        if target.region is not None
        and target.region is spot.region
        and not any((choice, 1 - branch) in spot.branches for choice, branch in target.branches)
    )


def bits(start: int, stop: int) -> int:
    """Gives a set of numbers, `start` to `stop` without the last, as the bits of an integer."""
    return (1 << stop) - (1 << start) if start < stop else 0


def settled_before(layout: Layout, region: Spot) -> Mapping[int, int]:
    """Gives for each spot of a region the set of those settled before it is called.

    Sets hold indices counted from the region's own. Raises `graphlib.CycleError` for a plan that no
    compiler made.
    """
    return _Region(layout, region).solve()


class _Region:
    def __init__(self, layout: Layout, region: Spot) -> None:
        self.layout = layout
        self.base = region.index
        self.spots = layout.moments[region.index : region.stop]
        self.waits = {s.index: () if s.closing else targets(layout, s) for s in self.spots}
        self.follows: dict[int, Moment] = {}
        for spot in self.spots:
            for chain in self.chains(spot):
                last = (spot.index, False)
                for each in chain:
                    self.follows[each.index] = last
                    last = (each.index, True)
        self.before: dict[int, int] = {}
        self.done: dict[int, int] = {}

    def solve(self) -> Mapping[int, int]:
        for index, ended in self.order():
            spot = self.layout.moments[index]
            if ended:
                self.done[index] = self.end(spot)
            else:
                self.before[index] = self.start(spot)
        return self.before

    def order(self) -> Iterable[Moment]:
        order = TopologicalSorter[Moment]()
        for spot in self.spots:
            start, end = (spot.index, False), (spot.index, True)
            order.add(end, start)
            order.add(end, *((chain[-1].index, True) for chain in self.chains(spot) if chain))
            if spot.index in self.follows:
                order.add(start, self.follows[spot.index])
            for target in self.waits[spot.index]:
                choices = (choice for choice, _ in target.branches if choice.index > self.base)
                order.add(start, (target.index, True), *((each.index, False) for each in choices))
        return order.static_order()

    def chains(self, spot: Spot) -> Iterator[tuple[Spot, ...]]:
        """Gives what runs one after another inside a statement; the else of a scope behind it."""
        if spot.closing:
            return
        blocks, closing = self.layout.blocks(spot), self.layout.closing(spot)
        match spot.node:
            case If():
                yield from blocks
            case Parallel():
                yield from ((each,) for each in blocks[0])
            case _:
                last = () if closing is None else (closing,)
                yield tuple(each for block in blocks for each in block) + last

    def start(self, spot: Spot) -> int:
        settled = self.waited(spot, self.waits[spot.index], 0)
        if spot.index in self.follows:
            index, ended = self.follows[spot.index]
            other = self.layout.moments[index]
            settled |= self.done[index] if ended else self.reached(other)
        return settled

    def end(self, spot: Spot) -> int:
        settled = self.reached(spot)
        match spot.node:
            case If():
                both = -1
                then, otherwise = self.layout.blocks(spot)
                for taken, other in ((then, otherwise), (otherwise, then)):
                    both &= (self.done[taken[-1].index] if taken else settled) | self.whole(other)
                return settled | both
            case _:
                for chain in self.chains(spot):
                    if chain:
                        settled |= self.done[chain[-1].index]
                return settled

    def waited(self, spot: Spot, targets: Iterable[Spot], depth: int) -> int:
        settled = 0
        conditional: dict[int, list[Spot]] = {}
        for target in targets:
            choices = [choice for choice in target.branches if choice not in spot.branches]
            if len(choices) == depth:
                settled |= self.done[target.index]
            else:
                conditional.setdefault(choices[depth][0].index, []).append(target)
        for index, members in conditional.items():
            choice = self.layout.moments[index]
            blocks = self.layout.blocks(choice)
            both = -1
            for branch in (0, 1):
                taken = [target for target in members if (choice, branch) in target.branches]
                both &= (
                    self.reached(choice)
                    | self.waited(spot, taken, depth + 1)
                    | self.whole(blocks[1 - branch])
                )
            settled |= both
        return settled

    def reached(self, spot: Spot) -> int:
        return self.before[spot.index] | 1 << (spot.index - self.base)

    def whole(self, block: tuple[Spot, ...]) -> int:
        return bits(block[0].index - self.base, block[-1].stop - self.base) if block else 0
