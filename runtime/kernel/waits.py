"""Waits for a signal from outside, and sleeps."""

from __future__ import annotations

from typing import Any

from ..events import Event, Fault
from ..plan import Sleep, Wait
from ..values import decode
from .budget import timer_for
from .commands import Append, Command
from .marks import fold_failure, mark, settle_value
from .state import State, WaitState


def wants_of_wait(state: State, w: WaitState) -> list[Command]:
    """Gives what a wait or a sleep wants: its timer, or that it is told that it has lapsed."""
    if w.settled or w.frame.stopped():
        return []
    node = state.index.entries[w.number].statement
    timer = w.timers.get("wait")
    if w.phase == "lapsed":
        assert isinstance(node, Wait)
        if node.otherwise != "escalate":
            return []
        said = f"nothing came for `{w.path}` in time"
        event = Event("escalated", path=w.path, status="lapsed", data={"summary": said})
        return [Append(f"{w.path}|escalated|{state.n}", event)]
    if w.phase != "ready":
        return []
    length = node.length if isinstance(node, Sleep) else getattr(node, "within", None)
    if timer is None:
        if length is None:
            return []
        return [timer_for(w, "wait", length, length, safety=False)]
    if timer.over and isinstance(node, Wait):
        event = Event("signalled", path=w.path, status="lapsed", cause=w.opened_n)
        return [Append(f"{w.path}|lapsed|{w.opened_n}", event)]
    return []


def wait_over(state: State, w: WaitState) -> None:
    """Folds the end of a timer: a sleep is over; a wait says for itself that it has lapsed."""
    if isinstance(state.index.entries[w.number].statement, Sleep) and w.phase == "ready":
        _settle(state, w, None)


def signalled(state: State, event: Event) -> None:
    """Folds a signal: taken by the wait whose turn it is, else kept; or that none came in time."""
    w = state.pauses.get(event.path)
    mark(state, event.path)
    if event.status == "lapsed":
        assert w is not None
        _lapse(state, w, event)
        return
    state.signals[event.path] = event.result
    if w is not None and w.phase == "ready" and not w.settled:
        resume_wait(state, w)


def resume_wait(state: State, w: WaitState) -> None:
    """Gives a wait the signal that has come for it."""
    _settle(state, w, decode(state.signals[w.path]))


def give(state: State, w: WaitState, wire: Any) -> None:
    """Gives a wait what a person answers in place of its signal."""
    state.signals[w.path] = wire
    resume_wait(state, w)


def wait_anew(state: State, w: WaitState, n: int) -> None:
    """Lets a wait that has lapsed wait once more."""
    state.pauses[w.path] = WaitState(w.path, w.number, w.frame, timers_set=w.timers_set, opened_n=n)
    state.owed[w.path] = None
    mark(state, w.path)


def _lapse(state: State, w: WaitState, event: Event) -> None:
    node = state.index.entries[w.number].statement
    assert isinstance(node, Wait)
    w.phase = "lapsed"
    state.owed.pop(w.path, None)
    if node.otherwise == "continue":
        _settle(state, w, None)
    elif node.otherwise == "rollback":
        error = Fault("Lapsed", f"nothing came for `{w.path}` in time")
        failed = Event("signalled", error=error, n=event.n)
        fold_failure(state, w.frame, w.path, failed)


def _settle(state: State, w: WaitState, value: Any) -> None:
    w.phase = "settled"
    w.settled = True
    state.owed.pop(w.path, None)
    settle_value(state, w.frame, w.number, value)
