"""Folds of what people decide: gates, cancellation, incidents and their answers."""

from __future__ import annotations

from ..events import Event, Fault
from ..plan import Gate
from . import asked
from .frames import Frame
from .landing import fail, land, leave, try_undo_again, undone, undone_by_hand
from .loops import unfinished
from .marks import end_call, fold_failure, mark, mark_all, settle_value
from .neighbours import accept, look_again
from .reopening import forgive, outermost_closed, reopen, rerun
from .state import GateState, Incident, State, StepState, WaitState, corrective_of, renewed
from .undoing import frame_at, resolve_inside, stuck
from .unwinding import corrected
from .views import landed
from .waits import give, wait_anew

ANSWERS: dict[str, tuple[str, ...]] = {
    "unknown": ("retry", "done", "skip"),
    "conflict": ("retry", "done", "skip"),
    "key_conflict": ("retry", "done", "skip"),
    "failed": ("retry", "done", "skip", "back"),
    "drift": ("retry", "forward", "back"),
    "ensures": ("done", "back"),
    "lapsed": ("retry", "done", "back"),
    "after_pivot": ("retry", "done", "forward", "back"),
    "undo_failed": ("retry", "done", "skip", "forward"),
    "no_undo": ("retry", "done", "skip", "forward"),
    "undo_conflict": ("retry", "done", "skip", "forward"),
    "corrective_failed": ("retry", "done", "skip"),
    "late": ("done",),
    "frozen": ("forward", "back"),
    "held": ("forward", "back"),
    "between_runs": ("retry", "forward", "back"),
}
"""The causes of escalation, and the answers that each takes."""

_RECOMMENDED: dict[str, tuple[str, str]] = {
    "unknown": ("done or skip", "look at the service: say `done` if it happened, `skip` if not"),
    "conflict": ("done or skip", "someone else changed it: find out who, then say what holds"),
    "key_conflict": ("skip", "the service refused the arguments under this key: nothing was done"),
    "failed": ("retry", "the step asks for people when it fails"),
    "drift": ("back", "the plan was made for a state that no longer holds"),
    "ensures": ("back", "the effect happened and its result breaks what was ensured"),
    "lapsed": ("retry", "nobody decided in time"),
    "after_pivot": ("retry", "going back is no longer clean: forward is the safer way"),
    "undo_failed": ("retry", "mend the service, then call the undo again with the same key"),
    "no_undo": ("done", "undo it by hand and say so, or `skip` to let it stand"),
    "undo_conflict": ("skip", "undoing would overwrite what someone else did"),
    "corrective_failed": ("retry", "the corrective is still owed"),
    "late": ("done", "look at the resource: the late answer says that the effect is there"),
    "frozen": ("back", "the run was stopped on suspicion"),
    "between_runs": ("retry", "another run is at work there: let it come to its end first"),
    "held": ("forward", "the run stands at its checkpoint"),
}


_OF_UNDOS = ("undo_failed", "no_undo", "undo_conflict")


def decided(state: State, event: Event) -> None:
    """Folds a decision about a gate; refusals are on record and change nothing."""
    if event.path in state.asked:
        asked.decided(state, event)
        return
    g = state.gates[event.path]
    gate = state.index.entries[g.number].statement
    assert isinstance(gate, Gate)
    if g.phase != "open" or event.status == "refused":
        return
    note = str(event.data.get("note", ""))
    if event.status == "approved":
        g.approvals.append(event.actor)
        if note:
            g.notes.append(note)
        if len(g.approvals) >= gate.needs:
            _pass(state, g)
    elif event.status == "rejected":
        g.phase, g.rejected_by = "rejected", event.actor
        event_error = Fault("Rejected", f"{event.actor} rejected `{g.path}`: {note}".rstrip(": "))
        fold_failure(state, g.frame, g.path, Event("decided", error=event_error, n=event.n))
    else:
        g.phase = "lapsed"
        if gate.otherwise == "continue":
            g.settled = True
            settle_value(state, g.frame, g.number, _value(g, approved=False))
        elif gate.otherwise == "rollback":
            error = Fault("Lapsed", f"nobody decided `{g.path}` in time")
            fold_failure(state, g.frame, g.path, Event("decided", error=error, n=event.n))


