"""The longest ways from the statements of a `parallel` to its failures, when each is a leaf.

What a step waits for is over when it begins, with all that this waits for: a longest way to what
comes after never enters it again once it has left it. So such a way begins at a statement that has
not settled, and is the longest tail of the graph from there, which is the same for every step. One
pass from the end finds all tails (Kelley and Walker, as in `timelines`); which of them a step still
has before it is a search in the order of their lengths, over sets as bits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from ...runtime.plan import AgentCall
from .graph import Graph
from .precedence import targets
from .spots import Spot

Tail = tuple[int, int]
"""The length of a way, and less the index of its last statement: of equal ones the first counts."""


def single(graph: Graph, region: Spot) -> bool:
    """Whether each statement of a `parallel` holds nothing and has one moment."""
    members = graph.blocks(region)[0]
    return all(not graph.blocks(each) and not isinstance(each.node, AgentCall) for each in members)


class Tails:
    """The tails of one `parallel` of `single` statements, by their lengths and what can fail.

    Takes time linear in the statements and what they wait for, but for sorting; each question the
    logarithm of that, in sets of as many bits.
    """

    def __init__(
        self, graph: Graph, region: Spot, lengths: Mapping[int, int], failing: Collection[int]
    ) -> None:
        self._graph = graph
        self._region = region
        members = graph.blocks(region)[0]
        after: dict[int, list[int]] = {each.index: [] for each in members}
        for each in members:
            for target in targets(graph.layout, each):
                after[target.index].append(each.index)
        whole: dict[int, int] = {}
        self._behind: dict[int, Tail | None] = {}
        tails: dict[int, Tail] = {}
        # What has more before it comes later: the sets of what is before grow along every way.
        for spot in sorted(members, key=lambda each: -graph.before(each).bit_count()):
            index, own = spot.index, lengths.get(spot.index, 0)
            whole[index] = own + max((whole[next_] for next_ in after[index]), default=0)
            found = max((tails[next_] for next_ in after[index] if next_ in tails), default=None)
            behind = None if found is None else (own + found[0], found[1])
            self._behind[index] = behind
            itself = (own, -index) if index in failing else None
            best = max((each for each in (behind, itself) if each is not None), default=None)
            if best is not None:
                tails[index] = best
        self._whole = sorted(((whole[each.index], each.index) for each in members), reverse=True)
        self._tails = sorted(((tail, index) for index, tail in tails.items()), reverse=True)
        self._reach = {
            name: self._prefixes([index for _, index in order])
            for name, order in (("whole", self._whole), ("tails", self._tails))
        }

    def rest(self, spot: Spot) -> int:
        """Gives the longest time that a `parallel` may still take when a step in it begins."""
        place = self._first("whole", self._graph.before(spot))
        return self._whole[place][0] if place < len(self._whole) else 0

    def last(self, spot: Spot) -> tuple[int, Spot] | None:
        """Gives the latest failure beside or behind a step, after its beginning, with its time."""
        settled = self._graph.before(spot) | 1 << (spot.index - self._region.index)
        place = self._first("tails", settled)
        others = [self._tails[place][0]] if place < len(self._tails) else []
        behind = self._behind[spot.index]
        if behind is not None:
            others.append(behind)
        if not others:
            return None
        length, index = max(others)
        return length, self._graph.moments[-index]

    def _prefixes(self, indices: Sequence[int]) -> list[int]:
        return list(
            accumulate((1 << (index - self._region.index) for index in indices), int.__or__)
        )

    def _first(self, name: str, settled: int) -> int:
        """Gives the place of the longest way that begins at what has not settled."""
        return bisect_left(self._reach[name], True, key=lambda these: bool(these & ~settled))
