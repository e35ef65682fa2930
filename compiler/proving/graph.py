"""The directed acyclic graph of a plan: a ≺ b, what excludes what, what is open, least closures.

Outside of `parallel` the order written is the order, so that a saga costs what it is long; inside
an outermost `parallel` (a *region*) sets of statements are kept as the bits of integers. Of a loop
every statement stands for itself in any item, and two of one loop in two items as well. This is
the one module that imports networkx, and only where something is to be cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from ...runtime.plan import If, Plan, Scope
from .items import none_stands
from .layout import BODY, Blocks, Layout, lay_out
from .precedence import bits, settled_before, targets
from .spots import Frame, Spot, catch, in_turn, loops

ALL = 1 << 60
"""More than there can be of anything."""


class Marks(Struct, frozen=True):
    """Some spots of a graph by what catches their failure, ready to be asked which are open.

    Of each catch: the indices in the order written, and the sets of those in each region.
    """

    indices: Mapping[Frame, Sequence[int]]
    regions: Mapping[Frame, Mapping[int, int]]


class Open(Struct, frozen=True):
    """The first few of the marked spots that are open, in the order written, and their number."""

    first: tuple[Spot, ...]
    count: int


class Graph(Struct, frozen=True, eq=False, dict=True):
    """The graph of one plan, made by `graph`.

    `leaky` are the indices of the scopes whose body breaks R502: their else may run while an effect
    of their body stands.
    """

    plan: Plan
    layout: Layout
    leaky: Set[int] = frozenset()
    _settled: dict[int, Mapping[int, int]] = field(default_factory=dict[int, Mapping[int, int]])

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every statement in the order written, those of `on rollback` last."""
        return tuple(spot for spot in self.layout.moments if not spot.closing)

    @property
    def moments(self) -> tuple[Spot, ...]:
        """Every spot in the order of indices, the closing ones too."""
        return self.layout.moments

    @property
    def body(self) -> tuple[Spot, ...]:
        """The statements of the saga's own block."""
        return self.layout.inside[BODY][0]

    def blocks(self, spot: Spot) -> Blocks:
        """Gives the blocks of a statement, as `runtime.plan.blocks` does."""
        return self.layout.blocks(spot)

    def named(self, path: str) -> tuple[Spot, ...]:
        """Gives the statements with a path: one, or one in each branch of an `if`, or none."""
        return self.layout.by_path.get(path, ())

    def knowing(self, leaky: Set[int]) -> Graph:
        """Gives the same graph with the scopes that break R502."""
        return replace(self, leaky=leaky) if leaky else self

    def precedes(self, a: Spot, b: Spot, across: Frame | None = None) -> bool:
        """a ≺ b: in every run that has both, a has settled before b is called.

        With `across`, a loop that holds both: a of one item before b of a later one, so that a may
        be b; nothing of a later item precedes anything of an earlier one.
        """
        if across is not None:
            return in_turn(across)
        if a is b or self.excl(a, b):
            return False
        if a.region is not None and a.region is b.region:
            return bool(self.before(b) >> (a.index - a.region.index) & 1)
        return a.index < b.index

    def excl(self, a: Spot, b: Spot) -> bool:
        """True when nothing of one stands where the other runs, both in the same items of loops.

        They stand in different branches of one `if`, or in body and else of one scope whose body
        keeps R502.
        """
        return any(start <= a.index < stop for start, stop in self.alternatives(b))

    def certain(self, at: Spot, among: Iterable[Spot]) -> bool:
        """True when every run that calls `at` has settled one of these spots before.

        They come in the order written.
        """
        found: list[Spot] = []
        last = at.index if at.region is None else at.region.stop
        for spot in among:
            if spot.index >= last:
                break
            if self.precedes(spot, at):
                if all(choice in at.branches for choice in spot.branches):
                    return True
                found.append(spot)
        return self._certain(at, found, 0)

    def mark(self, wanted: Callable[[Spot], bool]) -> Marks:
        """Gives the spots that satisfy a predicate, each with the catch of its own failure."""
        return self.caught((spot, catch(spot.frame)) for spot in self.moments if wanted(spot))

    def caught(self, pairs: Iterable[tuple[Spot, Frame]]) -> Marks:
        """Gives spots, in the order written, with what catches the failure of each."""
        indices: dict[Frame, list[int]] = {}
        regions: dict[Frame, dict[int, int]] = {}
        for spot, by in pairs:
            indices.setdefault(by, []).append(spot.index)
            if spot.region is not None:
                base = spot.region.index
                here = regions.setdefault(by, {})
                here[base] = here.get(base, 0) | 1 << (spot.index - base)
        return Marks(indices, regions)

    def open(self, marks: Marks, at: Spot, few: int = 1, within: Frame | None = None) -> Open:
        """Gives the marked spots x whose failure can meet `at` when it has landed.

        The catch of x encloses `at`, and neither x ≺ at, nor excl(x, at), nor x = at, except across
        two items of a loop that the catch encloses. That all items of a loop have failed does not
        count against its own items. With `within` only what that catch catches is given.

        Takes the logarithm of the number of marks for each catch around `at`.
        """
        first: list[int] = []
        count = 0
        for found in self.openings(marks, at):
            if within is None or found.frame is within:
                count += found.count()
                first += found.first(few)
        return Open(tuple(self.moments[index] for index in sorted(first)[:few]), count)

    def openings(self, marks: Marks, at: Spot) -> Iterator[Opening]:
        """Gives, for each catch around a spot that has marks, where those that are open stand."""
        inner: Frame | None = None
        loop: Frame | None = None
        for frame in at.frame.around():
            if frame.goes_on:
                if frame in marks.indices:
                    yield Opening(self, marks, at, frame, inner, loop)
                inner, loop = frame, None
            if frame.loop:
                loop = frame

    def across(self, x: Spot, at: Spot) -> Frame | None:
        """Gives the loop in two of whose items alone x, which is open, fails when `at` has landed.

        None when it can be in one item; the innermost of several loops.
        """
        by = catch(x.frame)
        loop = next((loop for loop in loops(x, at) if by in loop.around() and by is not loop), None)
        own = x.closing and x.parent is not None and x.parent.holds(at) and none_stands(x.node)
        same = x is not at and not self.precedes(x, at) and not self.excl(x, at)
        return None if same and not own else loop

    def edges(self, within: Spot) -> Iterator[tuple[Spot, Spot]]:
        """Gives what waits for what inside a `parallel`, beyond the order of its blocks."""
        for spot in self.moments[within.index + 1 : within.stop]:
            if spot.closing:
                continue
            for target in targets(self.layout, spot):
                if within.holds(target):
                    yield spot, target

    def alternatives(self, spot: Spot) -> Iterator[tuple[int, int]]:
        """Gives the ranges of indices that exclude a spot, outermost first."""
        for choice, branch in spot.branches:
            match choice.node:
                case If():
                    pass
                case Scope() if choice.index not in self.leaky:
                    pass
                case _:
                    continue
            other = self.blocks(choice)[1 - branch]
            if other:
                yield other[0].index, other[-1].stop

    def before(self, spot: Spot) -> int:
        """Gives what has settled in the region of a spot before it is called, as bits."""
        region = spot.region
        if region is None:
            return 0
        if region.index not in self._settled:
            self._settled[region.index] = settled_before(self.layout, region)
        return self._settled[region.index][spot.index]

    def _certain(self, at: Spot, among: Iterable[Spot], depth: int) -> bool:
        conditional: dict[int, tuple[list[Spot], list[Spot]]] = {}
        for spot in among:
            choices = [choice for choice in spot.branches if choice not in at.branches]
            if len(choices) == depth:
                return True
            choice, branch = choices[depth]
            conditional.setdefault(choice.index, ([], []))[branch].append(spot)
        return any(
            self._certain(at, then, depth + 1) and self._certain(at, otherwise, depth + 1)
            for then, otherwise in conditional.values()
        )


