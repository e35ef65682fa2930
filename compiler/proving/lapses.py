"""Calls at which a deadline that is over still fails its saga: no pivot is sure to be before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from ...runtime.plan import AgentCall, If, Scope, Step
from .graph import Graph
from .spots import Frame, Spot, catch

Branches = tuple[tuple[Spot, int], ...]


def lapsing(graph: Graph, frame: Frame, pivots: Sequence[Spot]) -> Iterator[Spot]:
    """Gives the calls in the body of a saga with a deadline, in the order written.

    `pivots` are those that have landed when they have settled. Once one is sure to be before a
    call, one is sure to be before all that follows it; so few calls ask for all pivots.
    """
    wanted = _joined(frame, [spot for spot in pivots if catch(frame).holds(spot)])
    sure: dict[Branches, Spot] = {}
    for spot in graph.moments[frame.start : frame.stop]:
        if spot.closing or not isinstance(spot.node, Step | AgentCall):
            continue
        depths = range(len(spot.branches) + 1)
        known = (sure.get(spot.branches[:depth]) for depth in depths)
        if any(each is not None and graph.precedes(each, spot) for each in known):
            continue
        near = [group for depth in depths if (group := wanted.get(spot.branches[:depth]))]
        asked = near[0] if len(near) == 1 else sorted(chain(*near), key=lambda each: each.index)
        if graph.certain(spot, asked):
            sure.setdefault(spot.branches, spot)
        else:
            yield spot


def _joined(frame: Frame, pivots: Sequence[Spot]) -> dict[Branches, list[Spot]]:
    """Gives pivots by the branches in which one cannot be passed by, each in the order written.

    Some run passes by what stands in a branch, unless the other branch has a pivot too.
    """
    around = () if frame.owner is None else frame.owner.branches
    taken = {each for spot in pivots for each in spot.branches}
    found: dict[Branches, list[Spot]] = {}
    for spot in pivots:
        depth = len(spot.branches)
        while depth:
            choice, branch = spot.branches[depth - 1]
            outside = (choice, branch) in around or choice.index < frame.start
            both = isinstance(choice.node, If | Scope) and (choice, 1 - branch) in taken
            if not outside and not both:
                break
            depth -= 1
        found.setdefault(spot.branches[:depth], []).append(spot)
    return found
