"""What follows from an event without another one: statements that settle, frames that end."""

from __future__ import annotations

from ..plan import Scope
from ..values import Record
from .boundaries import end_rollback, turn
from .flow import begin_body, begin_frame, settle
from .frames import Frame
from .landing import go_on
from .loops import begin_again, end_item
from .marks import mark, settle_value
from .state import Due, State
from .undoing import carried_out
from .waits import resume_wait


def proceed(state: State) -> None:
    """Does all that follows from the event that was folded last, in order."""
    while state.due or state.turning:
        if state.due:
            _follow(state, state.due.popleft())
        else:
            turn(state, state.turning.pop(0))


def _follow(state: State, due: Due) -> None:
    frame, number = due.frame, due.number
    match due.what:
        case "settle":
            settle(state, frame, number)
        case "ended":
            _ended(state, frame)
        case "resume":
            path = frame.prefix + state.index.entries[number].local
            if path in state.pauses:
                resume_wait(state, state.pauses[path])
            else:
                go_on(state, state.steps[path])
        case "begin":
            if isinstance(state.index.entries[number].statement, Scope):
                begin_scope(state, frame, number)
            else:
                begin_again(state, frame, number)


def begin_scope(state: State, frame: Frame, number: int) -> None:
    """Begins the body of a scope, or its `else` when that is what was chosen."""
    entry = state.index.entries[number]
    path = frame.prefix + entry.local
    if state.choices.get(path) == "else":
        begin_frame(state, f"{path}.else", entry.blocks[1], frame, {}, boundary=False)
    else:
        begin_frame(state, path, entry.blocks[0], frame, {})


def _ended(state: State, frame: Frame) -> None:
    frame.ended = True
    match frame.kind:
        case "saga":
            mark(state, "")
        case "scope" | "else":
            _end_scope(state, frame)
        case "call":
            mark(state, frame.path)
        case "undo":
            carried_out(state, frame)
        case "rollback":
            frame.progress = None
            assert frame.parent is not None
            end_rollback(state, frame.parent)
        case _:
            end_item(state, frame)


def _end_scope(state: State, frame: Frame) -> None:
    outer, node = frame.parent, state.index.entries[frame.owner].statement
    assert outer is not None
    assert isinstance(node, Scope)
    frame.progress = None
    fields = {field.name: frame.values.get(field.name) for field in node.fields}
    settle_value(state, outer, frame.owner, Record(node.type.name, fields))
    if frame.unavailable:
        # A field cannot be missing by itself: nobody may read none where there was a value.
        name, why = next(iter(frame.unavailable.items()))
        state.lossy = True
        outer.unavailable[node.name] = f"`{name}`: {why}"


def begin_saga(state: State) -> None:
    """Lets the first statement of the saga have its turn."""
    begin_body(state, state.root)
    mark(state, "")
