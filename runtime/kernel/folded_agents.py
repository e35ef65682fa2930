"""Folds of agents: their attempts, and what becomes of the calls that they make."""

from __future__ import annotations

from typing import Any

from ..events import Event
from ..values import decode
from .agency import Agency, agent_of
from .clauses import argument_digest
from .frames import Frame
from .landing import land, undo_alone
from .marks import end_call, mark
from .state import State, StepState


def begun(state: State, s: StepState) -> None:
    """Folds that an attempt of an agent begins: it has claimed nothing yet."""
    agency = state.agents.setdefault(s.path, Agency())
    agency.claimed = set()
    agency.lost = False


def outcome(state: State, s: StepState, event: Event) -> None:
    """Folds how an attempt of an agent ended; what goes wrong in it is no more than a failure."""
    if event.status == "succeeded":
        left = state.agents[s.path].calls if s.path in state.agents else []
        if s.frame.halted() or not left:
            land(state, s, event, "answer")
            return
        s.phase = "clearing"
        s.result = event.result
        s.unavailable = str(event.data.get("unavailable", ""))
        return
    s.do.exhausted = event.status == "refused"
    _between(state, s, event)


def lost(state: State, s: StepState, event: Event) -> None:
    """Folds that an attempt of an agent died with its process: it is made again, uncounted."""
    s.do.open = False
    s.do.attempts -= 1
    state.agents.setdefault(s.path, Agency()).lost = True
    _between(state, s, event)


def _between(state: State, s: StepState, event: Event) -> None:
    end_call(state, s)
    s.phase = "between"
    if s.frame.halted():
        s.phase, s.error = "failed", event.error


def chosen(state: State, event: Event) -> None:
    """Folds a choice about a call of an agent: asked, claimed, undone because nobody claimed it."""
    path = str(event.data["agent"])
    s = state.steps[path]
    agency = state.agents.setdefault(path, Agency())
    mark(state, path)
    match event.status:
        case "asked":
            agency.calls.append(event.path)
            agency.claimed.add(event.path)
            _begin_call(state, s, event, len(agency.calls))
        case "claimed":
            agency.claimed.add(event.path)
        case "unclaimed":
            state.steps[event.path].settled = False
            undo_alone(state, state.steps[event.path])
        case _:
            land(state, s, Event("outcome", result=s.result, n=event.n), "answer")


def _begin_call(state: State, s: StepState, event: Event, count: int) -> None:
    number = state.index.calls[s.site.number, str(event.data["tool"])]
    frame = Frame(event.path, "agent", s.frame.block, s.site.number, s.frame, "", boundary=False)
    frame.names = s.frame.names
    frame.aftermath = s.frame.aftermath
    frame.order = (*s.frame.order, s.site.number, 0, count)
    frame.members.append(event.path)
    s.frame.children.append(frame)
    child = StepState(event.path, state.index.sites[number], frame)
    wire: dict[str, Any] = event.data["args"]
    child.args = {name: decode(value) for name, value in wire.items()}
    child.digest = argument_digest(wire)
    state.steps[event.path] = child
    state.frames[event.path] = frame
    mark(state, event.path)


def look_again(state: State, event: Event) -> None:
    """Lets an agent look again when something came of one of its calls."""
    s = state.steps.get(event.path)
    if s is not None and s.frame.kind == "agent":
        mark(state, agent_of(event.path))
    if state.index.guarded:
        for agency in state.agents.values():
            for path in agency.calls:
                if not state.steps[path].settled:
                    mark(state, path)
