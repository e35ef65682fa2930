"""Sagas called as steps: begun with their arguments, completed with their result, or failed."""

from __future__ import annotations

from typing import Any

from ..events import Event
from ..expressions import Failed
from ..plan import SagaCall
from ..shapes import Mismatch, conform
from ..values import Record, Unstorable, decode, encode
from .boundaries import wants_of_boundary
from .budget import timer_for
from .clauses import arguments, describe, fault, fill, stored, value_of
from .commands import Append, Command
from .flow import begin_frame
from .keys import forward_key
from .landing import fail, land
from .marks import mark
from .score import weigh, worth
from .state import State, StepState
from .unknown import ask


def wants_of_call(state: State, s: StepState) -> list[Command]:
    """Gives what a call of a saga wants: its beginning, its deadline, its end."""
    node = state.index.entries[s.site.number].statement
    assert isinstance(node, SagaCall)
    if s.phase == "ready":
        return [] if s.frame.stopped() else [_begin(state, s, node)]
    if s.phase == "failed" and not s.settled and node.on_failure == "escalate":
        if s.frame.stopped():
            return []
        return [ask(state, s, "failed", f"`{s.path}` failed and its `else` says escalate")]
    if s.phase != "running":
        return []
    frame = state.frames[s.path]
    if frame.ended:
        return [] if frame.stopped() else [_complete(state, s, node)]
    wishes: list[Command] = []
    if node.deadline is not None and not frame.closed and "deadline" not in s.timers:
        wishes.append(timer_for(s, "deadline", node.deadline, node.deadline, safety=False))
    return [*wishes, *wants_of_boundary(state, frame)]


def _begin(state: State, s: StepState, node: SagaCall) -> Append:
    event = Event("chosen", path=s.path, generation=s.generation)
    try:
        if node.when is not None and not value_of(state, s.frame, node.when):
            event.status = "skipped"
            return Append(f"{s.path}|chosen|{s.generation}|0", event)
        args = arguments(state, s)
        event.data = {"args": stored(args)}
        if node.undos:
            event.key = forward_key(state.run_id, s.path, s.generation)
            names = s.frame.known({"args": Record("args", args), "key": event.key})
            event.undo = describe(state, node.undos, names, {})
        event.status = "called"
    except (Failed, Mismatch) as reason:
        event.status, event.error, event.data = "failed", fault(reason), {}
    return Append(f"{s.path}|chosen|{s.generation}|0", event)


def _complete(state: State, s: StepState, node: SagaCall) -> Append:
    event = Event("chosen", path=s.path, status="completed", generation=s.generation)
    returned = state.frames[s.path].returned
    try:
        value = conform(returned, node.result, state.index.schema)
        event.result = encode(value)
        if s.descriptors:
            event.undo = fill(state, s.descriptors, value)
    except (Mismatch, Unstorable) as reason:
        event.data = {"unavailable": str(reason)}
    return Append(f"{s.path}|chosen|{s.generation}|1", event)


def chosen(state: State, s: StepState, event: Event) -> None:
    """Folds a choice about a call of a saga."""
    match event.status:
        case "called":
            _called(state, s, event)
        case "completed":
            if event.undo is not None:
                s.descriptors = event.undo
            _cover(state, s)
            state.frames[s.path].progress = None
            land(state, s, event, "answer")
        case _:
            if s.phase == "running":
                state.frames[s.path].progress = None
                state.boundaries.pop(s.path, None)
            fail(state, s, event)


def _called(state: State, s: StepState, event: Event) -> None:
    s.phase = "running"
    s.wire_args = event.data["args"]
    s.args = {name: decode(wire) for name, wire in event.data["args"].items()}
    s.do.key = event.key
    s.do.number = s.do.attempts = 1
    s.do.first_wall, s.do.first_elapsed = event.wall_time, event.elapsed
    s.intent_n = event.n
    s.wall_time = event.wall_time
    s.descriptors = event.undo or []
    block = state.index.entries[s.site.number].blocks[0]
    begin_frame(state, s.path, block, s.frame, dict(s.args))
    mark(state, s.path)


def _cover(state: State, s: StepState) -> None:
    """Lets a completed call with undos of its own stand for all the effects in it."""
    if not s.descriptors:
        return
    found: list[dict[str, Any]] = []
    for inner in state.frames[s.path].subtree():
        for path in inner.members:
            step = state.steps.get(path)
            if step is not None and step.weight[1] and not step.covered:
                found.extend(step.resources)
                step.covered = True
                weigh(state, step)
    s.resources = found
    s.worth = worth(found)
