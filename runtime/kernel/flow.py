"""How a frame goes on: which statements are reached, which have settled, which are passed over."""

from __future__ import annotations

from collections import ChainMap
from typing import Any

from ..expressions import STARTED_AT
from .agency import is_there
from .frames import Frame, Loop, Progress
from .index import ROOT, Entry
from .state import Calling, Due, GateState, State, StepState, WaitState, renewed


def begin_frame(
    state: State,
    path: str,
    block: int,
    around: Frame,
    values: dict[str, Any],
    *,
    loop: Loop | None = None,
    number: int = 0,
    boundary: bool = True,
) -> Frame:
    """Begins a frame inside another, or again one that is there already."""
    known = state.index.blocks[block]
    frame = state.frames.get(path)
    if frame is None:
        frame = Frame(path, known.kind, block, known.owner, around, f"{path}.", boundary)
        frame.aftermath = known.kind == "rollback" or around.aftermath
        frame.undo_of = around.undo_of
        if known.kind == "rollback":
            frame.prefix = around.prefix
        if known.kind == "call":
            frame.values = {STARTED_AT: around.names[STARTED_AT]}
            frame.names = frame.values
        else:
            frame.names = ChainMap(frame.values, *_maps(around))
            if known.kind == "rollback":
                frame.names.maps.append(_absent(state, around.block))
        last = len(state.index.entries)
        place = last if known.kind == "rollback" else known.owner
        frame.order = (*around.order, place, block, number)
        state.frames[path] = frame
        around.children.append(frame)
    else:
        reset(state, frame)
    frame.loop, frame.number = loop, number
    frame.values.update(values)
    begin_body(state, frame)
    return frame


def _absent(state: State, block: int) -> dict[str, Any]:
    """Gives none for each name of a block: a rollback may come before anything has a value."""
    found = (getattr(e.statement, "name", "") for e in state.index.entries if e.block == block)
    return dict.fromkeys(found)


def begin_body(state: State, frame: Frame) -> None:
    """Lets the first statement of a frame have its turn."""
    frame.progress = Progress()
    numbers = state.index.blocks[frame.block].numbers
    if numbers:
        reach(state, frame, numbers[0])
    else:
        state.due.append(Due("ended", frame, ROOT))


def reset(state: State, frame: Frame) -> None:
    """Forgets how far a frame has come and whether it failed; its values and its record stay."""
    state.boundaries.pop(frame.path, None)
    if frame.closed and frame.stage != "over":
        # It will not be rolled back to its end: nobody outside has to wait for that any more.
        outer = frame.parent
        while outer is not None:
            outer.busy -= 1
            outer = outer.parent
    frame.ended = frame.queued = False
    frame.failing = frame.cause = frame.closed = frame.stage = ""
    frame.error = None
    frame.deadline_lapsed = frame.accept_pivots = False
    frame.segments = frame.correcting = None


def _maps(frame: Frame) -> list[Any]:
    return frame.names.maps if isinstance(frame.names, ChainMap) else [frame.names]


def reach_block(
    state: State, frame: Frame, numbers: tuple[int, ...], sequence: bool, parent: int
) -> None:
    """Begins a block of an `if` or a `parallel`: its first statement, or all of them."""
    assert frame.progress is not None
    if not numbers:
        state.due.append(Due("settle", frame, parent))
    elif sequence:
        reach(state, frame, numbers[0])
    else:
        frame.progress.left[parent] = len(numbers)
        for number in numbers:
            reach(state, frame, number)


def reach(state: State, frame: Frame, number: int) -> None:
    """Notes that a statement's turn has come; it is ready when what it waits for has settled."""
    waits = state.index.entries[number].statement.waits
    if not waits or not _lacks(frame, number, waits):
        make_ready(state, frame, number)


def _lacks(frame: Frame, number: int, waits: tuple[str, ...]) -> int:
    """Notes what a statement still waits for, and gives how much that is."""
    progress = frame.progress
    assert progress is not None
    missing = 0
    for path in waits:
        if path not in progress.settled_paths:
            progress.waiters.setdefault(path, []).append(number)
            missing += 1
    if missing:
        progress.missing[number] = missing
    return missing


def make_ready(state: State, frame: Frame, number: int) -> None:
    """Puts a statement among those that are to be looked at."""
    entry, progress = state.index.entries[number], frame.progress
    assert progress is not None
    role = entry.role
    path = frame.prefix + entry.local
    if role == "parallel":
        reach_block(state, frame, entry.then, False, number)
        return
    if role == "if" and path in state.choices:
        begin_branch(state, frame, entry, state.choices[path])
        return
    progress.ready[number] = path
    state.turns[path] = (frame, number)
    state.dirty[path] = None
    if role == "call":
        if path in state.steps or frame.undo_of:
            _ready_again(state, frame, number, path)
        else:
            state.steps[path] = StepState(path, state.index.sites[number], frame)
            frame.members.append(path)
    elif role == "gate":
        g = state.gates.get(path)
        if g is None:
            state.gates[path] = GateState(path, number, frame)
            frame.members.append(path)
        elif g.settled:
            state.due.append(Due("settle", frame, number))
        else:
            state.gates[path] = GateState(
                path, number, frame, timers_set=g.timers_set, opened_n=g.opened_n
            )
    elif role == "wait":
        _ready_wait(state, frame, number, path)
    elif role == "scope" or path in state.loops:
        state.due.append(Due("begin", frame, number))
    elif path in state.choices and (role != "judged" or state.choices[path] == "waived"):
        state.due.append(Due("settle", frame, number))