class Opening(Struct):
    """The open spots of one catch: ranges of indices, and a set of those in the spot's region.

    `inner` is the next catch inside it that holds the spot, `loop` the outermost loop between the
    catch and the spot: all that is in it can fail in a later item.
    """

    graph: Graph
    marks: Marks
    at: Spot
    frame: Frame
    inner: Frame | None
    loop: Frame | None
    ranges: list[tuple[int, int]] = []
    base: int = 0
    region: int = 0

    def __post_init__(self) -> None:
        at, base = self.at, None if self.at.region is None else self.at.region.index
        if self.loop is not None and (base is None or self.loop.start <= base):
            self.ranges.append((self.loop.start, self.loop.stop))
            self._behind(self.loop.stop)
        elif at.region is None or base is None:
            self._behind(at.index + 1)
        else:
            self.base = base
            self.region = self._beside(base)
            self._behind(at.region.stop)

    def _beside(self, base: int) -> int:
        at = self.at
        found = self.marks.regions.get(self.frame, {}).get(base, 0)
        later = found & ~self.graph.before(at) & ~(1 << (at.index - base))
        for start, stop in self.graph.alternatives(at):
            later &= ~bits(max(start, base) - base, max(stop, base) - base)
        own = self._own()
        if own is not None and own > base:
            later &= ~(1 << (own - base))
        if self.loop is not None:
            later |= found & bits(self.loop.start - base, self.loop.stop - base)
        return later

    def _own(self) -> int | None:
        """Gives the index of the closing spot that does not count against its own items."""
        if self.inner is None or self.inner.owner is None or not none_stands(self.inner.owner.node):
            return None
        if self.loop is not None and self.loop is not self.inner:
            return None
        closing = self.graph.layout.closing(self.inner.owner)
        return None if closing is None else closing.index

    def _behind(self, start: int) -> None:
        passed = sorted(self.graph.alternatives(self.at))
        own = self._own()
        if own is not None:
            passed = sorted([*passed, (own, own + 1)])
        for other, stop in passed:
            if other >= start:
                self.ranges.append((start, other))
                start = stop
        self.ranges.append((start, len(self.graph.moments)))

    def _cuts(self) -> Iterator[tuple[int, int]]:
        indices = self.marks.indices[self.frame]
        for start, stop in self.ranges:
            yield bisect_left(indices, start), bisect_left(indices, stop)

    def count(self) -> int:
        return self.region.bit_count() + sum(max(0, high - low) for low, high in self._cuts())

    def first(self, few: int) -> list[int]:
        found: list[int] = []
        region = self.region
        while region and len(found) < few:
            lowest = region & -region
            found.append(self.base + lowest.bit_length() - 1)
            region ^= lowest
        indices = self.marks.indices[self.frame]
        for low, high in self._cuts():
            found += indices[low : min(high, low + few)]
        return sorted(found)[:few]


