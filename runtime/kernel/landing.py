"""How a step settles: it lands, fails, is undone or left standing, and the body goes on."""

from __future__ import annotations

from ..events import Event
from ..values import decode
from .clauses import baseline_args, lacks_value, own_answer, usable
from .flow import settle
from .marks import end_call, fold_failure, mark, mark_undo, settle_value
from .score import watch_windows, weigh
from .state import UNDO, Calling, State, StepState, renewed
from .unwinding import corrected, taken_back


def land(state: State, s: StepState, event: Event, by: str) -> None:
    """Confirms an effect (or an answer): it has happened, from this event on."""
    weighed = s.sure and s.phase == "called" and event.undo is None
    s.phase = "landed"
    s.confirmed_n = event.n
    s.confirmed_elapsed = state.elapsed
    s.confirmed_by = by
    s.result = event.result
    # An earlier attempt that only time has settled could still be there a second time.
    # What evidence says is believed, not proved.
    s.unproven = s.absent_by_time or by == "evidence"
    if "unavailable" in event.data:
        s.unavailable = str(event.data["unavailable"] or s.unavailable)
    end_call(state, s)
    site = s.site
    if site.irreversible and site.step.accepted is None and not s.frame.aftermath:
        _pivot(state, s)
    if site.tool.effects:
        state.landed_n = event.n
        if not weighed:
            weigh(state, s)
        if site.windows:
            watch_windows(state, s)
    if s.error is None and not s.frame.halted():
        go_on(state, s)


def _pivot(state: State, s: StepState) -> None:
    state.pivots_landed.add(s.path)
    for frame in s.frame.chain():
        if frame.boundary:
            frame.pivots = frame.pivots or set()
            frame.pivots.add(s.path)


def go_on(state: State, s: StepState) -> None:
    """Settles a landed step once every baseline that later steps need has been read."""
    site, frame = s.site, s.frame
    waiting = bool(site.baselines) and _lacks_baseline(state, s)
    name = site.step.name
    frame.values[name] = decode(s.result)
    if s.unavailable:
        state.lossy = True
        frame.unavailable[name] = s.unavailable
    elif frame.unavailable:
        frame.unavailable.pop(name, None)
    if not waiting:
        s.settled = True
        settle(state, frame, site.number)


def _lacks_baseline(state: State, s: StepState) -> bool:
    for consumer in s.site.baselines:
        if consumer.path in s.baselines or own_answer(s.site.step, consumer):
            continue
        if baseline_args(state, s, consumer) is not None:
            return True
    return False


def fail(state: State, s: StepState, event: Event) -> None:
    """Folds a step's failure as its `else` says; in a closed scope it has only settled."""
    s.phase = "failed"
    s.error = event.error
    end_call(state, s)
    weigh(state, s)
    if s.frame.halted():
        return
    if s.frame.undo_of and s.site.step.on_failure != "continue":
        # Nothing that takes something back is itself rolled back: people are asked.
        mark(state, s.path)
        return
    match s.site.step.on_failure:
        case "continue":
            if s.may_have_landed and not s.frame.aftermath:
                undo_alone(state, s)
            else:
                _continue(state, s)
        case "escalate":
            mark(state, s.path)
        case _:
            fold_failure(state, s.frame, s.path, event)


def undone(state: State, s: StepState, by: str) -> None:
    """Folds that a step is undone; whoever waited for that goes on."""
    if s.frame.undo_of:
        _carried_out(state, s)
        return
    guessed = s.may_have_landed and by in ("answer", "already back")
    s.unproven = s.absent_by_time or guessed
    s.may_have_landed = False
    s.phase = "undone"
    s.undo_phase = "done"
    if s.site.is_call:
        _uncover(state, s)
    _drop(state, s)
    weigh(state, s)


def _carried_out(state: State, s: StepState) -> None:
    """Folds that one call of a saga that is an undo is over, and the saga goes on behind it."""
    s.phase, s.undo_phase, s.settled = "landed", "done", True
    if lacks_value(s) and not s.unavailable:
        s.unavailable = (
            "what an undo gave is not known once its answer is lost, or it was so before"
        )
    settle_value(state, s.frame, s.site.number, decode(s.result))
    if s.unavailable:
        s.frame.unavailable[s.site.step.name] = s.unavailable
        state.lossy = True


def try_undo_again(s: StepState, *, called: bool) -> None:
    """Lets an undo that has failed be tried again; when it was `called`, it may have landed."""
    calling = s.undo or Calling()
    calling.attempts = calling.lost = calling.inquiries = calling.failures = 0
    calling.verdict = ""
    s.undo_phase = "unknown" if called else ""
    s.timers.clear()


def undone_by_hand(s: StepState, event: Event) -> None:
    """Folds a person's word that an undo was done by hand: its verify is asked about that."""
    s.undo = s.undo or Calling()
    try_undo_again(s, called=False)
    s.undo.conclusive = False
    s.undo.ended = event.elapsed
    s.undo_phase = "by hand"


def leave(state: State, s: StepState) -> None:
    """Folds a person's decision that an effect stays."""
    s.undo_phase = "left"
    if s.frame.undo_of:
        state.steps[s.frame.undo_of].partly = True
        _continue(state, s)
        return
    _drop(state, s)
    weigh(state, s)


def correct(state: State, s: StepState, ordinal: int, status: str) -> None:
    """Folds what became of the corrective of one effect: taken, due, or left."""
    s.corrective_status = {**s.corrective_status, ordinal: status}
    corrected(state, s, ordinal)


def _uncover(state: State, s: StepState) -> None:
    """Notes that the undo of a called saga has taken back all that it stood for."""
    for inner in state.frames[s.path].subtree():
        for path in inner.members:
            step = state.steps.get(path)
            if step is not None and step.covered and step.phase == "landed":
                step.phase, step.undo_phase = "undone", "done"


def undo_alone(state: State, s: StepState) -> None:
    """Takes back a step that failed with its effect there, while the rest goes on."""
    state.alone[s.path] = None
    _next_alone(state)


def _next_alone(state: State) -> None:
    path = next(iter(state.alone), None)
    if path is not None:
        state.going_back[path] = UNDO
        mark_undo(state, state.steps[path])


def _drop(state: State, s: StepState) -> None:
    taken_back(state, s)
    if s.path in state.alone:
        del state.alone[s.path]
        _next_alone(state)
        if not s.rerun:
            _continue(state, s)
    if s.rerun and s.phase == "undone":
        state.steps[s.path] = renewed(s)
        mark(state, s.path)
    elif s.rerun:
        s.rerun = False
        go_on(state, s)
    if state.root.stage != "undoing":
        # As in `apply`: the run itself wants nothing before its last undo is over.
        mark(state, "")


def _continue(state: State, s: StepState) -> None:
    s.settled = True
    settle_value(state, s.frame, s.site.number, None)


def break_promise(state: State, s: StepState, event: Event, by: str) -> None:
    """Folds a result that breaks its type or `ensures`: it has happened, and the step fails."""
    s.error = event.error
    land(state, s, event, by)
    step = s.site.step
    if s.frame.halted():
        return
    tool = s.site.tool
    if s.frame.aftermath:
        _continue(state, s)
    elif tool.irreversible or usable(state, s, step, filled_only=True) is None:
        s.drifted = True
        mark(state, s.path)
    elif step.on_failure == "continue":
        undo_alone(state, s)
    elif step.on_failure == "escalate":
        s.drifted = True
        mark(state, s.path)
    else:
        fold_failure(state, s.frame, s.path, event)
