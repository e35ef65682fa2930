"""Going forward: what a step wants from the moment its turn has come until it has settled."""

from __future__ import annotations

from typing import Any

from ..events import Action, Descriptor, Event, Fault
from ..expressions import Failed
from ..plan import Condition, Remember, Step, Tool
from ..shapes import Mismatch
from ..values import Record
from .asked import approval
from .budget import attempts_left, pause, timer_for
from .checkpoints import before_call
from .clauses import (
    argument_digest,
    arguments,
    baseline_args,
    describe,
    fault,
    own_answer,
    resources,
    spread,
    stored,
    value_of,
    with_defaults,
)
from .commands import Append, Call, Command, Purpose
from .guards import wants_of_guard
from .keys import forward_key
from .neighbours import wants_of_neighbours
from .overlap import held
from .state import Calling, State, StepState
from .unknown import ask, wants_of_unknown


def wants_of_step(state: State, s: StepState) -> list[Command]:
    """Gives what a step wants while its scope is open, or while it settles in a closed one."""
    if s.phase == "ready":
        return _begin(state, s)
    step, tool = s.site.step, s.site.tool
    match s.phase:
        case "called" | "undone":
            return []
        case "landed" if s.settled or s.frame.halted():
            return []
        case "landed" if s.drifted:
            said = f"`{s.path}` happened, and its result breaks what was ensured"
            return [ask(state, s, "ensures", said)]
        case "landed" if not s.error:
            return _baselines(state, s)
        case "between" if not s.frame.stopped():
            return again(state, s, step, tool, at_once=False)
        case "unknown" | "confirming":
            return wants_of_unknown(state, s, step, tool, again)
        case "failed" if not s.settled and step.on_failure == "escalate" and not s.frame.halted():
            return [ask(state, s, "failed", f"`{s.path}` failed and its `else` says escalate")]
        case _:
            return []


def again(state: State, s: StepState, step: Step, tool: Tool, *, at_once: bool) -> list[Command]:
    """Gives the next attempt of an action, after its back-off, or its failure when none is left."""
    if s.frame.late() and s.do.loose == 0:
        return [fail(s, Fault("DeadlineLapsed", "the saga's deadline is over"))]
    if not attempts_left(step.retry, s.do):
        return [fail(s, s.do.error or Fault("AttemptsUsedUp", "every attempt was used"))]
    if not at_once:
        waiting = pause(s, "backoff", step.retry, s.do.attempts, s.do.retry_after)
        if waiting is not None:
            return waiting
    try:
        args = s.args if s.args is not None else arguments(state, s)
        return [_do(s, args, "", None)] if s.site.is_read else _call(state, s, args)
    except (Failed, Mismatch) as reason:
        return [fail(s, fault(reason))]


def fail(s: StepState, error: Fault, **data: Any) -> Append:
    """Gives the record that a step has failed: every attempt was refused or proved absent."""
    event = Event(
        kind="chosen", path=s.path, status="failed", error=error, generation=s.generation, data=data
    )
    return Append(f"{s.path}|chosen|{s.generation}|{s.do.number}", event)


def _begin(state: State, s: StepState) -> list[Command]:
    hindered = s.frame.hindered()
    if hindered == "stopped":
        return []
    if hindered == "late":
        return [fail(s, Fault("DeadlineLapsed", "the saga's deadline is over"))]
    site = s.site
    try:
        if site.conditional and s.do.number == 0 and _left_out(state, s, site.step):
            event = Event(kind="chosen", path=s.path, status="skipped", generation=s.generation)
            return [Append(f"{s.path}|chosen|{s.generation}|0", event)]
        args = s.args
        if args is None:
            args = arguments(state, s)
        if site.conditional or s.drifted:
            first = _conditions(state, s, site.step, site.tool, args)
            if first is not None:
                return first
        return _poll(state, s, site.step, args) if site.is_read else _call(state, s, args)
    except (Failed, Mismatch) as reason:
        return [fail(s, fault(reason))]


def _left_out(state: State, s: StepState, step: Step) -> bool:
    return step.when is not None and not value_of(state, s.frame, step.when)


def _conditions(
    state: State, s: StepState, step: Step, tool: Tool, args: dict[str, Any]
) -> list[Command] | None:
    """Gives what comes of the conditions of a step and what it reads first, None when it may go."""
    known = args
    if tool.requires or tool.remember:
        known = {**args, "key": forward_key(state.run_id, s.path, s.generation)}
    for condition in tool.requires:
        if not value_of(state, s.frame, condition.test, known):
            return [fail(s, _broken(state, s, condition, known))]
    for remember in tool.remember:
        if remember.name not in s.remembered:
            reader = state.index.tools[remember.tool]
            given = spread(state, remember.args, known)
            return _read(state, s, reader, given, "remember", remember.name)
        if remember.required and s.remembered[remember.name] is None:
            return [fail(s, _nothing(state, s, remember, known))]
    if s.drifted:
        return [ask(state, s, "drift", f"what `{s.path}` expects unchanged has changed")]
    if step.expecting is not None and not s.expected:
        reader = state.index.tools[step.expecting.tool]
        given = {a.name: value_of(state, s.frame, a.value) for a in step.expecting.args}
        return _read(state, s, reader, given, "expect", "expecting")
    return None


def _broken(state: State, s: StepState, condition: Condition, known: dict[str, Any]) -> Fault:
    text = f"not so: {condition.test.source}"
    if condition.otherwise is not None:
        text = str(value_of(state, s.frame, condition.otherwise, known))
    return Fault("Requires", text)


