"""A boundary opened again: what landed stays, what was undone runs anew, choices as on record."""

from __future__ import annotations

from collections.abc import Iterator

from .flow import begin_body, reset
from .frames import Frame
from .marks import mark_all
from .state import Due, State


def reopen(state: State, frame: Frame) -> None:
    """Goes forward again: undone, failed and skipped steps run anew, in the next generation."""
    _abandon(state, frame)
    reset(state, frame)
    if frame.parent is None:
        state.finished = ""
        state.until_checkpoint = ""
        for path in state.active:
            # The readiness was not shown while it went back: what lands next shows it again.
            state.steps[path].sure = False
    begin_body(state, frame)
    mark_all(state)


def _abandon(state: State, frame: Frame) -> None:
    """Forgets how far a frame and all in it have come."""
    for inner in _left(frame):
        if inner.progress is not None:
            for path in inner.progress.ready.values():
                state.turns.pop(path, None)
                state.owed.pop(path, None)
            inner.progress = None
        for path in inner.members:
            _leave(state, path)


def _left(frame: Frame) -> Iterator[Frame]:
    """Gives a frame and those inside it, and what had begun to run after a rollback of theirs."""
    for inner in frame.subtree():
        yield inner
        for child in inner.children:
            if child.kind == "rollback":
                yield from _left(child)


def _leave(state: State, path: str) -> None:
    """Takes a step out of what goes back; an undo that is under way is waited for first."""
    state.alone.pop(path, None)
    s = state.steps.get(path)
    under_way = s is not None and s.undo is not None and s.undo.number and s.phase == "landed"
    if s is None or not under_way or s.undo_phase in ("failed", "left"):
        state.going_back.pop(path, None)


def rerun(state: State, frame: Frame, number: int) -> None:
    """Lets a scope or loop whose failure has come outwards run anew."""
    path = frame.prefix + state.index.entries[number].local
    state.choices.pop(path, None)
    for inner in frame.children:
        if inner.owner == number:
            _abandon(state, inner)
    state.due.append(Due("begin", frame, number))
    mark_all(state)


def outermost_closed(frame: Frame) -> Frame:
    """Gives the outermost boundary around a frame that goes back, or else the nearest one."""
    found = frame.around()
    for outer in frame.chain():
        if outer.closed and outer.stage != "over":
            found = outer
    return found


def forgive(state: State, frame: Frame, path: str) -> None:
    """Takes back the failure of one statement; what else has failed meanwhile stays failed."""
    around = frame.around()
    if around.failing != path or around.closed:
        return
    around.failing = around.cause = ""
    around.error = None
    for inner in around.subtree():
        for member in inner.members if inner.around() is around else ():
            if member != path and _failed(state, member):
                s = state.steps.get(member)
                around.failing, around.failing_n = member, state.n
                around.error = s.error if s is not None else None
                return


def _failed(state: State, path: str) -> bool:
    s, g = state.steps.get(path), state.gates.get(path)
    if s is not None and s.phase == "failed" and not s.settled:
        return s.site.step.on_failure == "rollback"
    return g is not None and g.phase == "rejected"
