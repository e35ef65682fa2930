"""`apply`: the only way in which the state of a run changes, one event at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ..events import Event
from ..expressions import STARTED_AT
from ..plan import If, Let, Return, Step
from ..values import decode
from . import asked, folded_calls, folded_people
from .closing import begin_unwinding, close_scope
from .flow import begin_branch, settle
from .marks import failed_statement, fold_failure, mark, settle_value
from .overlap import let_on
from .score import expire
from .state import GateState, State, StepState, Timer

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def apply(state: State, event: Event) -> State:
    """Folds one event into the state and gives the state (the same object, changed)."""
    state.n = event.n
    state.wall_time = max(state.wall_time, event.wall_time)
    state.elapsed = max(state.elapsed, event.elapsed)
    if event.path:
        mark(state, event.path)
        if state.overlaps.held_up:
            let_on(state, event.path)
    readiness = state.readiness
    _FOLDS[event.kind](state, event)
    if state.index.plan.guards and state.readiness != readiness:
        # What a guard let pass, or held back, was judged by the readiness of before.
        for number in state.ready:
            mark(state, state.index.entries[number].statement.path)
    if state.closed or state.failing or state.cause or state.alone or state.incidents:
        mark(state, "")
        begin_unwinding(state)
    if state.expiries:
        expire(state)
    return state


def _chosen(state: State, event: Event) -> None:
    s = state.steps.get(event.path)
    if s is not None and isinstance(state.index.entries[s.number].statement, Step):
        folded_calls.chosen(state, s, event)
        return
    g = state.gates.get(event.path)
    if g is not None:
        if event.status == "skipped":
            g.phase, g.settled = "skipped", True
            settle_value(state, g.number, None)
        else:
            g.phase = "failed"
            fold_failure(state, event.path, event)
        return
    number = _turn(state, event.path)
    if number is None:
        return
    entry = state.index.entries[number]
    if event.status == "failed":
        failed_statement(state, number, event)
        return
    state.choices[event.path] = event.status
    match entry.statement:
        case If():
            state.ready.discard(number)
            begin_branch(state, entry)
        case Let():
            settle_value(state, number, decode(event.result))
        case Return():
            state.returned = decode(event.result)
            settle(state, number)
        case _:
            settle(state, number)


def _turn(state: State, path: str) -> int | None:
    """Gives the statement with that path whose turn it is (the twin in the branch taken)."""
    for number in state.index.numbers.get(path, ()):
        if number in state.ready:
            return number
    return None


def _run_started(state: State, event: Event) -> None:
    state.run_id = event.run_id
    state.definition = event.data.get("definition", "")
    state.initiator = event.actor
    for name, wire in event.data.get("inputs", {}).items():
        state.values[name] = decode(wire)
    state.values[STARTED_AT] = _EPOCH + timedelta(milliseconds=event.wall_time)
    folded_people.begin(state)


def _timer_set(state: State, event: Event) -> None:
    data = event.data
    timer = Timer(
        event.n, event.elapsed, data["length"], data["due"], bool(data.get("safety", False))
    )
    if not event.path:
        state.deadline = timer
        mark(state, "")
        return
    holder = _holder(state, event.path)
    if holder is not None:
        holder.timers[data["timer"]] = timer
        holder.timers_set += 1


def _timer_due(state: State, event: Event) -> None:
    name = event.data["timer"]
    if not event.path:
        if state.deadline is not None:
            state.deadline.over = True
        state.deadline_lapsed = not state.closed
        for path in state.active:
            mark(state, path)
        mark(state, "")
        return
    holder = _holder(state, event.path)
    if holder is None or name not in holder.timers:
        return
    holder.timers[name].over = True
    if isinstance(holder, StepState):
        folded_calls.timer_over(holder, name)


def _holder(state: State, path: str) -> StepState | GateState | None:
    return state.steps.get(path) or state.gates.get(path)


def _scope_closed(state: State, event: Event) -> None:
    close_scope(state, event)


def _gate_opened(state: State, event: Event) -> None:
    if "for" in event.data:
        asked.opened(state, event)
        return
    g = state.gates[event.path]
    g.phase = "open"
    g.opened_n = event.n
    g.shows = event.data["shows"]
    g.digest = event.data["digest"]


def _checkpointed(state: State, event: Event) -> None:
    state.checkpoints[event.status] = event.n
    number = _turn(state, event.path)
    if number is not None:
        state.choices[event.path] = "value"
        settle(state, number)


def _run_finished(state: State, event: Event) -> None:
    state.finished = event.status
    state.result = event.result
    state.error = event.error
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
    "scope_closed": _scope_closed,
    "gate_opened": _gate_opened,
    "decided": folded_people.decided,
    "signalled": folded_people.signalled,
    "cancel_requested": folded_people.cancel_requested,
    "checkpointed": _checkpointed,
    "escalated": folded_people.escalated,
    "resolved": folded_people.resolved,
    "frozen": folded_people.frozen,
    "attempt_lost": folded_calls.attempt_lost,
    "late": folded_calls.late,
    "run_finished": _run_finished,
}
