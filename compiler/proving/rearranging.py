"""Plans rearranged: what a saga would be if a step stood elsewhere, waited, or failed otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from msgspec.structs import replace

from ...runtime.plan import AgentCall, Node, OnFailure, Plan, SagaCall, Step
from .spots import Spot

Calling = Step | SagaCall | AgentCall
"""The statements that say with `else` what their failure means."""

Body = tuple[Node, ...]
Change = Callable[[Body], Body]


def moved(plan: Plan, step: Spot, behind: Spot, policy: OnFailure | None = None) -> Plan:
    """Gives the plan with a step behind a later statement of its block."""

    def change(body: Body) -> Body:
        rest = [node for node in body if node is not step.node]
        node = step.node
        if policy is not None and isinstance(node, Calling):
            node = replace(node, on_failure=policy)
        rest.insert(_place(rest, behind.node) + 1, node)
        return tuple(rest)

    return _changed(plan, step, change)


def failing_otherwise(plan: Plan, steps: Sequence[Spot], policy: OnFailure) -> Plan:
    """Gives the plan in which a failure of some calls means something else."""
    for spot in steps:
        if isinstance(spot.node, Calling):
            plan = _changed(plan, spot, _swap(spot.node, replace(spot.node, on_failure=policy)))
    return plan


def waiting(plan: Plan, step: Spot, others: Sequence[Spot]) -> Plan:
    """Gives the plan in which a step of a `parallel` waits for others of it."""
    paths = (*step.node.waits, *(other.path for other in others))
    return _changed(plan, step, _swap(step.node, replace(step.node, waits=paths)))


def _swap(old: Node, new: Node) -> Change:
    return lambda body: tuple(new if node is old else node for node in body)


def _place(body: Sequence[Node], wanted: Node) -> int:
    return next(place for place, node in enumerate(body) if node is wanted)


def _changed(plan: Plan, spot: Spot, change: Change) -> Plan:
    """Changes the block in which a spot stands, and so all that is around it."""
    inner = spot.node
    for outer in spot.around():
        made = _with(outer.node, inner, change)
        inner, change = outer.node, _swap(outer.node, made)
    if any(inner is node for node in plan.on_rollback):
        return replace(plan, on_rollback=change(plan.on_rollback))
    return replace(plan, body=change(plan.body))


def _with(outer: Node, inner: Node, change: Change) -> Node:
    """Gives a statement with the block changed that holds another."""
    for name in _BLOCKS:
        block = getattr(outer, name, None)
        if isinstance(block, tuple) and any(inner is node for node in cast(Body, block)):
            return replace(outer, **{name: change(cast(Body, block))})
    raise TypeError(f"{outer.path} does not hold {inner.path}")


_BLOCKS = ("body", "then", "otherwise", "on_rollback")
