"""Called sagas that are undone as their call says: which failures find them over by then.

Once such a saga is over, the undos of its call stand for those of all that is in it; until then
each of its steps is taken back by its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.plan import SagaCall
from .graph import ALL, Graph, Marks
from .spots import Spot, catch, in_turn, loops


def covering(spot: Spot) -> Spot | None:
    """Gives the innermost called saga around a statement whose call has undos of its own."""
    for each in spot.around():
        if isinstance(each.node, SagaCall) and each.node.undos:
            return each
    return None


def covered(graph: Graph, spot: Spot, other: Spot) -> bool:
    """True when the saga around a statement is over in every run in which `other` fails then.

    `other` is open at the statement, as `Graph.open` tells it.
    """
    call = covering(spot)
    if call is None or call.holds(other):
        return False
    by = catch(other.frame)
    between = [loop for loop in loops(other, spot) if by is not loop and by in loop.around()]
    if not all(map(in_turn, between)):
        return False
    same = not graph.precedes(other, spot) and not graph.excl(other, spot)
    return graph.precedes(call, other) or not same


def taking_back(graph: Graph, marks: Marks, spot: Spot) -> Iterator[Spot]:
    """Gives the marked statements whose failure takes a step back by its own undo.

    In a saga with undos of its call each of those that are open is looked at.
    """
    if covering(spot) is None:
        yield from graph.open(marks, spot).first
        return
    for other in graph.open(marks, spot, ALL).first:
        if not covered(graph, spot, other):
            yield other