def _ready_again(state: State, frame: Frame, number: int, path: str) -> None:
    """Lets a step have its turn that has had one before, or that is part of an undo."""
    if frame.undo_of:
        _ready_undo(state, frame, number, path, state.steps.get(path))
        return
    s = state.steps[path]
    if path in state.active:
        pass
    elif s.phase == "landed" and s.undo is not None and s.undo.number and s.undo_phase != "failed":
        s.rerun = True
    elif s.phase == "landed" and s.error is None and not _spoiled(state, path):
        state.due.append(Due("resume", frame, number))
    else:
        s.site = state.index.sites[number]
        state.steps[path] = renewed(s)


def _ready_undo(
    state: State, frame: Frame, number: int, path: str, before: StepState | None
) -> None:
    """Begins a step of a saga that is an undo; its calls are numbered on when it is gone through
    again for the same generation of the step that is taken back."""
    generation = state.steps[frame.undo_of].generation
    site = state.index.sites[number]
    s = state.steps[path] = StepState(path, site, frame, generation=generation)
    frame.members.append(path)
    if before is not None:
        s.timers_set = before.timers_set
        if before.generation == generation and before.undo is not None:
            s.undo = Calling(number=before.undo.number)


def _spoiled(state: State, path: str) -> bool:
    """True for an agent of whose calls one that it counted on has been undone."""
    agency = state.agents.get(path)
    return agency is not None and not all(is_there(state.steps[call]) for call in agency.claimed)


def _ready_wait(state: State, frame: Frame, number: int, path: str) -> None:
    w = state.pauses.get(path)
    if w is not None and w.settled:
        state.due.append(Due("settle", frame, number))
        return
    fresh = WaitState(path, number, frame, opened_n=state.n)
    if w is None:
        frame.members.append(path)
    else:
        fresh.timers_set = w.timers_set
    state.pauses[path] = fresh
    if path in state.signals:
        state.due.append(Due("resume", frame, number))
    else:
        state.owed[path] = None


def begin_branch(state: State, frame: Frame, entry: Entry, choice: str) -> None:
    """Begins the branch that was chosen and passes over the other."""
    taken = choice == "then"
    for number in entry.otherwise if taken else entry.then:
        pass_over(state, frame, number)
    branch = entry.then if taken else entry.otherwise
    reach_block(state, frame, branch, True, entry.number)


def pass_over(state: State, frame: Frame, number: int) -> None:
    """Marks a statement, and all in it, as never run; its value is none unless its twin runs."""
    assert frame.progress is not None
    entry = state.index.entries[number]
    for inner in (*entry.then, *entry.otherwise):
        pass_over(state, frame, inner)
    frame.progress.skipped.add(number)
    if entry.name:
        frame.values.setdefault(entry.name, None)
    _settled_path(state, frame, number)


def settle(state: State, frame: Frame, number: int) -> None:
    """Notes that a statement is over (succeeded, skipped or continued) and goes on behind it."""
    progress, index = frame.progress, state.index
    while progress is not None:
        if number == ROOT:
            progress.settled.add(ROOT)
            state.due.append(Due("ended", frame, ROOT))
            return
        if number in progress.settled:
            return
        progress.settled.add(number)
        path = progress.ready.pop(number, None)
        if path is not None:
            state.turns.pop(path, None)
            if state.owed:
                state.owed.pop(path, None)
        entry = index.entries[number]
        if entry.statement.path in index.awaited:
            _settled_path(state, frame, number)
        if entry.follower is not None:
            reach(state, frame, entry.follower)
            return
        parent = entry.parent
        if parent != ROOT and index.entries[parent].role == "parallel":
            progress.left[parent] -= 1
            if progress.left[parent]:
                return
        number = parent


def _settled_path(state: State, frame: Frame, number: int) -> None:
    progress = frame.progress
    assert progress is not None
    path = state.index.entries[number].statement.path
    twins = state.index.numbers[path]
    if len(twins) > 1 and not all(t in progress.settled or t in progress.skipped for t in twins):
        return
    progress.settled_paths.add(path)
    if path not in progress.waiters:
        return
    for waiter in progress.waiters.pop(path):
        progress.missing[waiter] -= 1
        if not progress.missing[waiter]:
            del progress.missing[waiter]
            make_ready(state, frame, waiter)
