"""Plans rearranged: what a saga would be if a step stood elsewhere, waited, or failed otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from ...runtime.plan import If, Node, OnFailure, Parallel, Plan, Step
from .spots import Spot

Body = tuple[Node, ...]
Change = Callable[[Body], Body]
AnyPlan = TypeVar("AnyPlan", Plan, If, Parallel)


def moved(plan: Plan, step: Spot, behind: Spot, policy: OnFailure | None = None) -> Plan:
    """Gives the plan with a step behind a later statement of its block."""

    def change(body: Body) -> Body:
        rest = [node for node in body if node is not step.node]
        node = step.node
        if policy is not None and isinstance(node, Step):
            node = replace(node, on_failure=policy)
        rest.insert(_place(rest, behind.node) + 1, node)
        return tuple(rest)

    return _changed(plan, step, change)


def failing_otherwise(plan: Plan, steps: Sequence[Spot], policy: OnFailure) -> Plan:
    """Gives the plan in which a failure of some steps means something else."""
    for spot in steps:
        if isinstance(spot.node, Step):
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
        body = change
        match outer.node:
            case If(then=then, otherwise=otherwise) if any(inner is node for node in then):
                made: Node = replace(outer.node, then=body(then), otherwise=otherwise)
            case If(then=then, otherwise=otherwise):
                made = replace(outer.node, otherwise=body(otherwise))
            case Parallel(body=members):
                made = replace(outer.node, body=body(members))
            case _:
                raise TypeError(f"{outer.path} holds nothing")
        inner, change = outer.node, _swap(outer.node, made)
    return replace(plan, body=change(plan.body))
