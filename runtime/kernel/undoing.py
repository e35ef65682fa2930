"""Sagas as undos: gone through call by call, each an undo of its own, and never rolled back.

The frame of such a saga belongs to the step that is taken back and stands in that step's frame. It
goes on while what is around it goes back; what fails for good in it stops the unwinding there. When
it has come to its end, the step is checked like after any other undo.
"""

from __future__ import annotations

from typing import Any

from ..events import Descriptor, Event
from ..expressions import STARTED_AT, Failed
from ..plan import Step
from ..shapes import Mismatch
from ..values import decode
from .clauses import arguments, stored, value_of
from .commands import Append, Command
from .flow import begin_body
from .forward import wants_of_step
from .frames import Frame
from .landing import land, leave, try_undo_again, undone
from .marks import mark, mark_within, settle_value
from .nested import wants_of_call
from .overlap import touch
from .rollback import call_undo, settle_undo, undo_failed
from .run import wants_of_statement
from .state import UNDO, Calling, State, StepState, renewed
from .unknown import ask


def begun(state: State, s: StepState, event: Event) -> None:
    """Folds that a saga begins to take a step back."""
    calling = s.undo = s.undo or Calling()
    calling.number = event.attempt
    calling.attempts += 1
    calling.key = event.key
    calling.inquiries = calling.failures = 0
    calling.verdict, calling.conclusive = "", False
    s.undo_ordinal = int(event.data["ordinal"])
    s.undo_phase = "calling"
    s.partly = False
    for name in ("undo", "verify:undo", "settle"):
        s.timers.pop(name, None)
    if state.index.meeting:
        touch(state, s)
    values = {name: decode(wire) for name, wire in event.data["args"].items()}
    s.undoing = _frame(state, s, state.index.undo_blocks[event.data["saga"]], values)
    begin_body(state, s.undoing)


def _frame(state: State, s: StepState, block: int, values: dict[str, Any]) -> Frame:
    path = f"{s.path}.{state.index.undo_word}"
    around = s.frame
    if path in state.frames:
        _forget(state, path, around)
    frame = Frame(path, "undo", block, s.site.number, around, f"{path}.", undo_of=s.path)
    frame.values = {STARTED_AT: around.names[STARTED_AT], **values}
    frame.names = frame.values
    frame.order = (*around.order, s.site.number, block, 0)
    state.frames[path] = frame
    around.children.append(frame)
    return frame


def _forget(state: State, path: str, around: Frame) -> None:
    """Forgets how far an earlier carrying out has come; the numbers of its calls stay."""
    around.children.remove(state.frames.pop(path))
    prefix = f"{path}."
    for table in (state.frames, state.loops, state.choices, state.turns):
        for key in [key for key in table if key.startswith(prefix)]:
            del table[key]


def carried_out(state: State, frame: Frame) -> None:
    """Folds that a saga has taken a step back, or as much of it as people want."""
    s = state.steps[frame.undo_of]
    frame.progress = None
    if s.partly:
        leave(state, s)
        return
    assert s.undo is not None
    s.undo_phase = "answered"
    s.undo.ended = state.elapsed
    mark(state, s.path)


def wants_inside(state: State, s: StepState) -> list[Command]:
    """Gives what a step of a saga that is an undo wants."""
    if not _goes_on(state, s.frame):
        return []
    if s.site.is_call:
        return _asking(state, s.frame, wants_of_call(state, s))
    step = s.site.step
    if step.undos:
        return _wants_of_undo(state, s, step)
    if s.phase == "failed" and not s.settled:
        said = f": {s.error.type}: {s.error.message}" if s.error else ""
        return [ask(state, s, "undo_failed", f"`{s.path}` cannot be found out{said}")]
    return wants_of_step(state, s)


def wants_of_undo_statement(state: State, frame: Frame, number: int) -> list[Command]:
    """Gives what a statement that is no call wants in a saga that is an undo."""
    if not _goes_on(state, frame):
        return []
    return _asking(state, frame, wants_of_statement(state, frame, number))


