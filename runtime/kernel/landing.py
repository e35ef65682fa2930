"""How a step settles: it lands, fails, is undone or left standing, and the body goes on."""

from __future__ import annotations

from ..events import Event
from ..plan import Step
from ..values import decode
from .clauses import own_answer, usable
from .marks import fold_failure, mark, settle_value
from .score import watch_windows, weigh
from .state import State, StepState


def land(state: State, s: StepState, event: Event, by: str) -> None:
    """Confirms an effect (or an answer): it has happened, from this event on."""
    s.phase = "landed"
    s.confirmed_n = event.n
    s.confirmed_elapsed = state.elapsed
    s.confirmed_by = by
    s.result = event.result
    # An earlier attempt that only time has settled could still be there a second time.
    # What evidence says is believed, not proved.
    s.unproven = s.absent_by_time or by == "evidence"
    s.unavailable = str(event.data.get("unavailable", "") or s.unavailable)
    state.active.discard(s.path)
    step = state.index.step(s.number)
    tool = state.index.tool_of(step)
    if tool.irreversible and step.accepted is None:
        state.pivots_landed.add(s.path)
    if tool.effects:
        weigh(state, s)
        watch_windows(state, s)
    if not state.closed and s.error is None:
        go_on(state, s)


def go_on(state: State, s: StepState) -> None:
    """Settles a landed step once every baseline that later steps need has been read."""
    step = state.index.step(s.number)
    for consumer in state.index.baselines.get(s.path, ()):
        if consumer.path not in s.baselines and not own_answer(step, consumer):
            _publish(state, s, step)
            return
    s.settled = True
    _publish(state, s, step)
    value = state.values[step.name]
    unavailable = state.unavailable.get(step.name)
    settle_value(state, s.number, value)
    if unavailable is not None:
        state.unavailable[step.name] = unavailable


def fail(state: State, s: StepState, event: Event) -> None:
    """Folds a step's failure as its `else` says; in a closed scope it has only settled."""
    s.phase = "failed"
    s.error = event.error
    state.active.discard(s.path)
    weigh(state, s)
    if state.closed:
        return
    match state.index.step(s.number).on_failure:
        case "continue":
            if s.may_have_landed:
                state.alone.append(s.path)
            else:
                _continue(state, s)
        case "escalate":
            mark(state, s.path)
        case _:
            fold_failure(state, s.path, event)


def undone(state: State, s: StepState, by: str) -> None:
    """Folds that a step is undone; whoever waited for that goes on."""
    guessed = s.may_have_landed and by in ("answer", "already back")
    s.unproven = s.absent_by_time or guessed
    s.may_have_landed = False
    s.phase = "undone"
    s.undo_phase = "done"
    _drop(state, s)
    weigh(state, s)


def leave(state: State, s: StepState) -> None:
    """Folds a person's decision that an effect stays."""
    s.undo_phase = "left"
    _drop(state, s)
    weigh(state, s)


def correct(state: State, s: StepState, ordinal: int, status: str) -> None:
    """Folds what became of the corrective of one effect: taken, due, or left."""
    s.corrective_status[ordinal] = status
    if state.correcting and (s.path, ordinal) in state.correcting:
        state.correcting.remove((s.path, ordinal))
    mark(state, "")


def _drop(state: State, s: StepState) -> None:
    if state.unwinding and state.unwinding[-1] == s.path:
        state.unwinding.pop()
    elif state.unwinding and s.path in state.unwinding:
        state.unwinding.remove(s.path)
    if s.path in state.alone:
        state.alone.remove(s.path)
        _continue(state, s)
    mark(state, "")


def _continue(state: State, s: StepState) -> None:
    s.settled = True
    settle_value(state, s.number, None)


def _publish(state: State, s: StepState, step: Step) -> None:
    state.values[step.name] = decode(s.result)
    if s.unavailable:
        state.unavailable[step.name] = s.unavailable


def break_promise(state: State, s: StepState, event: Event, by: str) -> None:
    """Folds a result that breaks its type or `ensures`: it has happened, and the step fails."""
    s.error = event.error
    land(state, s, event, by)
    step = state.index.step(s.number)
    if state.closed:
        return
    tool = state.index.tool_of(step)
    if tool.irreversible or usable(state, s, step, filled_only=True) is None:
        s.drifted = True
        mark(state, s.path)
    elif step.on_failure == "continue":
        state.alone.append(s.path)
        mark(state, "")
    elif step.on_failure == "escalate":
        s.drifted = True
        mark(state, s.path)
    else:
        fold_failure(state, s.path, event)
