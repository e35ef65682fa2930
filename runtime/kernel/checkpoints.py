"""Checkpoints: states to come back to, written ones and those that the kernel takes by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..events import Event
from .commands import Append
from .flow import settle
from .marks import mark
from .score import shown, with_call
from .state import State, StepState

HIGH_IMPACT = 7
"""Impact of an effect from which on a state is kept before the call; `between_runs` begins here."""

LOW_READINESS = Fraction(1, 2)
"""Readiness of which a state is kept before a call takes it below: less than half goes back."""


def written(state: State, path: str, name: str) -> Append:
    """Gives the record of a `checkpoint NAME` whose turn has come."""
    event = Event("checkpointed", path=path, status=name, data=_parent(state))
    return Append(f"{path}|checkpointed|{state.n}", event)


def before_call(state: State, s: StepState, intent: Event) -> Append | None:
    """Gives the checkpoint that comes before a step's first call, or None when none is due.

    One is due before an effect of high impact, and before a call that makes readiness low, unless
    nothing has landed since the last checkpoint, or since the run began: that state is there
    already. What runs after a rollback has none.
    """
    if s.saved or state.landed_n <= state.checkpoint_n or s.frame.aftermath:
        return None
    rows = intent.data.get("resources", ())
    impact = max((int(row["impact"]) for row in rows), default=0)
    if not impact:
        return None
    data: dict[str, Any] = {"step": s.path}
    if impact >= HIGH_IMPACT:
        data["impact"] = impact
    num, den = with_call(state, s, rows, intent.undo or [])
    readiness = Fraction(num, den)
    if readiness < LOW_READINESS <= Fraction(*state.readiness):
        data["readiness"] = shown(readiness)
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
