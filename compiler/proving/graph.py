"""The directed acyclic graph of a plan: a ≺ b, what excludes what, what is open, least closures.

Outside of `parallel` the order written is the order, so that a saga costs what it is long; inside
an outermost `parallel` (a *region*) sets of statements are kept as the bits of integers. This is
the one module that imports networkx, and only where something is to be cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...runtime.plan import Plan
from .precedence import bits, settled_before, targets
from .spots import BODY, Blocks, Layout, Spot, lay_out


@dataclass(frozen=True, slots=True)
class Marks:
    """Some spots of a graph, ready to be asked which of them are open when a call is made."""

    indices: Sequence[int]
    regions: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Open:
    """The first few of the marked spots that are open, in the order written, and their number."""

    first: tuple[Spot, ...]
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The graph of one plan, made by `graph`."""

    plan: Plan
    layout: Layout
    _settled: dict[int, Mapping[int, int]] = field(default_factory=dict[int, Mapping[int, int]])

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Every statement in the order written."""
        return self.layout.spots

    @property
    def body(self) -> tuple[Spot, ...]:
        """The statements of the saga's own block."""
        return self.layout.inside[BODY][0]

    def blocks(self, spot: Spot) -> Blocks:
        """Gives the blocks of an `if` (then, otherwise) or a `parallel`."""
        return self.layout.blocks(spot)

    def named(self, path: str) -> tuple[Spot, ...]:
        """Gives the statements with a path: one, or one in each branch of an `if`, or none."""
        return self.layout.by_path.get(path, ())

    def precedes(self, a: Spot, b: Spot) -> bool:
        """a ≺ b: in every run that has both, a has settled before b is called."""
        if a is b or self.excl(a, b):
            return False
        if a.region is not None and a.region is b.region:
            return bool(self._before(b) >> (a.index - a.region.index) & 1)
        return a.index < b.index

    def excl(self, a: Spot, b: Spot) -> bool:
        """True when no run has both: they stand in different branches of one `if`."""
        return any(start <= a.index < stop for start, stop in self._alternatives(b))

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
        """Gives the spots that satisfy a predicate."""
        indices = [spot.index for spot in self.spots if wanted(spot)]
        regions: dict[int, int] = {}
        for index in indices:
            region = self.spots[index].region
            if region is not None:
                bit = 1 << (index - region.index)
                regions[region.index] = regions.get(region.index, 0) | bit
        return Marks(indices, regions)

    def open(self, marks: Marks, at: Spot, few: int = 1) -> Open:
        """Gives the marked spots x with neither x ≺ at, nor excl(x, at), nor x = at."""
        first: list[Spot] = []
        count = 0
        behind = at.index + 1
        if at.region is not None:
            base, behind = at.region.index, at.region.stop
            found = marks.regions.get(base, 0) & ~self._before(at) & ~(1 << (at.index - base))
            for start, stop in self._alternatives(at):
                found &= ~bits(max(start, base) - base, max(stop, base) - base)
            count = found.bit_count()
            while found and len(first) < few:
                lowest = found & -found
                first.append(self.spots[base + lowest.bit_length() - 1])
                found ^= lowest
        for start, stop in self._behind(at, behind):
            low, high = bisect_left(marks.indices, start), bisect_left(marks.indices, stop)
            count += high - low
            taken = marks.indices[low : min(high, low + few - len(first))]
            first += [self.spots[index] for index in taken]
        return Open(tuple(first), count)

    def edges(self, within: Spot) -> Iterator[tuple[Spot, Spot]]:
        """Gives what waits for what inside a `parallel`, beyond the order of its blocks."""
        for spot in self.spots[within.index + 1 : within.stop]:
            for target in targets(self.layout, spot):
                if within.holds(target):
                    yield spot, target

    def _alternatives(self, spot: Spot) -> Iterator[tuple[int, int]]:
        """Gives the ranges of indices that no run has together with a spot, outermost first."""
        for choice, branch in spot.branches:
            other = self.blocks(choice)[1 - branch]
            if other:
                yield other[0].index, other[-1].stop

    def _behind(self, at: Spot, start: int) -> Iterator[tuple[int, int]]:
        for other, stop in sorted(self._alternatives(at)):
            if other >= start:
                yield start, other
                start = stop
        yield start, len(self.spots)

    def _before(self, spot: Spot) -> int:
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