def _goes_on(state: State, frame: Frame) -> bool:
    return state.going_back.get(frame.undo_of) == UNDO


def _asking(state: State, frame: Frame, wishes: list[Command]) -> list[Command]:
    """Asks people where anything else would fail its boundary: there is none around an undo."""
    found: list[Command] = []
    for wish in wishes:
        if isinstance(wish, Append) and wish.event.status == "failed":
            error = wish.event.error
            why = f": {error.message}" if error is not None else ""
            event = Event(
                kind="escalated",
                path=wish.event.path,
                status="undo_failed",
                data={"summary": f"the undo of `{frame.undo_of}` cannot go on{why}"},
                error=error,
            )
            found.append(Append(f"{event.path}|escalated|undo_failed|{state.n}", event))
        else:
            found.append(wish)
    return found


def _wants_of_undo(state: State, s: StepState, step: Step) -> list[Command]:
    calling = s.undo or Calling()
    if calling.open or s.settled:
        return []
    if s.undo_phase == "failed":
        return [undo_failed(state, s)]
    if s.descriptors:
        return settle_undo(state, s, step, calling, s.descriptors[0])
    try:
        if step.when is not None and not value_of(state, s.frame, step.when):
            event = Event("chosen", path=s.path, status="skipped", generation=s.generation)
            return [Append(f"{s.path}|chosen|{s.generation}|0", event)]
        d = _descriptor(step.undos[0].tool, stored(arguments(state, s)))
    except (Failed, Mismatch) as reason:
        said = f"`{step.undos[0].tool}` cannot be called at `{s.path}`: {reason}"
        return [ask(state, s, "undo_failed", said)]
    return call_undo(state, s, step, calling, d, first=True)


def _descriptor(tool: str, wire: dict[str, Any]) -> Descriptor:
    args = {name: {"op": "literal", "value": value} for name, value in wire.items()}
    return Descriptor(0, tool, args, complete=True)


def called(s: StepState, event: Event) -> None:
    """Folds the first intent of a call in a saga that is an undo: its arguments, and its key."""
    assert event.action is not None
    s.descriptors = [_descriptor(event.action.tool, event.action.args)]
    s.wire_args = event.action.args
    s.args = {name: decode(wire) for name, wire in event.action.args.items()}
    s.digest = event.action.digest
    s.do.key = event.key
    s.resources = event.data.get("resources", [])
    s.intent_n, s.wall_time = event.n, event.wall_time


def stuck(state: State, path: str) -> None:
    """Folds that a saga cannot go on with taking a step back: the step's undo has failed so far."""
    frame = frame_at(state, path)
    if frame is not None and frame.undo_of:
        state.steps[frame.undo_of].undo_phase = "failed"


def frame_at(state: State, path: str) -> Frame | None:
    """Gives the frame in which a step, gate, wait or a statement whose turn it is stands."""
    holder = state.holder(path)
    if holder is not None:
        return holder.frame
    return state.turns[path][0] if path in state.turns else None


def resolve_inside(state: State, frame: Frame, path: str, answer: str, event: Event) -> None:
    """Folds a person's answer about a place in a saga that is an undo: it goes on from there."""
    outer, s = state.steps[frame.undo_of], state.steps.get(path)
    outer.undo_phase = "calling"
    outer.partly = outer.partly or answer == "skip"
    mark_within(state, frame)
    if s is None:
        if answer != "retry":
            state.choices[path] = "waived"
            settle_value(state, *state.turns[path], None)
    elif answer == "skip":
        s.phase = "skipped"
        leave(state, s)
    elif answer == "done" and not s.site.step.undos:
        s.error, s.undo_phase = None, ""
        land(state, s, Event("resolved", result=event.result, n=event.n), "person")
    elif answer == "done":
        s.result = event.result
        undone(state, s, "person")
    elif s.phase == "failed":
        state.steps[path] = renewed(s)
    else:
        try_undo_again(s, called=bool(s.descriptors))
