"""The lightest state of statements that wait for each other across the branches of `if`s.

With every branch decided this is a least closure. While a branch is open, what waits for a
statement in it is let go: that can only find a lighter state. When the state found takes one side
of an open `if`, both sides are tried (branch and bound, Land and Doig, Econometrica 28, 1960).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .graph import closure
from .spots import Spot
from .weights import EMPTY, State, add

Guards = frozenset[tuple[Spot, int]]


@dataclass(slots=True, eq=False)
class Piece:
    """A statement that begins as a whole: its lightest state, and the one in which it is over.

    `needs` are the numbers of the pieces that are over before it begins, `guards` the branches that
    it stands in.
    """

    part: State
    full: State | None
    guards: Guards
    needs: set[int] = field(default_factory=set[int])


Decided = Mapping[Spot, int]


def lightest(pieces: list[Piece]) -> State:
    """Gives the lightest state of all pieces together."""
    best = EMPTY
    todo: list[Decided] = [{}]
    while todo:
        decided = todo.pop()
        begun, over = _closed(pieces, decided)
        state = EMPTY
        for number in sorted(begun):
            piece = pieces[number]
            taken = piece.full if number in over and piece.full is not None else piece.part
            state = add(state, taken)
        if state.weight >= best.weight:
            continue
        choice = _doubt(pieces, decided, begun, over)
        if choice is None:
            best = state
        else:
            todo += ({**decided, choice: 1}, {**decided, choice: 0})
    return best


def _closed(pieces: list[Piece], decided: Decided) -> tuple[set[int], set[int]]:
    """Gives the pieces that have begun and those that are over in the lightest closure."""
    weights: list[int] = []
    needs: list[tuple[int, int]] = []
    never: set[int] = set()
    for number, piece in enumerate(pieces):
        begins, ends = 2 * number, 2 * number + 1
        rest = 0 if piece.full is None else piece.full.weight - piece.part.weight
        weights += (piece.part.weight, rest)
        needs.append((ends, begins))
        if piece.full is None:
            never.add(ends)
        if any(decided.get(choice, branch) != branch for choice, branch in piece.guards):
            never.add(begins)
        for other in piece.needs:
            beyond = pieces[other].guards - piece.guards
            if all(decided.get(choice) == branch for choice, branch in beyond):
                needs.append((begins, 2 * other + 1))
    found = closure(weights, needs, never)
    begun = {node // 2 for node in found if node % 2 == 0}
    return begun, {node // 2 for node in found if node % 2 == 1}


def _doubt(pieces: list[Piece], decided: Decided, begun: set[int], over: set[int]) -> Spot | None:
    """Gives an open `if` on which it hangs whether the state found can be."""
    taken: dict[Spot, int] = {}
    for number in sorted(begun):
        piece = pieces[number]
        for choice, branch in piece.guards:
            if choice not in decided and taken.setdefault(choice, branch) != branch:
                return choice
        for other in sorted(piece.needs - over):
            beyond = pieces[other].guards - piece.guards
            if all(decided.get(choice, branch) == branch for choice, branch in beyond):
                open_ = [choice for choice, _ in beyond if choice not in decided]
                if open_:
                    return min(open_, key=lambda choice: choice.index)
    return None
