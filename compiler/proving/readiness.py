"""Least readiness of a saga, exactly: the smallest value over every state that a run can be in.

Readiness is a ratio of sums, so its minimum is found by Dinkelbach's method ("On Nonlinear
Fractional Programming", Management Science 13, 1967): for a guess the effect with impact w weighs
w·(u − guess), the state of least weight is looked for, and its own ratio is the next guess, until
none weighs less than nothing. All numbers are integers and fractions.

A loop has any number of items. When those of one weigh less than nothing, more of them lead ever
nearer to their own ratio: that is the next guess then, and the value found may be one that is
approached and never reached.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from msgspec import Struct

from ...runtime.plan import AgentCall, Each, Repeat, Step, blocks
from .spots import Spot
from .tables import undoable
from .undos import computable
from .view import Called, View
from .weighing import Stake, Stakes, Weighing
from .weights import State, any_number, once


class Least(Struct, frozen=True):
    """The least readiness, and the calls whose effects stand in the first state that has it.

    `approached` says that no state has it: `landed` are the calls of the items of which there are
    ever more.
    """

    value: Fraction
    landed: tuple[Called, ...]
    approached: bool = False


def least(view: View, until: Collection[str] = ()) -> Least:
    """Gives the least readiness over all states before the first effect of what `until` names.

    Takes as many passes as there are better guesses, which are few.
    """
    stakes, ends = _stakes(view), ended(view, until)
    found = Least(Fraction(1), ())
    while True:
        over, under = found.value.denominator, found.value.numerator
        weighing = _weighing(view, _weigh(over, under), stakes, ends, any_number)
        state = weighing.sequence(view.graph.body).part
        if state.weight >= 0 and state.endless is None:
            return _reached(view, found, stakes, ends) if found.approached else found
        endless = state.endless is not None
        state = state.endless or state
        found = Least(Fraction(state.kept, state.whole), state.calls(), endless)


def _reached(view: View, found: Least, stakes: Stakes, ends: frozenset[int]) -> Least:
    """Gives a state that has what was approached, where there is one.

    At the least value no item weighs less than nothing, so that one of each loop is enough. What
    weighs nothing is made to weigh a little less, too little to outweigh anything.
    """
    scale = 1 + sum(stake.whole for each in stakes.values() for _, stake in each)
    for spot in view.graph.spots:
        scale *= _most(view, spot)
    over, under = found.value.denominator * scale, found.value.numerator * scale + 1
    weighing = _weighing(view, _weigh(over, under), stakes, ends, once)
    state = weighing.sequence(view.graph.body).part
    if state.whole and Fraction(state.kept, state.whole) == found.value:
        return Least(found.value, state.calls())
    return found


def _weigh(over: int, under: int) -> Callable[[int, int], int]:
    return lambda kept, whole: over * kept - under * whole


def _weighing(
    view: View,
    weigh: Callable[[int, int], int],
    stakes: Stakes,
    ends: frozenset[int],
    many: Callable[[State | None], State],
) -> Weighing:
    left = Weighing(view, weigh, stakes, ends, many, None)
    return Weighing(view, weigh, stakes, ends, many, left)


def _most(view: View, spot: Spot) -> int:
    """Gives how often something can be in one state, counting a loop's free items once."""
    match spot.node:
        case Each(at_once=beside, tolerate=failed):
            return 2 + beside + failed
        case Repeat(limit=limit):
            return 1 + limit
        case AgentCall(agent=agent):
            return 1 + (view.agents[agent].at_most or 1)
        case _:
            return 1


def _stakes(view: View) -> Stakes:
    found: dict[int, list[tuple[Called, Stake]]] = {}
    for called in view.steps:
        found.setdefault(called[0].index, []).append((called, stake(view, called)))
    return found


def reachable(view: View, until: Collection[str]) -> frozenset[int]:
    """Gives the indices of statements that run in a state before the first effect of `until`.

    Inside a `parallel` some may be among them that never do: `Graph.certain` knows.
    """
    weighing = _weighing(view, lambda kept, whole: 0, {}, ended(view, until), any_number)
    weighing.sequence(view.graph.body)
    return frozenset(weighing.reached)


def ended(view: View, until: Collection[str]) -> frozenset[int]:
    """Gives the indices of what `until` names; of what holds others, of the effects inside."""
    found: set[int] = set()
    for spot in (spot for path in until for spot in view.graph.named(path)):
        if blocks(spot.node):
            inside = view.graph.moments[spot.index : spot.stop]
            found.update(each.index for each in inside if _effective(view, each))
        else:
            found.add(spot.index)
    return frozenset(found)


def _effective(view: View, spot: Spot) -> bool:
    match spot.node:
        case Step(tool=tool):
            return bool(view.tools[tool].effects)
        case AgentCall(agent=agent):
            return any(view.tools[use.tool].effects for use in view.agents[agent].uses)
        case _:
            return False


def stake(view: View, called: Called) -> Stake:
    """Gives what is at stake with one call."""
    spot, step, tool = called
    kept = sum(effect.impact for effect in tool.effects if undoable(effect))
    whole = sum(effect.impact for effect in tool.effects)
    final = sum(e.impact for e in tool.effects if e.effect_class == "irreversible")
    accepted = step.accepted is not None
    return Stake(
        kept if kept and computable(view, spot, step, tool) else 0,
        whole,
        kept,
        final if accepted else 0,
        tool.irreversible and not accepted,
    )
