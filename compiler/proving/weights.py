"""States of a run weighed: how much one weighs, and the calls that have landed in it."""

from __future__ import annotations

from msgspec import Struct

from .view import Called


class State(Struct, frozen=True, eq=False):
    """A weight with the impact that can be taken back, the whole, and the calls that make it up.

    It is kept as a tree so that adding costs nothing. `endless` is a part of it, lighter than
    nothing, that can be had any number of times more.
    """

    weight: int
    kept: int = 0
    whole: int = 0
    called: Called | None = None
    parts: tuple[State, ...] = ()
    endless: State | None = None

    def calls(self) -> tuple[Called, ...]:
        """Gives the calls in the order written, each once however often it has landed."""
        found: dict[tuple[int, str], Called] = {}
        todo: list[State] = [self]
        while todo:
            state = todo.pop()
            if state.called is not None:
                spot, _, tool = state.called
                found[spot.index, tool.name] = state.called
            todo.extend(state.parts)
        return tuple(found[each] for each in sorted(found))


EMPTY = State(0)


class Measure(Struct, frozen=True, eq=False):
    """The lightest states of a block: of all that it can be in, and in which it is over.

    A block that cannot be over has no `full`. `lost` is the lightest in which something in it fails
    that is caught outside; it is known of what failures leave, and only where there is one.
    """

    part: State
    full: State | None
    lost: State | None = None


def add(one: State, other: State) -> State:
    """Gives the state in which the calls of both have landed."""
    if one is EMPTY or other is EMPTY:
        return one if other is EMPTY else other
    endless = other.endless if one.endless is None else one.endless
    return State(
        one.weight + other.weight,
        one.kept + other.kept,
        one.whole + other.whole,
        parts=(one, other),
        endless=endless,
    )


def times(state: State, number: int) -> State:
    """Gives the state in which the same has landed a number of times."""
    if number == 1 or state is EMPTY:
        return state
    if number == 0:
        return EMPTY
    return State(
        state.weight * number,
        state.kept * number,
        state.whole * number,
        parts=(state,),
        endless=state.endless,
    )


def any_number(state: State | None) -> State:
    """Gives the lightest of none, one or any number of the same; of endless ones it holds one."""
    if state is None or (state.endless is None and state.weight >= 0):
        return EMPTY
    again = state if state.endless is None else state.endless
    return State(state.weight, state.kept, state.whole, parts=(state,), endless=again)


def once(state: State | None) -> State:
    """Gives the lightest of none and one."""
    return below_nothing(state, 1)


def below_nothing(state: State | None, number: int) -> State:
    """Gives the lightest of up to a number of the same."""
    if state is None or (state.endless is None and state.weight >= 0):
        return EMPTY
    return times(state, number)


def lighter(one: State, other: State) -> State:
    """Gives the lighter of two states, the first when both weigh the same."""
    if (one.endless is None) != (other.endless is None):
        return one if other.endless is None else other
    return other if other.weight < one.weight else one


def both(one: State | None, other: State | None) -> State | None:
    """Gives the state with both, None when one of them cannot be."""
    return None if one is None or other is None else add(one, other)


def lightest_of(*states: State | None) -> State | None:
    """Gives the lightest of those that can be, the first of equal ones."""
    best: State | None = None
    for state in states:
        if state is not None:
            best = state if best is None else lighter(best, state)
    return best
