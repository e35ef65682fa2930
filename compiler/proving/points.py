"""The points of failure of a saga: where a run of it may fail, and how, as `saga plan` shows them.

They are what the proofs hold against the pivots, and besides what asks people when it fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.plan import AgentCall, Node, Plan
from .failures import means, refusal
from .items import none_stands
from .spots import Spot
from .view import View, view

Point = tuple[Node, str, bool, bool]
"""A statement, how it fails, whether when all inside it is over, and whether no item stands then.

`runtime.ways.Point` is the same with names.
"""


def points(plan: Plan) -> Iterator[Point]:
    """Gives each point of failure, in the order of a run."""
    seen = view(plan)
    for spot in seen.order.moments:
        how = _failure(seen, spot)
        if how is not None:
            yield spot.node, how, spot.closing, spot.closing and none_stands(spot.node)


def _failure(seen: View, spot: Spot) -> str | None:
    if spot.frame.aftermath or not seen.runs(spot):
        return None
    if isinstance(spot.node, AgentCall) and not spot.closing:
        # It gives up when it has made its calls: before, there is less to take back.
        return None
    if means(spot.node) == "escalate":
        return refusal(seen, spot)
    return seen.failures.get(spot.index)