def cancel_requested(state: State, event: Event) -> None:
    """Folds a cancellation: it takes effect unless the run is already going back or over."""
    if event.status != "accepted" or state.closed or state.finished:
        return
    state.root.cause = "cancelled"
    state.root.cause_n = event.n
    mark_all(state)


def frozen(state: State, event: Event) -> None:
    """Folds a freeze: an incident that stops everything and undoes nothing."""
    state.frozen = True
    _open(state, event, "frozen", f"{event.actor or 'someone'} froze the run")


def escalated(state: State, event: Event) -> None:
    """Folds an escalation: people are asked."""
    _open(state, event, event.status, str(event.data.get("summary", "")))
    if event.path in state.contradictions:
        state.contradictions.remove(event.path)
    if event.status in _OF_UNDOS:
        stuck(state, event.path)
    s = state.steps.get(event.path)
    if s is None:
        return
    if event.status in _OF_UNDOS:
        s.undo_phase = "failed"
    if event.status == "corrective_failed":
        ordinal = int(event.data["ordinal"])
        s.corrective_status = {**s.corrective_status, ordinal: "failed"}
        corrected(state, s, ordinal)


def resolved(state: State, event: Event) -> None:
    """Folds a person's answer to an incident; it is used once."""
    incident = state.incidents[event.data["incident"]]
    incident.open = False
    state.frozen = False
    mark_all(state)
    answer = event.status
    frame = _frame(state, incident)
    if answer == "back":
        _back(state, frame, incident, event)
    elif answer == "forward":
        _forward(state, frame, incident)
    elif incident.cause in _OF_UNDOS and frame.undo_of:
        resolve_inside(state, frame, incident.path, answer, event)
    elif incident.cause in _OF_UNDOS:
        _resolve_undo(state, state.steps[incident.path], answer, event)
    elif incident.cause == "corrective_failed":
        _resolve_corrective(state, state.steps[incident.path], answer, incident)
    elif incident.path in state.gates:
        _resolve_gate(state, state.gates[incident.path], answer, event)
    elif incident.path in state.pauses:
        _resolve_wait(state, state.pauses[incident.path], answer, event)
    elif incident.path in state.steps and incident.cause != "late":
        _resolve_step(state, state.steps[incident.path], incident, answer, event)
    unfinished(state)
    mark_all(state)
    state.turning.extend(state.boundaries.values())
    state.turning.append(state.root)


def _frame(state: State, incident: Incident) -> Frame:
    """Gives the frame that an incident is about."""
    return frame_at(state, incident.path) or state.frames.get(incident.path, state.root)


def _open(state: State, event: Event, cause: str, summary: str) -> None:
    answers = ANSWERS[cause]
    if cause == "after_pivot" and state.holder(event.path) is None:
        answers = ("forward", "back")
    frame = frame_at(state, event.path)
    if frame is not None and frame.undo_of:
        # What is half taken back is nothing to go forward from.
        answers = tuple(answer for answer in answers if answer != "forward")
    recommended, reason = _RECOMMENDED[cause]
    if cause == "after_pivot" and recommended not in answers:
        recommended = "forward"
    asked = [
        s.path
        for s in state.steps.values()
        if landed(s) and s.site.step.verify is not None and s.phase != "called"
    ]
    incident = Incident(
        id=f"incident-{event.n}",
        n=event.n,
        cause=cause,
        path=event.path,
        summary=summary,
        answers=answers,
        recommended=recommended,
        reasons=(reason, *event.data.get("reasons", ())),
        blocking=cause != "corrective_failed",
        to_inspect=asked,
    )
    state.incidents[incident.id] = incident
    mark_all(state)


def _back(state: State, frame: Frame, incident: Incident, event: Event) -> None:
    around = outermost_closed(frame)
    around.accept_pivots = True
    if around.closed and around.stage != "over":
        if around is state.root and state.until_checkpoint:
            state.until_checkpoint = ""
            state.target = 0
            around.stage = "closing"
        return
    around.failing = around.failing or incident.path
    around.failing_n = around.failing_n or incident.n
    around.cause = around.cause or "back"
    around.cause_n = event.n
    if around.parent is not None:
        state.boundaries[around.path] = around


