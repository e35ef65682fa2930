"""Least readiness of a saga, exactly: the smallest value over every state that a run can be in.

Readiness is a ratio of sums, so its minimum is found by Dinkelbach's method ("On Nonlinear
Fractional Programming", Management Science 13, 1967): for a guess the effect with impact w weighs
w·(u − guess), the state of least weight is looked for, and its own ratio is the next guess, until
none weighs less than nothing. All numbers are integers and fractions.

For one guess two states come bottom-up for each block: `part`, the lightest of all that it can be
in, and `full`, the lightest in which it is over. A block that cannot be over has no `full`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...runtime.plan import Gate, If, Parallel, Step
from .choices import Guards, Piece, lightest
from .spots import Spot
from .tables import undoable
from .undos import computable
from .view import View
from .weights import EMPTY, State, add, lighter


@dataclass(frozen=True, slots=True)
class Least:
    """The least readiness, and the steps whose effects stand in the first state that has it."""

    value: Fraction
    landed: tuple[Spot, ...]


Measure = tuple[State, State | None]


def least(view: View, until: Collection[str] = ()) -> Least:
    """Gives the least readiness over all states before the first effect of any step in `until`."""
    stakes = {spot.index: stake(view, spot) for spot in view.graph.spots}
    ends = frozenset(spot.index for name in until for spot in view.graph.named(name))
    found = Least(Fraction(1), ())
    while True:
        weighing = _Weighing(view, found.value, stakes, ends)
        state, _ = weighing.sequence(view.graph.body)
        if state.weight >= 0:
            return found
        landed = state.spots()
        kept = sum(stakes[spot.index][0] for spot in landed)
        whole = sum(stakes[spot.index][1] for spot in landed)
        found = Least(Fraction(kept, whole), landed)


def stake(view: View, spot: Spot) -> tuple[int, int]:
    """Gives how much of a step's impact can be taken back, and all of it."""
    if not isinstance(spot.node, Step):
        return (0, 0)
    tool = view.tools[spot.node.tool]
    kept = sum(effect.impact for effect in tool.effects if undoable(effect))
    whole = sum(effect.impact for effect in tool.effects)
    return (kept if kept and computable(view, spot, spot.node, tool) else 0, whole)


@dataclass(slots=True, eq=False)
class _Weighing:
    """One pass over a saga for one guess."""

    view: View
    guess: Fraction
    stakes: dict[int, tuple[int, int]]
    until: frozenset[int]

    def sequence(self, spots: Sequence[Spot]) -> Measure:
        """Weighs a block whose statements run one after another."""
        best, done = EMPTY, EMPTY
        for spot in spots:
            part, full = self.statement(spot)
            best = lighter(best, add(done, part))
            if full is None:
                return best, None
            done = add(done, full)
        return best, done

    def statement(self, spot: Spot) -> Measure:
        """Weighs one statement with all that is inside it."""
        match spot.node:
            case Step(when=when, on_failure=policy) | Gate(when=when, otherwise=policy):
                maybe = when is not None or policy == "continue"
                if spot.index in self.until:
                    return EMPTY, EMPTY if maybe else None
                return self._landing(spot, maybe)
            case If():
                then, otherwise = map(self.sequence, self.view.graph.blocks(spot))
                return lighter(then[0], otherwise[0]), _either(then[1], otherwise[1])
            case Parallel():
                return self._parallel(spot)
            case _:
                return EMPTY, EMPTY

    def _landing(self, spot: Spot, maybe: bool) -> Measure:
        kept, whole = self.stakes[spot.index]
        if not whole:
            return EMPTY, EMPTY
        landed = State(self.guess.denominator * kept - self.guess.numerator * whole, spot)
        part = lighter(EMPTY, landed)
        return part, part if maybe else landed

    def _parallel(self, spot: Spot) -> Measure:
        members = self.view.graph.blocks(spot)[0]
        measures = [self.statement(each) for each in members]
        full: State | None = EMPTY
        for _, over in measures:
            full = None if full is None or over is None else add(full, over)
        edges = tuple(self.view.graph.edges(spot))
        if edges:
            return lightest(_Cutting(self, spot, edges).pieces), full
        part = EMPTY
        for each, _ in measures:
            part = add(part, each)
        return part, full


def _either(one: State | None, other: State | None) -> State | None:
    if one is None or other is None:
        return other if one is None else one
    return lighter(one, other)


class _Cutting:
    """A `parallel` cut into the pieces that begin as wholes, with what each needs.

    A compound whose inside nothing outside waits for, and that waits for nothing outside, stays one
    piece.
    """

    def __init__(
        self, weighing: _Weighing, parallel: Spot, edges: Sequence[tuple[Spot, Spot]]
    ) -> None:
        self.weighing = weighing
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
        for member in weighing.view.graph.blocks(parallel)[0]:
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
        self.pieces.append(Piece(*measure, guards, set(needs)))
        return len(self.pieces) - 1

    def _inside(self, spot: Spot, needs: set[int], guards: Guards) -> set[int]:
        if spot.index not in self.crossed:
            return {self._piece(spot, self.weighing.statement(spot), needs, guards)}
        blocks = self.weighing.view.graph.blocks(spot)
        if isinstance(spot.node, Parallel):
            # The piece stands for the beginning: what the `parallel` as a whole waits for.
            start = {self._piece(spot, (EMPTY, EMPTY), needs, guards)}
            return start.union(*(self.add(each, start, guards) for each in blocks[0]))
        decided = self._piece(spot, (EMPTY, EMPTY), needs, guards)
        ends = {decided}
        for branch, block in enumerate(blocks):
            last = {decided}
            for each in block:
                last = self.add(each, last, guards | {(spot, branch)})
            ends |= last
        return ends