def graph(plan: Plan) -> Graph:
    """Makes the graph of a plan that has no cycle (G401)."""
    return Graph(plan, lay_out(plan))


def closure(
    weights: Sequence[int], needs: Iterable[tuple[int, int]], never: Collection[int] = ()
) -> frozenset[int]:
    """Gives the smallest of the lightest sets of nodes that hold all that their members need.

    Nodes are the indices of `weights`; `needs` are pairs (node, what it needs); what is in `never`
    is in no set. A least closure is a minimum cut (Picard, "Maximal Closure of a Graph and
    Applications to Combinatorial Problems", Management Science 22, 1976).
    """
    import networkx as nx

    network: nx.DiGraph[int] = nx.DiGraph()
    source, sink = -1, -2
    network.add_nodes_from((source, sink))
    for node, weight in enumerate(weights):
        if node in never:
            network.add_edge(node, sink)
        elif weight > 0:
            network.add_edge(node, sink, capacity=weight)
        elif weight < 0:
            network.add_edge(source, node, capacity=-weight)
    network.add_edges_from(needs)
    flow = nx.algorithms.flow.preflow_push(network, source, sink, value_only=False)
    reached, todo = {source}, [source]
    while todo:
        for other, edge in flow[todo.pop()].items():
            if edge["flow"] < edge["capacity"] and other not in reached:
                reached.add(other)
                todo.append(other)
    return frozenset(node for node in range(len(weights)) if node in reached)