def _nothing(state: State, s: StepState, remember: Remember, known: dict[str, Any]) -> Fault:
    text = f"`{remember.tool}` found nothing"
    if remember.otherwise is not None:
        text = str(value_of(state, s.frame, remember.otherwise, known))
    return Fault("Remember", text)


def _poll(state: State, s: StepState, step: Step, args: dict[str, Any]) -> list[Command]:
    if step.until is not None and s.do.verdict == "not yet":
        limit = s.timers.get("until")
        if limit is not None and limit.over:
            return [fail(s, Fault("NotInTime", f"not so in time: {step.until.test.source}"))]
        wishes: list[Command] = []
        if limit is None:
            wishes.append(timer_for(s, "until", step.until.within, step.until.within, safety=False))
        timer = s.timers.get("poll")
        if timer is None:
            wishes.append(timer_for(s, "poll", step.until.every, step.until.every, safety=False))
        if timer is None or not timer.over:
            return wishes
    return [_do(s, args, "", None)]


def _call(state: State, s: StepState, args: dict[str, Any]) -> list[Command]:
    """Gives the call of an action, or what comes before it; raises `Failed`."""
    site, first = s.site, s.wire_args is None
    key = s.do.key or forward_key(state.run_id, s.path, s.generation)
    if first:
        intent = _first(state, s, args, key)
    else:
        step, target = site.step, site.tool.call.target
        intent = _intent(s, key, Action(step.tool, target, {}, s.digest), None, {})
    if s.phase != "unknown":
        if state.index.watchful or site.needs or site.between_runs != "allow":
            waiting = _held_up(state, s, site.step, intent)
            if waiting is not None:
                return waiting
        kept = before_call(state, s, intent) if first else None
        if kept is not None:
            return [kept]
    return [_do(s, args, key, intent)]


def _first(state: State, s: StepState, args: dict[str, Any], key: str) -> Event:
    """Makes the first intent of a generation, which says all that is known of the call."""
    step, tool = s.site.step, s.site.tool
    wire = stored(args)
    known, wires = {**args, **s.remembered, "key": key}, {**wire, "key": key}
    data: dict[str, Any] = {"resources": resources(state, tool, known)}
    if s.remembered:
        data["remembered"] = stored(s.remembered)
        wires = {**wire, **data["remembered"], "key": key}
    if "undo" in step.replaces:
        names = s.frame.known({"args": Record("args", args), "key": key})
        undo = describe(state, step.undos, names, {})
    else:
        undo = describe(state, step.undos, known, wires)
    action = Action(step.tool, tool.call.target, wire, argument_digest(wire))
    return _intent(s, key, action, undo, data)


def _intent(
    s: StepState, key: str, action: Action, undo: list[Descriptor] | None, data: dict[str, Any]
) -> Event:
    calling = s.do
    return Event(
        kind="intent",
        path=s.path,
        direction="do",
        generation=s.generation,
        attempt=calling.number + 1,
        key=key,
        action=action,
        undo=undo,
        cause=calling.cause,
        data=data,
    )


def _held_up(state: State, s: StepState, step: Step, intent: Event) -> list[Command] | None:
    """Gives what comes before a call, [] while it has to wait, None when it may go."""
    site = s.site
    touching = s.resources if s.wire_args is not None else intent.data["resources"]
    touched = [str(row["resource"]) for row in touching]
    if held(state, s, site.tool, touched):
        return []
    assert intent.action is not None
    wire = s.wire_args or intent.action.args
    if site.needs:
        shows = {"call": step.tool, "arguments": wire}
        asking = approval(state, s, f"{s.path}.gate", "call", site.needs, shows)
        if asking is not None:
            return asking
    if state.index.guarded:
        guarded = wants_of_guard(state, s, intent, wire)
        if guarded is not None:
            return guarded
    return wants_of_neighbours(state, s, touched)


def _do(s: StepState, args: dict[str, Any], key: str, intent: Event | None) -> Call:
    """Gives the call of an action itself; a read has neither key nor intent."""
    path, generation, step = s.path, s.generation, s.site.step
    number = s.do.number + 1
    return Call(
        id=f"{path}|do|{generation}|{number}",
        path=path,
        purpose="do",
        direction="do",
        generation=generation,
        attempt=number,
        tool=step.tool,
        args=args,
        key=key,
        timeout=step.timeout,
        intent=intent,
    )


def _read(
    state: State, s: StepState, reader: Tool, given: dict[str, Any], purpose: Purpose, name: str
) -> list[Command]:
    calling = s.reads.get(name, Calling())
    if calling.number:
        if not attempts_left(reader.retry, calling):
            return [
                fail(s, calling.error or Fault("ReadFailed", f"`{reader.name}` gave no answer"))
            ]
        waiting = pause(s, f"read:{name}", reader.retry, calling.attempts, calling.retry_after)
        if waiting is not None:
            return waiting
    number = calling.number + 1
    return [
        Call(
            id=f"{s.path}|{purpose}:{name}|{s.generation}|{number}",
            path=s.path,
            purpose=purpose,
            direction="read",
            generation=s.generation,
            attempt=number,
            tool=reader.name,
            args=with_defaults(state, reader, given),
            key="",
            timeout=reader.timeout,
            name=name,
        )
    ]


def _baselines(state: State, s: StepState) -> list[Command]:
    """Reads, directly after a step, what later steps expect unchanged since it."""
    mine = s.site.step
    for consumer in s.site.baselines:
        given = baseline_args(state, s, consumer)
        if consumer.path in s.baselines or own_answer(mine, consumer) or given is None:
            continue
        assert consumer.expecting is not None
        reader = state.index.tools[consumer.expecting.tool]
        return _read(state, s, reader, given, "expect", f"baseline:{consumer.path}")
    return []
