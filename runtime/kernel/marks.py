"""Small changes that several folds share: places to look at again, values that settle, failures."""

from __future__ import annotations

from typing import Any

from ..events import Event
from .flow import settle
from .frames import Frame, stir
from .state import State, StepState


def mark(state: State, place: str) -> None:
    """Notes that what a place wants may have changed."""
    state.dirty[place] = None


def mark_all(state: State) -> None:
    """Notes that what everything wants may have changed: a mode of the run has."""
    mark(state, "")
    for places in (state.turns, state.boundaries, state.going_back, state.active, state.wants):
        for path in places:
            mark(state, path)


def mark_within(state: State, frame: Frame) -> None:
    """Notes that what everything in a frame wants may have changed."""
    if frame.parent is None:
        mark_all(state)
        return
    for inner in frame.subtree():
        mark(state, inner.path)
        if inner.progress is not None:
            for path in inner.progress.ready.values():
                mark(state, path)


def mark_undo(state: State, s: StepState) -> None:
    """Notes that what takes a step back may go on: its undo, and the saga that is its undo."""
    mark(state, s.path)
    if s.undoing is not None:
        mark_within(state, s.undoing)


def begin_call(state: State, s: StepState) -> None:
    """Notes that a call of a step is on its way: whoever closes around it waits for it."""
    if s.path not in state.active:
        state.active.add(s.path)
        stir(s.frame, 1, state.turning)


def end_call(state: State, s: StepState) -> None:
    """Notes that what came of a step's calls is known."""
    if s.path in state.active:
        state.active.discard(s.path)
        stir(s.frame, -1, state.turning)


def settle_value(state: State, frame: Frame, number: int, value: Any) -> None:
    """Gives a statement its value and goes on behind it."""
    name = state.index.entries[number].name
    if name:
        frame.values[name] = value
        if frame.unavailable:
            frame.unavailable.pop(name, None)
    settle(state, frame, number)


def fold_failure(state: State, frame: Frame, path: str, event: Event) -> None:
    """Notes the first failure that reaches a boundary; nothing new begins in it after that."""
    around = frame.around()
    if around.kind == "rollback":
        # What runs after a rollback goes on whatever happens: the run does not count on it.
        turn = state.turns.get(path)
        if turn is not None:
            settle_value(state, *turn, None)
        return
    if around.failing or around.closed:
        return
    around.failing = path
    around.failing_n = event.n
    around.error = event.error
    if around.parent is not None:
        state.boundaries[around.path] = around
    mark_within(state, around)


def failed_statement(state: State, frame: Frame, number: int, event: Event) -> None:
    """Folds the failure of a statement that is no call."""
    path = frame.prefix + state.index.entries[number].local
    fold_failure(state, frame, path, event)
