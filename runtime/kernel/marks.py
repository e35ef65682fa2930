"""Small changes that several folds share: places to look at again, values that settle, failures."""

from __future__ import annotations

from typing import Any

from ..events import Event
from .flow import settle
from .index import named
from .state import State


def mark(state: State, place: str) -> None:
    """Notes that what a place wants may have changed."""
    state.dirty[place] = None


def mark_all(state: State) -> None:
    """Notes that what everything wants may have changed: a mode of the run has."""
    mark(state, "")
    for number in state.ready:
        mark(state, state.index.entries[number].statement.path)
    for path in (*state.active, *state.wants):
        mark(state, path)


def settle_value(state: State, number: int, value: Any) -> None:
    """Gives a statement its value and goes on behind it."""
    name = named(state.index.entries[number].statement)
    if name:
        state.values[name] = value
        state.unavailable.pop(name, None)
    settle(state, number)


def fold_failure(state: State, path: str, event: Event) -> None:
    """Notes the first failure that reaches the scope's boundary; nothing new begins after it."""
    if state.failing or state.closed:
        return
    state.failing = path
    state.failing_n = event.n
    state.error = event.error
    mark_all(state)


def failed_statement(state: State, number: int, event: Event) -> None:
    """Folds the failure of a statement that is no call."""
    fold_failure(state, state.index.entries[number].statement.path, event)
