"""States of a run weighed: how much one weighs, and the steps that have landed in it."""

from __future__ import annotations

from dataclasses import dataclass

from .spots import Spot


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A weight with the steps that make it up, kept as a tree so that adding costs nothing."""

    weight: int
    step: Spot | None = None
    parts: tuple[State, State] | None = None

    def spots(self) -> tuple[Spot, ...]:
        """Gives the steps in the order written."""
        found: list[Spot] = []
        todo: list[State] = [self]
        while todo:
            state = todo.pop()
            if state.step is not None:
                found.append(state.step)
            if state.parts is not None:
                todo.extend(state.parts)
        return tuple(sorted(found, key=lambda spot: spot.index))


EMPTY = State(0)


def add(one: State, other: State) -> State:
    """Gives the state in which the steps of both have landed."""
    if one is EMPTY or other is EMPTY:
        return one if other is EMPTY else other
    return State(one.weight + other.weight, parts=(one, other))


def lighter(one: State, other: State) -> State:
    """Gives the lighter of two states, the first when both weigh the same."""
    return other if other.weight < one.weight else one