def _forward(state: State, frame: Frame, incident: Incident) -> None:
    if incident.cause == "between_runs":
        accept(state.steps[incident.path])
        return
    if incident.cause == "drift":
        s = state.steps[incident.path]
        s.drifted, s.expected = False, True
        return
    around = outermost_closed(frame)
    closed = around.closed and around.stage != "over"
    if incident.cause == "frozen" and not closed:
        return
    around.accept_pivots = False
    if incident.cause == "after_pivot" and state.holder(incident.path) is None and not closed:
        around.cause = around.failing = ""
        _waive(state, incident.path)
        return
    reopen(state, around)


def _waive(state: State, path: str) -> None:
    """Goes on without what a statement asks; a loop or a scope that has failed runs anew."""
    if path not in state.turns:
        return
    frame, number = state.turns[path]
    compound = state.index.entries[number].blocks
    if compound:
        rerun(state, frame, number)
        return
    state.choices[path] = "waived"
    settle_value(state, frame, number, None)


def _resolve_undo(state: State, s: StepState, answer: str, event: Event) -> None:
    if answer == "done" and event.data.get("checked"):
        undone_by_hand(s, event)
    elif answer == "done":
        undone(state, s, "person")
    elif answer == "skip":
        leave(state, s)
    else:
        try_undo_again(s, called=s.undo is not None and s.undo.number > 0)


def _resolve_corrective(state: State, s: StepState, answer: str, incident: Incident) -> None:
    ordinal = next(o for o, status in s.corrective_status.items() if status == "failed")
    if answer != "retry":
        s.corrective_status[ordinal] = "taken" if answer == "done" else "left"
        return
    del s.corrective_status[ordinal]
    calling = corrective_of(s, ordinal)
    calling.attempts = calling.lost = 0
    state.going_back.setdefault(s.path, ordinal)


def _resolve_gate(state: State, g: GateState, answer: str, event: Event) -> None:
    forgive(state, g.frame, g.path)
    if answer == "done":
        g.approvals.append(event.actor)
        _pass(state, g)
    else:
        state.gates[g.path] = GateState(
            g.path, g.number, g.frame, timers_set=g.timers_set, opened_n=event.n
        )
    mark(state, g.path)


def _resolve_wait(state: State, w: WaitState, answer: str, event: Event) -> None:
    forgive(state, w.frame, w.path)
    if answer == "done":
        give(state, w, event.result)
    else:
        wait_anew(state, w, event.n)


def _resolve_step(
    state: State, s: StepState, incident: Incident, answer: str, event: Event
) -> None:
    if answer == "done":
        s.error = None
        s.drifted = False
        forgive(state, s.frame, s.path)
        result = event.result if event.result is not None else s.result
        land(state, s, Event("resolved", result=result, n=s.confirmed_n or event.n), "person")
    elif answer == "skip":
        s.do.loose = 0
        end_call(state, s)
        reason = str(event.data.get("reason", "")) or f"{event.actor} says that it did not happen"
        error = s.do.error if incident.cause == "failed" else Fault("Skipped", reason)
        if incident.cause == "failed":
            s.phase, s.settled = "failed", True
            settle_value(state, s.frame, s.site.number, None)
        else:
            fail(state, s, Event("resolved", error=error, n=event.n))
    elif incident.cause == "between_runs":
        look_again(s)
    elif incident.cause == "drift":
        s.drifted = False
        s.reads.pop("expecting", None)
    elif incident.cause in ("failed", "after_pivot"):
        forgive(state, s.frame, s.path)
        state.steps[s.path] = renewed(s)
    else:
        s.phase = "between"
        s.do.loose = s.do.attempts = s.do.lost = 0
        s.do.verdict = ""
        s.do.exhausted = False
        s.timers.clear()
        end_call(state, s)
    mark(state, s.path)


def _pass(state: State, g: GateState) -> None:
    g.phase = "approved"
    g.settled = True
    settle_value(state, g.frame, g.number, _value(g, approved=True))


def _value(g: GateState, *, approved: bool) -> dict[str, object]:
    return {"approved": approved, "by": list(g.approvals), "note": "; ".join(g.notes)}
