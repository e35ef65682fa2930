"""Folds of calls: intents, outcomes, verdicts, and attempts that were lost or answered late."""

from __future__ import annotations

from ..events import Event, Fault
from ..values import decode
from . import folded_agents as agents, neighbours
from .clauses import repeatable
from .commands import Call
from .empty import NOTHING
from .folded_reads import read
from .landing import break_promise, correct, fail, land, undone
from .marks import begin_call, end_call, mark, settle_value
from .overlap import touch
from .score import weigh, worth
from .state import Calling, State, StepState, corrective_of
from .undoing import called
from .witnesses import hear


def intent(state: State, event: Event) -> None:
    """Folds a durable intent: the attempt is open."""
    s = state.steps[event.path]
    forward = event.direction == "do"
    calling = s.do if forward else _calling(s, event)
    if calling.number or calling.inquiries:
        _anew(calling)
    calling.number = event.attempt
    calling.attempts += 1
    calling.open = True
    calling.key = event.key
    if not forward:
        _back(state, s, event)
        return
    if s.wire_args is None:
        _first(state, s, event)
    if s.site.agent is not None:
        agents.begun(state, s)
    s.phase = "called"
    if s.witnesses:
        s.witnesses = NOTHING
    if state.index.meeting:
        touch(state, s)
    begin_call(state, s)
    if s.timers:
        _forget(s, "backoff", "window", "verify:do")
    weigh(state, s)


def _back(state: State, s: StepState, event: Event) -> None:
    """Folds that an undo or a corrective is being called."""
    if event.direction == "corrective":
        _forget(s, f"corrective:{event.data['ordinal']}")
        return
    s.undo_ordinal = int(event.data.get("ordinal", 0))
    s.undo_phase = "calling"
    if s.frame.undo_of and not s.descriptors:
        called(s, event)
    if state.index.meeting:
        touch(state, s)
    if s.timers:
        _forget(s, "undo", "verify:undo", "settle")


def _anew(calling: Calling) -> None:
    """Forgets what was asked and heard since the last attempt, now that there is another one."""
    calling.retry_after = 0
    if calling.loose:
        calling.repeats += 1
    calling.inquiries = 0
    calling.failures = 0
    calling.verdict = ""
    calling.conclusive = False


def _first(state: State, s: StepState, event: Event) -> None:
    action, calling = event.action, s.do
    assert action is not None
    wire = s.wire_args = action.args
    s.digest = action.digest
    resources = s.resources = event.data.get("resources", [])
    call = _wanted(state, event)
    if call is not None:
        s.args, s.worth = call.args, s.site.worth
    else:
        s.args = {name: decode(wire[name]) for name in wire}
        s.worth = worth(resources)
    if event.undo:
        s.descriptors = event.undo
    s.intent_n = event.n
    s.wall_time = calling.first_wall = event.wall_time
    if event.actor:
        s.actor = event.actor
    calling.first_elapsed = event.elapsed


def _wanted(state: State, event: Event) -> Call | None:
    """Gives the call that an intent is of, when it does not come from a log."""
    for command_id in state.wants.get(event.path, ()):
        command = state.agenda.get(command_id)
        if isinstance(command, Call) and command.intent is event:
            return command
    return None


def outcome(state: State, event: Event) -> None:
    """Folds what came of a call."""
    s, direction = state.steps[event.path], event.direction
    if direction == "read":
        read(state, s, event)
        return
    calling = s.do if direction == "do" else _calling(s, event)
    calling.open = False
    calling.ended = event.elapsed
    calling.error = event.error
    calling.cause = event.n
    if event.data or calling.retry_after:
        calling.retry_after = int(event.data.get("retry_after", 0))
    if direction == "undo":
        _undo_outcome(s, calling, event)
        return
    if direction == "corrective":
        _corrective_outcome(state, s, event)
        return
    if s.site.agent is not None:
        agents.outcome(state, s, event)
        return
    if event.undo is not None:
        s.descriptors = event.undo
    if s.site.is_read:
        _poll_outcome(state, s, event)
        return
    match event.status:
        case "succeeded":
            if s.site.confirms:
                s.phase = "confirming"
                s.result = event.result
                s.unavailable = str(event.data.get("unavailable", ""))
            else:
                land(state, s, event, "answer")
                return
        case "broken":
            break_promise(state, s, event, "answer")
        case "refused":
            if calling.loose and not _keyed(state, s):
                s.phase = "unknown"
            else:
                calling.loose = 0
                fail(state, s, event)
        case "transient":
            s.phase = "unknown" if calling.loose else "between"
            if s.phase == "between":
                end_call(state, s)
                if s.frame.halted():
                    s.phase = "failed"
                    s.error = event.error
        case "conflict":
            s.phase = "unknown"
            calling.verdict = "key conflict"
        case _:
            calling.loose += 1
            s.phase = "unknown"
    weigh(state, s)


