"""The lightest state of statements that wait for each other across the branches of `if`s.

With every branch decided this is a least closure. While a branch is open, what waits for a
statement in it is let go: that can only find a lighter state. When the state found takes one side
of an open `if`, both sides are tried (branch and bound, Land and Doig, Econometrica 28, 1960).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from .graph import closure
from .spots import Spot
from .weights import EMPTY, Measure, State, add, both, lighter, lightest_of

Guards = frozenset[tuple[Spot, int]]


class Piece(Struct, eq=False):
    """A statement that begins as a whole, with its lightest states.

    `needs` are the numbers of the pieces that are over before it begins, `guards` the branches that
    it stands in.
    """

    measure: Measure
    guards: Guards
    needs: set[int] = msgspec.field(default_factory=set[int])


Decided = Mapping[Spot, int]


def lightest(pieces: Sequence[Piece]) -> State:
    """Gives the lightest state of all pieces together."""
    return _searched(pieces, None) or EMPTY


def lightest_loss(pieces: Sequence[Piece]) -> State | None:
    """Gives the lightest state of all pieces in which one of them fails, if one can."""
    failing = [number for number, piece in enumerate(pieces) if piece.measure.lost is not None]
    if all(each.measure.part is EMPTY and each.measure.full is EMPTY for each in pieces):
        return EMPTY if failing else None
    return lightest_of(*(_searched(pieces, number) for number in failing))


def _searched(pieces: Sequence[Piece], failing: int | None) -> State | None:
    best: State | None = None if failing is not None else EMPTY
    todo: list[Decided] = [{}]
    while todo:
        decided = todo.pop()
        begun, over = _closed(pieces, decided, failing)
        if failing is not None and failing not in begun:
            continue
        state = EMPTY
        for number in sorted(begun):
            measure = pieces[number].measure
            if number == failing:
                state = both(state, measure.lost) or state
            else:
                ended = number in over and measure.full is not None
                state = add(state, measure.full if ended and measure.full else measure.part)
        if best is not None and lighter(best, state) is best:
            continue
        choice = _doubt(pieces, decided, begun, over)
        if choice is None:
            best = state
        else:
            todo += ({**decided, choice: 1}, {**decided, choice: 0})
    return best


def _closed(
    pieces: Sequence[Piece], decided: Decided, failing: int | None
) -> tuple[set[int], set[int]]:
    """Gives the pieces that have begun and those that are over in the lightest closure.

    What can be had without end, and the failure that is asked for, outweigh all else.
    """
    measures = [piece.measure for piece in pieces]
    states = [state for m in measures for state in (m.part, m.full, m.lost) if state is not None]
    endless = 1 + 2 * sum(abs(state.weight) for state in states)
    certain = endless * (2 * len(pieces) + 2)

    def mass(state: State) -> int:
        return state.weight - (0 if state.endless is None else endless)

    weights: list[int] = []
    needs: list[tuple[int, int]] = []
    never: set[int] = set()
    for number, piece in enumerate(pieces):
        begins, ends = 2 * number, 2 * number + 1
        part, full = piece.measure.part, piece.measure.full
        if number == failing and piece.measure.lost is not None:
            weights += (mass(piece.measure.lost) - certain, 0)
            full = None
        else:
            weights += (mass(part), 0 if full is None else mass(full) - mass(part))
        needs.append((ends, begins))
        if full is None:
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


def _doubt(
    pieces: Sequence[Piece], decided: Decided, begun: set[int], over: set[int]
) -> Spot | None:
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
