"""Pairs of statements that no order holds apart although it matters which comes first.

Beside each other stand members of one `parallel`, and the items of a loop that runs several at
once. Uses are gathered by what identifies their resource: only what may be the same is compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from ...runtime.formula import Node
from ...runtime.plan import Each
from .identity import Identity, Sameness
from .resources import Use, across, apart, clash, same, uses
from .spots import Spot
from .view import View

Ids = tuple[Node, ...]
LATEST = 8
Written = str
"""Ids as a text: constants in them need not be hashable."""


class Clash(Struct, frozen=True):
    """Two uses of a resource that is, or may be, the same; in `loop` they are of two items.

    When the loop runs one item at a time, it is their undos that meet.
    """

    first: Use
    second: Use
    sameness: Sameness
    loop: Spot | None = None


class _Bucket(Struct, eq=False):
    """Uses of one resource by one tool, in chains of which each member precedes the next."""

    sample: Use
    chains: list[list[Use]] = msgspec.field(default_factory=list[list[Use]])


def clashes(view: View) -> Iterator[Clash]:
    """Gives for each statement the first clash with one written before it, or with its own items.

    Outside of every `parallel` and of loops that run several items at once nothing is looked at.
    Inside, constant ids and those made in the run are known to be distinct without a comparison,
    and uses that follow one another are compared as one: near linear but for odd programs.
    """
    identity = Identity(view)
    beside: dict[tuple[int, str], list[Use]] = defaultdict(list)
    items: dict[tuple[Spot, str], list[Use]] = defaultdict(list)
    for use in uses(view, identity):
        if use.spot.region is not None:
            beside[use.spot.region.index, use.kind].append(use)
        for loop in use.spot.around():
            if isinstance(loop.node, Each) and _at_once(loop.node, use):
                items[loop, use.kind].append(use)
    for members in beside.values():
        if any(use.touches for use in members):
            yield from _Beside(view, identity).clashes(members)
    for (loop, _), members in items.items():
        if any(use.touches for use in members):
            yield from _items(identity, loop, members)


def _at_once(each: Each, use: Use) -> bool:
    """True for what two items may do at one time: forwards, or as they are undone."""
    undone = use.touches and bool(getattr(use.spot.node, "undos", ()))
    return each.at_once > 1 or (each.undo_at_once > 1 and undone)


class _Beside:
    """Looks for clashes among the uses of one kind in one `parallel`, in the order written."""

    def __init__(self, view: View, identity: Identity) -> None:
        self.graph = view.graph
        self.identity = identity
        self.by_ids: dict[Written, dict[tuple[str, bool], _Bucket]] = defaultdict(dict)
        self.ids: dict[Written, Ids] = {}
        self.open_ids: dict[Written, Ids] = {}

    def clashes(self, members: Iterable[Use]) -> Iterator[Clash]:
        for use in members:
            found = self.worst(use)
            if found is not None:
                yield found
            written = repr(use.ids)
            self.ids[written] = use.ids
            if not apart(self.identity, use.ids):
                self.open_ids[written] = use.ids
            tool = (use.tool.name, use.touches)
            self.add(self.by_ids[written].setdefault(tool, _Bucket(use)), use)

    def worst(self, use: Use) -> Clash | None:
        equal = (repr(use.ids), repr(())) if use.ids else tuple(self.ids)
        for written in dict.fromkeys(equal):
            found = self.among(use, written)
            if found is not None:
                return Clash(found, use, "equal")
        others = self.open_ids if apart(self.identity, use.ids) else self.ids
        for written, ids in others.items():
            if same(self.identity, ids, use.ids) == "may be":
                found = self.among(use, written)
                if found is not None:
                    return Clash(found, use, "may be")
        return None

    def among(self, use: Use, ids: Written) -> Use | None:
        """Gives a use of a resource, written before, that is in no order with another one."""
        for bucket in self.by_ids.get(ids, {}).values():
            if clash(bucket.sample, use):
                for chain in bucket.chains:
                    found = self.open(use, chain)
                    if found is not None:
                        return found
        return None

    def open(self, use: Use, chain: list[Use]) -> Use | None:
        place = len(chain) - 1
        while place >= 0:
            other = chain[place]
            if self.graph.precedes(other.spot, use.spot):
                return None
            if other.spot is use.spot or self.graph.precedes(use.spot, other.spot):
                place -= 1
            elif self.graph.excl(other.spot, use.spot):
                place = bisect_left(chain, _parting(other, use), key=lambda each: each.spot.index)
                place -= 1
            else:
                return other
        return None

    def add(self, bucket: _Bucket, use: Use) -> None:
        # One that follows none of the latest begins a new chain: that costs time later, no answer.
        for chain in bucket.chains[-LATEST:]:
            if self.graph.precedes(chain[-1].spot, use.spot):
                chain.append(use)
                return
        bucket.chains.append([use])


def _parting(one: Use, other: Use) -> int:
    """Gives the index of the statement whose branches part two uses."""
    branches = dict(other.spot.branches)
    return next(
        choice.index
        for choice, branch in one.spot.branches
        if branches.get(choice, branch) != branch
    )


def _items(identity: Identity, loop: Spot, members: list[Use]) -> Iterator[Clash]:
    """Gives clashes of two items, one for each use: with itself, else with one written before."""
    seen: dict[tuple[Written, str], Use] = {}
    for use in members:
        for other in (use, *seen.values()):
            if clash(other, use):
                sameness = across(identity, loop, other.ids, use.ids)
                if sameness != "distinct":
                    yield Clash(other, use, sameness, loop)
                    break
        seen.setdefault((repr(use.ids), use.tool.name), use)
