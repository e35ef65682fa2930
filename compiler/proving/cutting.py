"""A `parallel` whose statements wait for each other, cut into pieces that begin as wholes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...runtime.plan import Parallel
from .choices import Guards, Piece
from .graph import Graph
from .spots import Spot
from .weights import EMPTY, Measure


class Cutting:
    """A `parallel` cut into the pieces that begin as wholes, with what each needs.

    A compound whose inside nothing outside waits for, and that waits for nothing outside, stays one
    piece. `weighed` gives the measure of a whole statement, `decided` that of an `if` alone.
    """

    def __init__(
        self,
        graph: Graph,
        parallel: Spot,
        edges: Sequence[tuple[Spot, Spot]],
        weighed: Callable[[Spot], Measure],
        decided: Callable[[Spot], Measure],
    ) -> None:
        self.graph = graph
        self.weighed = weighed
        self.decided = decided
        self.pieces: list[Piece] = []
        self.ends: dict[int, set[int]] = {}
        self.begins: dict[int, int] = {}
        self.crossed = {
            outer.index
            for pair in edges
            for one, other in (pair, pair[::-1])
            for outer in one.around()
            if parallel.holds(outer) and not outer.holds(other) and outer is not other
        }
        for member in graph.blocks(parallel)[0]:
            self.add(member, set(), frozenset())
        for spot, target in edges:
            if spot.index in self.begins:
                choices = {choice.index for choice, _ in target.branches} & set(self.begins)
                needs = self.pieces[self.begins[spot.index]].needs
                needs |= self.ends.get(target.index, set())
                needs |= {self.begins[choice] for choice in choices if choice in self.crossed}

    def add(self, spot: Spot, needs: set[int], guards: Guards) -> set[int]:
        """Adds a statement behind some pieces, and gives the pieces that are over when it is."""
        ends = self._inside(spot, needs, guards)
        self.ends[spot.index] = ends
        return ends

    def _piece(self, spot: Spot, measure: Measure, needs: set[int], guards: Guards) -> int:
        self.begins[spot.index] = len(self.pieces)
        self.pieces.append(Piece(measure, guards, set(needs)))
        return len(self.pieces) - 1

    def _inside(self, spot: Spot, needs: set[int], guards: Guards) -> set[int]:
        if spot.index not in self.crossed:
            return {self._piece(spot, self.weighed(spot), needs, guards)}
        blocks = self.graph.blocks(spot)
        if isinstance(spot.node, Parallel):
            # The piece stands for the beginning: what the `parallel` as a whole waits for.
            start = {self._piece(spot, Measure(EMPTY, EMPTY), needs, guards)}
            return start.union(*(self.add(each, start, guards) for each in blocks[0]))
        decided = self._piece(spot, self.decided(spot), needs, guards)
        ends = {decided}
        for branch, block in enumerate(blocks):
            last = {decided}
            for each in block:
                last = self.add(each, last, guards | {(spot, branch)})
            ends |= last
        return ends
