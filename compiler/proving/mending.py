"""Fixes of the pivot barrier: each tried on the plan before it is offered, then made as edits.

A fix is offered when the pivot's breach is gone with it and no other is new. In this order: the
pivot behind all that can fail, the pivot waiting for what is beside it, the pivot behind with its
own failure passed over, the failures of the others for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import cast

from msgspec import Struct

from ...dsl.diagnostics import Edit, Fix
from ...runtime.formula import Formula, names
from ...runtime.plan import Expecting, Gate, Next, Parallel, Plan, Return, SagaCall, Step
from .barrier import Breach, breaches
from .editing import Editing
from .graph import ALL
from .rearranging import Calling, failing_otherwise, moved, waiting
from .spots import Spot
from .view import View, view
from .words import FEW

ELSE_CONTINUE, ELSE_ESCALATE = "else continue", "else escalate"
MENDED = 8
"""So many breaches of one saga are mended: each is tried on whole plans."""


class Candidate(Struct, frozen=True):
    """A plan that may be better, and the edits that lead to it."""

    plan: Plan
    edits: tuple[Edit, ...]


def mend(seen: View, breach: Breach) -> Fix | None:
    """Gives the smallest edit that takes a breach away, None when there is none or no text.

    A called saga is mended where it is judged by itself.
    """
    written = seen.texts.get(breach.step.at.file)
    if written is None or any(isinstance(each.node, SagaCall) for each in breach.spot.around()):
        return None
    before = {each.spot.path for each in breaches(seen, 1)}
    for candidate in _candidates(seen, breach, Editing(written)):
        after = {each.spot.path for each in breaches(view(candidate.plan), 1)}
        if after < before and breach.spot.path not in after:
            return Fix("ask", candidate.edits)
    return None


def _candidates(seen: View, breach: Breach, text: Editing) -> Iterator[Candidate]:
    plan, spot = seen.plan, breach.spot
    others = tuple(dict.fromkeys(_said_at(other, spot) for other in _others(seen, spot)))
    if any(each.node.at.file != spot.node.at.file for each in (spot, *others)):
        return
    behind = _last(seen, spot, others)
    if behind is not None:
        yield Candidate(moved(plan, spot, behind), text.moved(spot, behind))
    if _beside(seen, spot, others):
        after = "after " + ", ".join(other.path.rpartition(".")[2] for other in others)
        yield Candidate(waiting(plan, spot, others), text.clause(spot, after))
    if behind is not None and not _read_anywhere(plan, spot.path):
        edits = text.moved(spot, behind, ELSE_CONTINUE)
        yield Candidate(moved(plan, spot, behind, "continue"), edits)
    if len(others) <= FEW and all(isinstance(other.node, Calling) for other in others):
        edits = tuple(edit for other in others for edit in text.clause(other, ELSE_ESCALATE))
        yield Candidate(failing_otherwise(plan, others, "escalate"), edits)


def _others(seen: View, spot: Spot) -> tuple[Spot, ...]:
    return seen.graph.open(seen.fallibles, spot, ALL).first


def _said_at(other: Spot, spot: Spot) -> Spot:
    """Gives where something is said about a failure: inside a called saga it is the call."""
    if other.closing and other.parent is not None:
        other = other.parent
    outside = [other, *(each for each in other.around() if not each.holds(spot))]
    calls = (each for each in reversed(outside) if isinstance(each.node, SagaCall))
    return next(calls, other)


def _last(seen: View, spot: Spot, others: Sequence[Spot]) -> Spot | None:
    """Gives the statement of the pivot's own block behind which nothing of `others` is left in it.

    None when it cannot stand there: something up to there reads it, or ends the block.
    """
    block = _block(seen, spot)
    if spot.parent is not None and isinstance(spot.parent.node, Parallel):
        return None
    later = [each for each in block if each.index > spot.index]
    near = [o.index for o in others if any(o is each or each.holds(o) for each in later)]
    if not near:
        return None
    passed = list(takewhile(lambda each: each.index <= max(near), later))
    held = any(_reads(each.node, spot.path) for each in passed)
    return None if held or isinstance(passed[-1].node, Return | Next) else passed[-1]


def _block(seen: View, spot: Spot) -> Sequence[Spot]:
    if spot.parent is None:
        return seen.graph.body
    return next(block for block in seen.graph.blocks(spot.parent) if spot in block)


def _beside(seen: View, spot: Spot, others: Sequence[Spot]) -> bool:
    """True when all of `others` are named members of the pivot's own `parallel`, none behind it."""
    return (
        spot.parent is not None
        and isinstance(spot.parent.node, Parallel)
        and len(others) <= FEW
        and all(
            other is not spot
            and other.parent is spot.parent
            and isinstance(other.node, Step | Gate)
            and not seen.graph.precedes(spot, other)
            for other in others
        )
    )


def _reads(part: object, path: str) -> bool:
    """True when a part of a plan reads a step's value in an expression, or waits for it."""
    match part:
        case Formula(tree=tree):
            return path in names(tree)
        case tuple():
            return any(_reads(each, path) for each in cast(tuple[object, ...], part))
        case Expecting(since=since) if since == path:
            return True
        case Step(waits=waits) | Gate(waits=waits) if path in waits:
            return True
        case Struct():
            return any(_reads(getattr(part, field), path) for field in part.__struct_fields__)
        case _:
            return False


def _read_anywhere(plan: Plan, path: str) -> bool:
    return any(_reads(node, path) for node in plan.body)
