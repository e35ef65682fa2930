"""Gates that no statement declares: they open by themselves before one call, and show that call.

| purpose | path | opens before |
| --- | --- | --- |
| `corrective` | `ship.corrective` | a corrective with `needs` |
| `call` | `buyer[2].gate` | a call of an agent whose tool has `needs` |
| `guard` | `ship.guard` | a call that would bring the readiness below a guard |

Each is bound to exactly what it shows, one person decides, and an approval holds for one
generation of its step.
"""

from __future__ import annotations

from typing import Any

from ..events import Event, Fault
from ..values import digest
from .commands import Append, Command
from .landing import correct, fail
from .marks import mark
from .state import AskedGate, AskPurpose, State, StepState


def approval(
    state: State,
    s: StepState,
    path: str,
    purpose: AskPurpose,
    group: str,
    shows: dict[str, Any],
    ordinal: int = 0,
) -> list[Command] | None:
    """Gives the gate of a call, [] while it is open, None once exactly this is approved."""
    gate = state.asked.get(path)
    if gate is None or gate.generation != s.generation or gate.shows != shows:
        return [opening(state, path, s, purpose, group, shows, ordinal)]
    return None if gate.phase == "approved" else []


def opening(
    state: State,
    path: str,
    s: StepState,
    purpose: AskPurpose,
    group: str,
    shows: dict[str, Any],
    ordinal: int = 0,
) -> Append:
    """Gives the record that a gate opens before a call; `shows` are stored values."""
    before = state.asked.get(path)
    opened_n = 0 if before is None else before.opened_n
    data = {
        "shows": shows,
        "digest": digest([state.run_id, state.definition, path, opened_n, shows]),
        "needs": 1,
        "group": group,
        "for": purpose,
        "step": s.path,
    }
    if ordinal:
        data["ordinal"] = ordinal
    event = Event(kind="gate_opened", path=path, generation=s.generation, data=data)
    return Append(f"{path}|opened|{state.n}", event)


def opened(state: State, event: Event) -> None:
    """Folds that a gate has opened before a call."""
    data = event.data
    state.asked[event.path] = AskedGate(
        path=event.path,
        step=data["step"],
        purpose=data["for"],
        generation=event.generation,
        group=data["group"],
        shows=data["shows"],
        digest=data["digest"],
        ordinal=int(data.get("ordinal", 0)),
        opened_n=event.n,
    )
    state.owed[event.path] = None
    mark(state, data["step"])
    mark(state, "")


def decided(state: State, event: Event) -> None:
    """Folds what somebody decided: the call goes out, is left, or has been refused."""
    gate = state.asked[event.path]
    if gate.phase != "open" or event.status == "refused":
        return
    s = state.steps[gate.step]
    gate.by = event.actor
    state.owed.pop(gate.path, None)
    mark(state, s.path)
    mark(state, "")
    if event.status == "approved":
        gate.phase = "approved"
        return
    gate.phase = "rejected"
    if gate.purpose == "corrective":
        correct(state, s, gate.ordinal, "left")
        return
    note = str(event.data.get("note", ""))
    said = f"{event.actor} rejected `{gate.path}`: {note}".rstrip(": ")
    fail(state, s, Event("decided", error=Fault("Rejected", said), n=event.n))


def is_open(state: State, gate: AskedGate) -> bool:
    """True while somebody may decide: the call is still wanted."""
    if gate.phase != "open" or state.finished:
        return False
    s = state.steps[gate.step]
    if gate.purpose == "corrective":
        return state.going_back.get(s.path) == gate.ordinal
    return not s.frame.halted() and s.phase in ("ready", "between")
