"""`apply`: the only way in which the state of a run changes, one event at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ..events import Event
from ..expressions import STARTED_AT
from ..plan import Each, First, If, Let, Next, Repeat, Return, Scope
from ..values import decode
from . import asked, folded_agents, folded_calls, folded_people, nested, undoing
from .boundaries import close
from .checkpoints import checkpointed
from .flow import begin_branch, settle
from .frames import Frame
from .loops import after_item, begin_loop
from .marks import failed_statement, fold_failure, mark, mark_all, mark_within, settle_value
from .overlap import let_on
from .score import expire
from .state import State, StepState, Timer, WaitState
from .succession import begin_saga, begin_scope, proceed
from .waits import signalled, wait_over

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def apply(state: State, event: Event) -> State:
    """Folds one event into the state and gives the state (the same object, changed)."""
    state.n = event.n
    if event.wall_time > state.wall_time:
        state.wall_time = event.wall_time
    if event.elapsed > state.elapsed:
        state.elapsed = event.elapsed
    path = event.path
    if path:
        state.dirty[path] = None
        if state.overlaps.held_up:
            let_on(state, path)
    readiness = state.readiness
    _FOLDS[event.kind](state, event)
    if state.due or state.turning:
        proceed(state)
    if state.agents:
        folded_agents.look_again(state, event)
    if state.index.guarded and state.readiness != readiness:
        # What a guard let pass, or held back, was judged by the readiness of before.
        for path in state.turns:
            mark(state, path)
    root = state.root
    if root.failing or root.cause or state.alone or state.incidents:
        mark(state, "")
    elif root.closed and root.stage != "undoing":
        # One undo after the other: the run itself wants nothing before the last is over.
        mark(state, "")
    if state.expiries:
        expire(state)
    return state


def _chosen(state: State, event: Event) -> None:
    if "agent" in event.data:
        folded_agents.chosen(state, event)
        return
    s = state.steps.get(event.path)
    if s is not None:
        if event.direction == "undo" and event.status == "called":
            undoing.begun(state, s, event)
            return
        called = s.site.is_call
        if called and event.status in ("called", "completed", "failed"):
            nested.chosen(state, s, event)
        else:
            folded_calls.chosen(state, s, event)
        return
    g = state.gates.get(event.path)
    if g is not None:
        if event.status == "skipped":
            g.phase, g.settled = "skipped", True
            settle_value(state, g.frame, g.number, None)
        else:
            g.phase = "failed"
            fold_failure(state, g.frame, event.path, event)
        return
    if event.path in state.turns:
        _statement_chosen(state, *state.turns[event.path], event)
        return
    frame = state.frames.get(event.path)
    if frame is not None:
        state.boundaries.pop(event.path, None)
        after_item(state, frame, event)


def _statement_chosen(state: State, frame: Frame, number: int, event: Event) -> None:
    entry = state.index.entries[number]
    if isinstance(entry.statement, Scope):
        state.boundaries.pop(event.path, None)
        state.frames[event.path].progress = None
    if event.status == "failed":
        failed_statement(state, frame, number, event)
        return
    state.choices[event.path] = event.status
    match entry.statement:
        case If():
            assert frame.progress is not None
            frame.progress.ready.pop(number)
            del state.turns[event.path]
            begin_branch(state, frame, entry, event.status)
        case Let():
            settle_value(state, frame, number, decode(event.result))
        case Return():
            frame.returned = decode(event.result)
            settle(state, frame, number)
        case Next():
            frame.following = decode(event.result)
            settle(state, frame, number)
        case Scope():
            begin_scope(state, frame, number)
        case Each() | First() | Repeat():
            begin_loop(state, frame, number, event)
        case _:
            settle(state, frame, number)


def _run_started(state: State, event: Event) -> None:
    state.run_id = event.run_id
    state.definition = event.data.get("definition", "")
    state.initiator = event.actor
    for name, wire in event.data.get("inputs", {}).items():
        state.root.values[name] = decode(wire)
    state.root.values[STARTED_AT] = _EPOCH + timedelta(milliseconds=event.wall_time)
    begin_saga(state)


def _timer_set(state: State, event: Event) -> None:
    data = event.data
    timer = Timer(
        event.n, event.elapsed, data["length"], data["due"], bool(data.get("safety", False))
    )
    if not event.path:
        state.deadline = timer
        mark(state, "")
        return
    holder = state.holder(event.path)
    if holder is not None:
        holder.timers = {**holder.timers, data["timer"]: timer}
        holder.timers_set += 1
        state.timed[event.path] = None


def _timer_due(state: State, event: Event) -> None:
    name = event.data["timer"]
    if not event.path:
        if state.deadline is not None:
            state.deadline.over = True
        state.root.deadline_lapsed = not state.closed
        mark_all(state)
        return
    holder = state.holder(event.path)
    if holder is None or name not in holder.timers:
        return
    holder.timers[name].over = True
    if all(timer.over for timer in holder.timers.values()):
        state.timed.pop(event.path, None)
    if isinstance(holder, WaitState):
        wait_over(state, holder)
    elif isinstance(holder, StepState):
        folded_calls.timer_over(holder, name)
        if name == "deadline":
            frame = state.frames[event.path]
            frame.deadline_lapsed = True
            mark_within(state, frame)


def _gate_opened(state: State, event: Event) -> None:
    if "for" in event.data:
        asked.opened(state, event)
        return
    g = state.gates[event.path]
    g.phase = "open"
    g.opened_n = event.n
    g.shows = event.data["shows"]
    g.digest = event.data["digest"]
    state.owed[g.path] = None


def _run_finished(state: State, event: Event) -> None:
    state.finished = event.status
    state.result = event.result
    state.root.error = event.error
    state.agenda.clear()
    state.issued.clear()
    mark(state, "")


_FOLDS: dict[str, Callable[[State, Event], None]] = {
    "run_started": _run_started,
    "chosen": _chosen,
    "intent": folded_calls.intent,
    "outcome": folded_calls.outcome,
    "verified": folded_calls.verified,
    "timer_set": _timer_set,
    "timer_due": _timer_due,
    "scope_closed": close,
    "gate_opened": _gate_opened,
    "decided": folded_people.decided,
    "signalled": signalled,
    "cancel_requested": folded_people.cancel_requested,
    "checkpointed": checkpointed,
    "escalated": folded_people.escalated,
    "resolved": folded_people.resolved,
    "frozen": folded_people.frozen,
    "attempt_lost": folded_calls.attempt_lost,
    "late": folded_calls.late,
    "run_finished": _run_finished,
}
