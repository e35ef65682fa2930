"""Ways through a plan: where each statement stands, which branches are taken, what fails then.

A run goes through the first block of every `if` and scope, or fails on its way: scopes fail as late
as they can. Enough ways are followed that each block is on one of them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .formula import Literal
from .plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Node,
    Parallel,
    Plan,
    Repeat,
    Requires,
    SagaCall,
    Scope,
    Step,
    Wait,
)
from .reach import inside

Way = tuple[If | Scope, ...]
"""The `if` and the scopes whose `else` runs."""

Sides = frozenset[int]
"""The same by identity: two statements may be equal."""


class Point(NamedTuple):
    """A point of failure: a statement, and in words how it fails.

    It fails when its turn comes, or, `closing`, when all that is inside it is over; `alone` says
    that none of its items stands then.
    """

    node: Node
    how: str
    closing: bool = False
    alone: bool = False


class Place(NamedTuple):
    """Where a statement stands: its number, that of the next one behind it, in which block."""

    start: int
    stop: int
    parent: Node | None
    side: int


class Ways:
    """The statements of a plan that a run going forward comes to, and those of them that may fail.

    Takes time linear in the plan, times the depth of its blocks.
    """

    def __init__(self, plan: Plan, points: Sequence[Point]) -> None:
        self._places: dict[int, Place] = {}
        self._points: dict[int, list[Point]] = defaultdict(list)
        for point in points:
            self._points[id(point.node)].append(point)
        self._number(plan.body, None, 0, 0)
        self._scopes = [node for node in forward(plan.body) if isinstance(node, Scope)]
        self._ifs = frozenset(id(node) for node in forward(plan.body) if isinstance(node, If))
        self.ways = self._of(plan.body)

    def _number(self, body: Sequence[Node], parent: Node | None, side: int, at: int) -> int:
        for node in body:
            start, at = at, at + 1
            for number, inner in enumerate(inside(node)):
                at = self._number(inner, node, number, at)
            self._places[id(node)] = Place(start, at, parent, side)
        return at

    def around(self, node: Node) -> list[tuple[Node, int]]:
        """Gives the statements that one is in, each with the block of it, the outermost first."""
        found: list[tuple[Node, int]] = []
        place = self._places[id(node)]
        while place.parent is not None:
            found.append((place.parent, place.side))
            place = self._places[id(place.parent)]
        return found[::-1]

    def sides(self, way: Way, point: Point) -> Sides:
        """Gives what of a way a run takes that comes to a point of failure."""
        around = self.around(point.node)
        forced = frozenset(id(node) for node, side in around if side)
        return frozenset(map(id, way)) - {id(node) for node, _ in around} | forced

    def decided(self, sides: Sides) -> Sides:
        """Gives what conditions decide of what a run takes; the rest is decided by failures."""
        return sides & self._ifs

    def through(self, way: Way, point: Point) -> Way:
        """Gives the statements of a way whose `else` is over when a run comes to a point."""
        return tuple(node for node in way if self._over(node, point))

    def _over(self, other: Node, point: Point) -> bool:
        one, two = self._places[id(other)], self._places[id(point.node)]
        if one.start <= two.start < one.stop:
            return False
        if two.start <= one.start < two.stop:
            return point.closing
        within: Node | None = None
        for (mine, side), (its, other_side) in zip(
            self.around(point.node), self.around(other), strict=False
        ):
            if mine is not its:
                break
            if side != other_side:
                return False
            within = mine
        # What is beside each other has all been done, but what fails.
        return one.start < two.start or isinstance(within, Parallel)

    def targets(
        self, point: Point, sides: Sides, keys: Mapping[int, str] = MappingProxyType({})
    ) -> frozenset[str]:
        """Gives the paths of a run that fail at a point: one, or those of several items.

        `keys` are those of items, by the identity of their loops, where they are not the usual.
        """
        node = point.node
        if not (point.closing and isinstance(node, Each)):
            return frozenset((self._keyed(point, keys),))
        last = self.last(node.body, sides)
        items = ("[0]", "[1]", "[2]") if point.alone else ("[1]", "[2]")
        return frozenset(
            path
            for item in items
            if last is not None
            for path in self.targets(last, sides, {**keys, id(node): item})
        )

    def told_inside(self, point: Point) -> bool:
        """Whether its last item's failure is the whole's: all of a `first` have failed then."""
        node = point.node
        return point.closing and isinstance(node, First) and self.last(node.body) is not None

    def late(self, sides: Sides) -> frozenset[str]:
        """Gives the paths of a run at which the scopes fail whose `else` it takes."""
        lasts = (self.last(s.body, sides) for s in self._scopes if id(s) in sides)
        return frozenset(
            path for last in lasts if last is not None for path in self.targets(last, sides)
        )

    def last(self, body: Sequence[Node], sides: Sides | None = None) -> Point | None:
        """Gives the last point at which a body fails, on any way when no `sides` are given."""
        return next(iter(deque(self._outwards(body, sides), maxlen=1)), None)

    def _outwards(self, body: Iterable[Node], sides: Sides | None) -> Iterator[Point]:
        for node in body:
            own = self._points.get(id(node), ())
            yield from (point for point in own if not point.closing)
            other = sides is None or id(node) in sides
            match node:
                case If(then=then, otherwise=otherwise):
                    if sides is None or not other:
                        yield from self._outwards(then, sides)
                    if other:
                        yield from self._outwards(otherwise, sides)
                case Each(tolerate=0) | First() | Repeat() | Parallel():
                    yield from self._outwards(inside(node)[0], sides)
                case Scope(body=tried, otherwise=None):
                    yield from self._outwards(tried, sides)
                case Scope(otherwise=tuple(otherwise)):
                    if other:
                        yield from self._outwards(otherwise, sides)
                case SagaCall(on_failure="rollback", body=called):
                    yield from self._outwards(called, sides)
                case _:
                    pass
            yield from (point for point in own if point.closing)

    def _of(self, body: Iterable[Node]) -> list[Way]:
        """Gives ways through a body that pass through each of its blocks once at least."""
        found: list[Way] = [()]
        for node in body:
            own = self._through(node)
            longest = max(len(found), len(own))
            found = [
                found[min(n, len(found) - 1)] + own[min(n, len(own) - 1)] for n in range(longest)
            ]
        return found

    def _through(self, node: Node) -> list[Way]:
        match node:
            case If(then=then, otherwise=(_, *_) as otherwise):
                return [*self._of(then), *((node, *way) for way in self._of(otherwise))]
            case Scope(body=body, otherwise=(_, *_) as otherwise) if self.last(body):
                return [*self._of(body), *((node, *way) for way in self._of(otherwise))]
            case _:
                return self._of(inner for block in inside(node)[:1] for inner in block)

    def _keyed(self, point: Point, known: Mapping[int, str]) -> str:
        """Gives the path of a run: the keys of items are their numbers from 0."""
        around = (node for node, _ in self.around(point.node))
        loops = [node for node in around if isinstance(node, Each | First | Repeat)]
        keys = [known.get(id(loop)) or ("[1]" if again(loop) else "[0]") for loop in loops]
        first, *pieces = failing_path(point).split("[*]")
        return first + "".join(map(str.__add__, keys, pieces))


def failing_path(point: Point) -> str:
    """Gives the path of what fails at a point in a plan that is led there.

    That is a call, a gate, a wait, or what stands for the statement; or before it; or behind it.
    """
    match point.node:
        case Step() | Gate() | Wait() | AgentCall() | Requires() | Let():
            return point.node.path
        case Repeat() if point.closing:
            return f"{point.node.path}!"
        case _:
            return f"{point.node.path}?"


def again(loop: Node) -> bool:
    """Whether the body of a loop runs again when it has succeeded."""
    match loop:
        case Repeat(body=(*_, Next(value=value)), limit=limit):
            return limit > 1 and value.tree != Literal(None)
        case _:
            return isinstance(loop, Each)


def forward(body: Iterable[Node]) -> Iterator[Node]:
    """Gives the statements that a run going forward may come to, in the order written."""
    for node in body:
        yield node
        for inner in inside(node):
            yield from forward(inner)
