"""How a body goes on: which statements are reached, which have settled, which are passed over."""

from __future__ import annotations

from ..plan import Gate, If, Parallel, Step
from .index import ROOT, Entry, named
from .state import GateState, State, StepState


def reach_body(state: State, numbers: tuple[int, ...], sequence: bool, parent: int) -> None:
    """Begins a block: its first statement, or all of them in a `parallel`."""
    if not numbers:
        settle(state, parent)
    elif sequence:
        reach(state, numbers[0])
    else:
        state.left[parent] = len(numbers)
        for number in numbers:
            reach(state, number)


def reach(state: State, number: int) -> None:
    """Notes that a statement's turn has come; it is ready when what it waits for has settled."""
    statement = state.index.entries[number].statement
    missing = 0
    for path in statement.waits:
        if path not in state.settled_paths:
            state.waiters.setdefault(path, []).append(number)
            missing += 1
    if missing:
        state.missing[number] = missing
    else:
        make_ready(state, number)


def make_ready(state: State, number: int) -> None:
    """Puts a statement among those that are to be looked at."""
    entry = state.index.entries[number]
    if isinstance(entry.statement, Parallel):
        reach_body(state, entry.then, False, number)
        return
    if isinstance(entry.statement, If) and entry.statement.path in state.choices:
        begin_branch(state, entry)
        return
    path = entry.statement.path
    state.ready.add(number)
    state.dirty[path] = None
    if isinstance(entry.statement, Step) and path not in state.steps:
        state.steps[path] = StepState(path, number)
    elif isinstance(entry.statement, Gate) and path not in state.gates:
        state.gates[path] = GateState(path, number)


def begin_branch(state: State, entry: Entry) -> None:
    """Begins the branch that was chosen and passes over the other."""
    taken = state.choices[entry.statement.path] == "then"
    for number in entry.otherwise if taken else entry.then:
        pass_over(state, number)
    reach_body(state, entry.then if taken else entry.otherwise, True, entry.number)


def pass_over(state: State, number: int) -> None:
    """Marks a statement, and all in it, as never run; its value is none unless its twin runs."""
    entry = state.index.entries[number]
    for inner in (*entry.then, *entry.otherwise):
        pass_over(state, inner)
    state.skipped.add(number)
    name = named(entry.statement)
    if name:
        state.values.setdefault(name, None)
    _settled_path(state, number)


def settle(state: State, number: int) -> None:
    """Notes that a statement is over (succeeded, skipped or continued) and goes on behind it."""
    while True:
        if number == ROOT:
            state.settled.add(ROOT)
            state.dirty[""] = None
            return
        if number in state.settled:
            return
        state.settled.add(number)
        state.ready.discard(number)
        entry = state.index.entries[number]
        _settled_path(state, number)
        if entry.follower is not None:
            reach(state, entry.follower)
            return
        parent = entry.parent
        if parent != ROOT and isinstance(state.index.entries[parent].statement, Parallel):
            state.left[parent] -= 1
            if state.left[parent]:
                return
        number = parent


def _settled_path(state: State, number: int) -> None:
    path = state.index.entries[number].statement.path
    twins = state.index.numbers[path]
    if len(twins) > 1 and not all(t in state.settled or t in state.skipped for t in twins):
        return
    state.settled_paths.add(path)
    for waiter in state.waiters.pop(path, ()):
        state.missing[waiter] -= 1
        if not state.missing[waiter]:
            del state.missing[waiter]
            make_ready(state, waiter)
