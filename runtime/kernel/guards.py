"""Guards: before a call, the readiness of the state that includes it; below, people are asked."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..events import Event
from ..plan import Guard, SagaCall
from .asked import opening
from .clauses import value_of
from .commands import Command
from .frames import Frame
from .score import shown, with_call
from .state import State, StepState


def wants_of_guard(
    state: State, s: StepState, intent: Event, wire: dict[str, Any]
) -> list[Command] | None:
    """Gives the gate of a call that a guard holds back, [] while it is open, None when it may go.

    An approval holds for this call as long as the readiness is no lower than what was shown.
    """
    resources = intent.data.get("resources", s.resources)
    descriptors = s.descriptors if intent.undo is None else intent.undo
    num, den = with_call(state, s, resources, descriptors)
    readiness = Fraction(num, den) if den else Fraction(1)
    for frame, guard in guards_around(state, s.frame):
        least = Fraction(value_of(state, frame, guard.least))
        if readiness >= least:
            continue
        path = f"{s.path}.guard"
        assert intent.action is not None
        shows = {
            "call": intent.action.tool,
            "arguments": wire,
            "readiness": shown(readiness),
            "least": shown(least),
        }
        gate = state.asked.get(path)
        if gate is None or gate.generation != s.generation or not _covers(gate.shows, shows):
            return [opening(state, path, s, "guard", guard.group, shows)]
        if gate.phase == "rejected":
            # Somebody has the step tried again: that is asked anew.
            return [opening(state, path, s, "guard", guard.group, shows)]
        if gate.phase == "open":
            return []
    return None


def guards_around(state: State, frame: Frame) -> Iterator[tuple[Frame, Guard]]:
    """Gives the guards of the sagas around a frame, and where their names stand.

    What runs after a rollback is not held back: the readiness is that of going forward.
    """
    at: Frame | None = frame if state.index.guarded else None
    while at is not None and at.kind != "rollback":
        found: tuple[Guard, ...] = ()
        if at.kind == "saga":
            found = state.index.plan.guards
        elif at.kind == "call":
            node = state.index.entries[at.owner].statement
            found = node.guards if isinstance(node, SagaCall) else ()
        for guard in found:
            yield at, guard
        at = at.parent


def _covers(before: dict[str, Any], now: dict[str, Any]) -> bool:
    if Fraction(before["readiness"]) > Fraction(now["readiness"]):
        return False
    return {**before, "readiness": ""} == {**now, "readiness": ""}
