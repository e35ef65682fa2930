"""`decide`: what should happen next, from what changed since it was asked last."""

from __future__ import annotations

from collections.abc import Callable

from ..events import Event
from ..plan import Plan
from .agents import wants_of_agent
from .boundaries import wants_of_boundary
from .commands import Command
from .fold import apply
from .forward import wants_of_step
from .index import Index
from .nested import wants_of_call
from .rollback import wants_of_corrective, wants_of_undo
from .run import wants_of_gate, wants_of_run, wants_of_statement
from .sites import Callee
from .state import UNDO, State, StepState
from .undoing import wants_inside, wants_of_undo_statement
from .views import blocked
from .waits import wants_of_wait


def begin(index: Index, run_id: str) -> State:
    """Gives the state of a run before its first event."""
    return State(index, run_id)


def decide(state: State) -> list[Command]:
    """Gives the commands that are wanted and not yet issued, the same when asked twice.

    The cost is that of the places that changed: each event marks them, and only they are asked.
    """
    news(state)
    return list(state.agenda.values())


def consider(state: State) -> None:
    """Brings the agenda up to date: what `decide` gives, for who keeps no count of what is new."""
    news(state)


def news(state: State) -> list[str]:
    """Brings the agenda up to date; gives the ids of what is wanted at the places that changed.

    Only these have new wishes: looking through the whole agenda after each event made wide
    parallels quadratic. What a place wants now takes the place of what it wanted before. Nothing
    that is wanted changes what another place wants: only folds do.
    """
    found: list[str] = []
    wants, agenda, issued = state.wants, state.agenda, state.issued
    for place in state.dirty:
        if place in wants:
            for command_id in wants.pop(place):
                agenda.pop(command_id, None)
        wishes = _wants(state, place) if place else wants_of_run(state)
        if wishes and issued:
            wishes = [wish for wish in wishes if wish.id not in issued]
        if wishes:
            ids: list[str] = []
            for wish in wishes:
                agenda[wish.id] = wish
                ids.append(wish.id)
            wants[place] = ids
            found += ids
    state.dirty.clear()
    return found


def issue(state: State, command_id: str) -> None:
    """Notes that the driver has taken a call without intent in this incarnation."""
    command = state.agenda.pop(command_id)
    state.issued[command_id] = command


def wanted(state: State, command_id: str) -> bool:
    """True while the state still wants a command that a driver holds back (for a slot)."""
    news(state)
    return command_id in state.agenda or command_id in state.issued


def advance(state: State, event: Event) -> Event:
    """Gives an event its number, folds it, and notes the readiness after it."""
    event.n = state.n + 1
    event.run_id = state.run_id
    apply(state, event)
    if not state.root.closed:
        event.readiness = state.readiness
    return event


def start(plan: Plan, definition: str, inputs: dict[str, object], actor: str) -> Event:
    """Makes the event that begins a run; `inputs` are stored values by parameter."""
    data = {"inputs": inputs, "definition": definition, "saga": plan.saga, "kernel": KERNEL}
    return Event("run_started", actor=actor, data=data)


KERNEL = 1
"""Version of the kernel's choices; recorded with each run."""


def _wants(state: State, place: str) -> list[Command]:
    if state.finished or (state.incidents and blocked(state)):
        return []
    s = state.steps.get(place)
    if s is None:
        return _wants_of_others(state, place)
    if place in state.going_back:
        back = state.going_back[place]
        return wants_of_undo(state, s) if back == UNDO else wants_of_corrective(state, s, back)
    if s.settled and s.phase == "landed":
        return []
    frame = s.frame
    if frame.undo_of:
        return wants_inside(state, s)
    if s.phase in ("ready", "between") and place not in state.turns and frame.kind != "agent":
        # Its body was left before its turn was over, to begin anew later.
        return []
    return _WANTS[s.site.calls](state, s)


_WANTS: dict[Callee, Callable[[State, StepState], list[Command]]] = {
    "tool": wants_of_step,
    "saga": wants_of_call,
    "agent": wants_of_agent,
}


def _wants_of_others(state: State, place: str) -> list[Command]:
    g = state.gates.get(place)
    if g is not None:
        return wants_of_gate(state, g) if place in state.turns else []
    w = state.pauses.get(place)
    if w is not None:
        return wants_of_wait(state, w) if place in state.turns else []
    frame = state.frames.get(place)
    if frame is not None and frame.boundary:
        return wants_of_boundary(state, frame)
    if place in state.turns:
        frame, number = state.turns[place]
        if frame.undo_of:
            return wants_of_undo_statement(state, frame, number)
        return wants_of_statement(state, frame, number)
    return []