def verified(state: State, event: Event) -> None:
    """Folds the verdict of a verify."""
    s = state.steps[event.path]
    if "evidence" in event.data:
        hear(state, s, event)
        return
    incident = event.data.get("incident")
    if incident is not None:
        state.issued.pop(f"{event.path}|inspect|{incident}", None)
        found = state.incidents[incident]
        found.inspected[event.path] = event.status
        if event.path in found.to_inspect:
            found.to_inspect.remove(event.path)
        return
    calling = _calling(s, event)
    number = f"{calling.number}.{calling.inquiries + 1}"
    state.issued.pop(f"{s.path}|verify:{event.direction}|{event.generation}|{number}", None)
    calling.inquiries += 1
    calling.verdict = event.status
    calling.conclusive = bool(event.data.get("conclusive", False))
    if event.status == "unknown":
        calling.failures += 1
    _forget(s, f"verify:{event.direction}")
    if s.frame.undo_of and (event.result is not None or "unavailable" in event.data):
        s.result, s.unavailable = event.result, str(event.data.get("unavailable", ""))
    if event.direction == "undo" or s.phase not in ("unknown", "confirming"):
        return
    if event.status == "applied":
        if event.undo is not None:
            s.descriptors = event.undo
        if s.phase == "unknown":
            # It is the trace of one of the attempts that ended unknown; the others may still land.
            calling.loose = max(0, calling.loose - 1)
        if s.phase == "confirming":
            land(state, s, Event("outcome", result=s.result, n=event.n), "verify")
        else:
            by = "evidence" if "weighed" in event.data else "verify"
            if event.error is not None:
                break_promise(state, s, event, by)
            else:
                land(state, s, event, by)
    elif event.status == "absent" and calling.conclusive and s.phase == "unknown":
        calling.loose = 0
        s.unproven = True
        s.absent_by_time = s.site.tool.idempotent is None
        if s.frame.halted():
            s.phase, s.error = "failed", calling.error
            end_call(state, s)
        else:
            s.phase = "between"
            end_call(state, s)
    weigh(state, s)


def chosen(state: State, s: StepState, event: Event) -> None:
    """Folds a choice about a step: skipped, failed, undone, or what became of a corrective."""
    match event.status:
        case "skipped":
            s.phase = "skipped"
            s.settled = True
            settle_value(state, s.frame, s.site.number, None)
        case "failed":
            s.may_have_landed = bool(event.data.get("may_have_landed", False))
            fail(state, s, event)
        case "accepted":
            land(state, s, Event("outcome", result=s.result, n=event.n), "answer")
        case "undone":
            undone(state, s, str(event.data.get("by", "")))
        case "announced":
            neighbours.announced(s, event)
        case "surveyed":
            neighbours.seen(state, s, event)
        case "corrective_due":
            correct(state, s, int(event.data["ordinal"]), "due")
        case _:
            raise AssertionError(event.status)


