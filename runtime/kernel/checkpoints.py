"""Checkpoints: states to come back to, written ones and those that the kernel takes by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..events import Event
from .commands import Append
from .flow import settle
from .marks import mark
from .score import shown, with_call
from .sites import HIGH_IMPACT
from .state import State, StepState


def written(state: State, path: str, name: str) -> Append:
    """Gives the record of a `checkpoint NAME` whose turn has come."""
    event = Event("checkpointed", path=path, status=name, data=_parent(state))
    return Append(f"{path}|checkpointed|{state.n}", event)


def before_call(state: State, s: StepState, intent: Event) -> Append | None:
    """Gives the checkpoint that comes before a step's first call, or None when none is due.

    One is due before an effect of high impact, and before a call that makes readiness low (less
    than half goes back), unless nothing has landed since the last checkpoint, or since the run
    began: that state is there already. What runs after a rollback has none.
    """
    if s.saved or state.landed_n <= state.checkpoint_n or s.frame.aftermath:
        return None
    site, before = s.site, s.weight
    # Even if nothing took the call back, most of what stands could be: that is soon said.
    least = 2 * (state.ready_num - before[0])
    may_be_low = least < state.ready_den - before[1] + site.worth[1]
    if not site.impact or (site.impact < HIGH_IMPACT and not may_be_low):
        return None
    data: dict[str, Any] = {"step": s.path}
    if site.impact >= HIGH_IMPACT:
        data["impact"] = site.impact
    low = _made_low(state, s, intent) if may_be_low else None
    if low is not None:
        data["readiness"] = shown(low)
    if len(data) == 1:
        return None
    event = Event(
        "checkpointed",
        path=f"{s.path}.checkpoint",
        status=f"before:{s.path}",
        generation=s.generation,
        cause=state.landed_n,
        data=data | _parent(state),
    )
    state.keeping[s.path] = None
    return Append(f"{s.path}|checkpointed|{s.generation}", event)


def _made_low(state: State, s: StepState, intent: Event) -> Fraction | None:
    """Gives the readiness that a call makes low where it was not."""
    before, whole = state.readiness
    if 2 * before < whole:
        return None
    num, den = with_call(state, s, intent.data["resources"], intent.undo or [])
    return Fraction(num, den) if 2 * num < den else None


def checkpointed(state: State, event: Event) -> None:
    """Folds a checkpoint; a later one of the same name takes the place of the earlier."""
    state.checkpoints[event.status] = event.n
    state.checkpoint_n = event.n
    for path in state.keeping:
        # One state is enough for all whose turn has come.
        mark(state, path)
    state.keeping.clear()
    s = state.steps.get(str(event.data.get("step", "")))
    if s is not None:
        s.saved = True
        mark(state, s.path)
        return
    turn = state.turns.get(event.path)
    if turn is not None:
        state.choices[event.path] = "value"
        settle(state, *turn)


def _parent(state: State) -> dict[str, Any]:
    return {"parent": state.checkpoint_n} if state.checkpoint_n else {}
