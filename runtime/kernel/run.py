"""The run as a whole: beginning, failing, closing, finishing, and statements that are no calls."""

from __future__ import annotations

from typing import Any

from ..events import Event, Fault
from ..expressions import Failed
from ..plan import Checkpoint, Each, First, Gate, If, Let, Next, Repeat, Requires, Return
from ..shapes import Mismatch
from ..values import Unstorable, digest, encode
from .boundaries import give_up, landed_meanwhile
from .budget import timer_for
from .checkpoints import written
from .clauses import call_names, fault, spread, value_of, with_defaults
from .commands import Append, Call, Command, SetTimer
from .frames import Frame
from .loops import choice_of_items, choice_of_next
from .state import GateState, State
from .views import blocked, standing


def wants_of_run(state: State) -> list[Command]:
    """Gives what the run itself wants: its deadline, its rollback, its end, or looks for people."""
    if state.contradictions:
        return [_contradicted(state, state.contradictions[0])]
    if state.finished and not blocked(state):
        return []
    if blocked(state):
        return _inspections(state)
    wishes: list[Command] = []
    if state.closed:
        return _unwind(state)
    deadline = state.index.plan.deadline
    if deadline is not None and state.deadline is None:
        event = Event(kind="timer_set", data={"timer": "deadline"})
        wishes.append(SetTimer("|timer|deadline|1", event, deadline, deadline, False))
    if state.root.stopped():
        return [*wishes, give_up(state, state.root)]
    if state.root.ended:
        return [*wishes, _finish(state)]
    return wishes


def wants_of_statement(state: State, frame: Frame, number: int) -> list[Command]:
    """Gives what a statement that is no call wants now that its turn has come."""
    entry = state.index.entries[number]
    statement, path = entry.statement, frame.prefix + entry.local
    if frame.stopped() or path in state.loops:
        return []
    try:
        match statement:
            case Let(value=formula) | Return(value=formula):
                value = value_of(state, frame, formula)
                return [_choose(frame, number, path, "value", result=encode(value))]
            case Requires(test=test, otherwise=otherwise):
                if value_of(state, frame, test) is True:
                    return [_choose(frame, number, path, "met")]
                text = f"not so: {test.source}"
                if otherwise:
                    text = str(value_of(state, frame, otherwise))
                return [_choose(frame, number, path, "failed", error=Fault("Requires", text))]
            case If(condition=condition):
                taken = value_of(state, frame, condition) is True
                return [_choose(frame, number, path, "then" if taken else "else")]
            case Each() | First() | Repeat():
                event = choice_of_items(state, frame, number)
                return [Append(_choice(frame, number, path), event)]
            case Next():
                event = choice_of_next(state, frame, statement, path)
                return [Append(_choice(frame, number, path), event)]
            case Checkpoint(name=name):
                return [written(state, path, name)]
            case _:
                return []
    except (Failed, Mismatch, Unstorable) as reason:
        return [_choose(frame, number, path, "failed", error=fault(reason))]


def wants_of_gate(state: State, g: GateState) -> list[Command]:
    """Gives what a gate wants: to be passed over, opened, timed, or told that it has lapsed."""
    gate = state.index.entries[g.number].statement
    assert isinstance(gate, Gate)
    if g.settled or g.frame.stopped():
        return []
    if g.phase == "open":
        timer = g.timers.get("gate")
        if gate.within is not None and timer is None:
            return [timer_for(g, "gate", gate.within, gate.within, safety=False)]
        if timer is not None and timer.over:
            event = Event(kind="decided", path=g.path, status="lapsed", cause=g.opened_n)
            return [Append(f"{g.path}|lapsed|{g.opened_n}", event)]
        return []
    if g.phase == "lapsed" and gate.otherwise == "escalate":
        said = f"nobody decided `{g.path}` in time"
        event = Event(kind="escalated", path=g.path, status="lapsed", data={"summary": said})
        return [Append(f"{g.path}|escalated|{state.n}", event)]
    if g.phase != "ready":
        return []
    try:
        if gate.when is not None and value_of(state, g.frame, gate.when) is not True:
            return [_choose(g.frame, g.number, g.path, "skipped")]
        shows = {a.name: encode(value_of(state, g.frame, a.value)) for a in gate.shows}
    except (Failed, Unstorable) as reason:
        return [_choose(g.frame, g.number, g.path, "failed", error=fault(reason))]
    bound = digest([state.run_id, state.definition, g.path, g.opened_n, shows])
    event = Event(
        kind="gate_opened",
        path=g.path,
        data={"shows": shows, "digest": bound, "needs": gate.needs, "group": gate.group},
    )
    return [Append(f"{g.path}|opened|{state.n}", event)]


def _choose(frame: Frame, number: int, path: str, status: str, **parts: Any) -> Append:
    event = Event(kind="chosen", path=path, status=status, **parts)
    return Append(_choice(frame, number, path), event)


def _choice(frame: Frame, number: int, path: str) -> str:
    return f"{path}|chosen|{frame.around().closed_n}|{number}"


def _contradicted(state: State, path: str) -> Append:
    said = f"a late answer of `{path}` contradicts what was settled: its effect may be there"
    event = Event(kind="escalated", path=path, status="late", data={"summary": said})
    return Append(f"{path}|escalated|late|{state.n}", event)


def _unwind(state: State) -> list[Command]:
    match state.root.stage:
        case "closing":
            return landed_meanwhile(state, state.root)
        case "held":
            said = f"everything after checkpoint `{state.until_checkpoint}` is undone"
            event = Event(kind="escalated", status="held", data={"summary": said})
            return [Append(f"|escalated|held|{state.root.closed_n}", event)]
        case "over":
            if state.going_back or any(incident.open for incident in state.incidents.values()):
                return []
            return [_finish(state)]
        case _:
            return []


def _finish(state: State) -> Append:
    left = standing(state)
    if not state.closed:
        status = "succeeded"
    elif state.closed == "cancelled":
        status = "cancelled"
    else:
        status = "partly_rolled_back" if left else "rolled_back"
    data: dict[str, Any] = {"standing": left} if left else {}
    unproven = [s.path for s in state.steps.values() if s.unproven]
    if unproven:
        data["unproven"] = unproven
    event = Event(kind="run_finished", status=status, data=data, error=state.error)
    if status == "succeeded":
        event.result = encode(state.root.returned)
        event.error = None
    return Append(f"|run_finished|{state.n}", event)


def _inspections(state: State) -> list[Command]:
    wishes: list[Command] = []
    for incident in state.incidents.values():
        if incident.open:
            wishes.extend(inspection(state, path, incident.id) for path in incident.to_inspect)
    return wishes


def inspection(state: State, path: str, asking: str) -> Command:
    """Gives the call of a step's verify that only looks; `asking` names who asks: an incident."""
    s = state.steps[path]
    step = s.site.step
    assert step.verify is not None
    reader = state.index.tools[step.verify.tool]
    try:
        known = call_names(state, s, "verify" in step.replaces)
        args = with_defaults(state, reader, spread(state, step.verify.args, known))
    except (Failed, Mismatch) as reason:
        event = Event(
            kind="verified",
            path=path,
            status="unknown",
            error=fault(reason),
            data={"incident": asking},
        )
        return Append(f"{path}|inspect|{asking}", event)
    return Call(
        id=f"{path}|inspect|{asking}",
        path=path,
        purpose="inspect",
        direction="verify",
        generation=s.generation,
        attempt=0,
        tool=reader.name,
        args=args,
        key="",
        timeout=reader.timeout,
        name=asking,
    )