def attempt_lost(state: State, event: Event) -> None:
    """Folds that an attempt died with its owner: it may have landed, and does not count."""
    s = state.steps[event.path]
    if s.site.agent is not None:
        agents.lost(state, s, event)
        return
    calling = _calling(s, event)
    calling.open = False
    calling.ended = event.elapsed
    if event.data.get("owner_is_dead"):
        # No freed lock proves that the call has ended, only a person's word: it may go on, and
        # land, as long as calls of its kind may.
        calling.ended += _timeout(state, s, event)
    calling.attempts -= 1
    calling.lost += 1
    calling.loose += 1
    calling.error = Fault("OwnerDied", "the process that made this call died before its record")
    if event.direction == "undo":
        s.undo_phase = "unknown"
    elif event.direction == "do":
        s.phase = "unknown"
        weigh(state, s)


def _timeout(state: State, s: StepState, event: Event) -> int:
    step = s.site.step
    if event.direction == "do":
        return step.timeout
    if event.direction == "undo":
        undo = step.undos[s.undo_ordinal]
        return undo.timeout or state.index.tools[undo.tool].timeout
    return max(tool.timeout for tool in state.index.plan.tools)


def late(state: State, event: Event) -> None:
    """Folds an answer that came after its attempt was settled: it may contradict the record."""
    s = state.steps[event.path]
    if event.direction != "do" or event.data.get("answer") != "returned":
        return
    if event.generation != s.generation or s.site.agent is not None:
        return
    tool = s.site.tool
    if event.attempt < s.do.number and tool.idempotent is None:
        # Time had settled that attempt as absent, and the call was made again: it may be there
        # twice, and a verify cannot tell.
        state.contradictions.append(s.path)
        mark(state, "")
    elif s.phase == "unknown":
        s.do.inquiries = 0
        s.do.failures = 0
        _forget(s, "verify:do")
    elif s.phase in ("failed", "between", "undone") and (s.phase != "undone" or s.unproven):
        state.contradictions.append(s.path)
        mark(state, "")


def timer_over(s: StepState, name: str) -> None:
    """Lets a verify be asked again when its wait is over."""
    if name == "verify:do" and s.do.verdict == "absent":
        s.do.verdict = ""
    elif name == "verify:undo" and s.undo is not None:
        s.undo.verdict = ""


def _poll_outcome(state: State, s: StepState, event: Event) -> None:
    s.do.number = event.attempt
    s.do.attempts += 1
    state.issued.pop(f"{s.path}|do|{s.generation}|{event.attempt}", None)
    _forget(s, "backoff", "poll")
    match event.status:
        case "succeeded":
            s.do.verdict = ""
            land(state, s, event, "answer")
        case "not_yet":
            s.phase = "ready"
            s.do.verdict = "not yet"
            s.do.attempts = 0
        case "refused" | "conflict":
            fail(state, s, event)
        case _:
            s.phase = "between"


def _undo_outcome(s: StepState, calling: Calling, event: Event) -> None:
    match event.status:
        case "succeeded" | "done":
            s.undo_phase = "answered"
            if s.frame.undo_of:
                s.result = event.result
                s.unavailable = str(event.data.get("unavailable", ""))
        case "transient":
            s.undo_phase = "between"
        case "refused" | "conflict" | "broken":
            s.undo_phase = "failed"
        case _:
            calling.loose += 1
            s.undo_phase = "unknown"


def _corrective_outcome(state: State, s: StepState, event: Event) -> None:
    ordinal = int(event.data["ordinal"])
    if event.status == "succeeded":
        correct(state, s, ordinal, "taken")
    elif event.status in ("refused", "conflict"):
        s.corrective_status = {**s.corrective_status, ordinal: "failed"}


def _calling(s: StepState, event: Event) -> Calling:
    if event.direction == "do":
        return s.do
    if event.direction == "undo":
        if s.undo is None:
            s.undo = Calling()
        return s.undo
    if event.direction == "corrective":
        ordinal = int(event.data.get("ordinal", event.data.get("name", 0)))
        return corrective_of(s, ordinal)
    return s.do


def _forget(s: StepState, *names: str) -> None:
    for name in names:
        s.timers.pop(name, None)


def _keyed(state: State, s: StepState) -> bool:
    tool = s.site.tool
    by_key = tool.idempotent is not None and tool.idempotent.by == "key"
    return by_key and repeatable(state, s, tool)
