"""A scope that closes, and one opened again: what is dropped, undone, and run anew."""

from __future__ import annotations

from ..events import Event
from ..plan import Gate, Step
from .flow import reach_body, settle
from .index import ROOT
from .marks import mark_all
from .state import State, StepState
from .views import landed


def close_scope(state: State, event: Event) -> None:
    """Folds the closing of the scope: no new forward call; what was not begun is passed over."""
    state.closed = event.status
    state.closed_n = event.n
    state.failing = ""
    state.finished = ""
    state.error = event.error or state.error
    state.until_checkpoint = str(event.data.get("to", ""))
    state.target = state.checkpoints.get(state.until_checkpoint, 0)
    state.unwinding = None
    state.correcting = None
    state.alone.clear()
    for s in state.steps.values():
        if s.phase == "between":
            s.phase = "failed"
            s.error = s.error or s.do.error
    for g in state.gates.values():
        if g.phase == "open":
            g.phase = "closed"
    for command_id, command in list(state.issued.items()):
        if command.id.split("|")[1].split(":")[0] in ("do", "remember", "expect"):
            del state.issued[command_id]
    mark_all(state)


def begin_unwinding(state: State) -> None:
    """Draws up what is undone and corrected, once everything in the closed scope has settled."""
    if not state.closed or state.unwinding is not None or state.active:
        return
    there = [
        s
        for s in state.steps.values()
        if s.phase != "undone" and landed(state, s) and (s.confirmed_n or s.intent_n) > state.target
    ]
    there.sort(key=lambda s: s.confirmed_n or s.intent_n)
    first = [s for s in there if s.error is not None]
    rest = [s for s in there if s.error is None]
    state.unwinding = [s.path for s in (*rest, *first) if _takes_undo(state, s)]
    state.correcting = [
        (s.path, ordinal)
        for s in reversed(there)
        for ordinal, effect in enumerate(state.index.tool_of(state.index.step(s.number)).effects)
        if effect.effect_class == "irreversible" and effect.corrective is not None
    ]


def reopen(state: State) -> None:
    """Goes forward again: undone, failed and skipped steps run anew, in the next generation."""
    state.closed = ""
    state.failing = ""
    state.cause = ""
    state.finished = ""
    state.until_checkpoint = ""
    state.deadline_lapsed = False
    state.error = None
    state.unwinding = None
    state.correcting = None
    for path, s in list(state.steps.items()):
        if s.phase != "landed" or s.error is not None:
            state.steps[path] = renewed(s)
    for path, g in list(state.gates.items()):
        if not g.settled:
            del state.gates[path]
    state.settled.clear()
    state.settled_paths.clear()
    state.skipped.clear()
    state.left.clear()
    state.missing.clear()
    state.waiters.clear()
    state.ready.clear()
    reach_body(state, state.index.root, True, ROOT)
    while kept := [number for number in state.ready if _kept(state, number)]:
        for number in kept:
            settle(state, number)
    mark_all(state)


def renewed(s: StepState) -> StepState:
    """Gives a step ready to run anew: in the next generation when it was ever called."""
    called = s.do.number > 0 and s.intent_n > 0
    fresh = StepState(s.path, s.number, generation=s.generation + (1 if called else 0))
    fresh.timers_set = s.timers_set
    return fresh


def _takes_undo(state: State, s: StepState) -> bool:
    tool = state.index.tool_of(state.index.step(s.number))
    return bool(s.descriptors) or any(e.effect_class != "irreversible" for e in tool.effects)


def _kept(state: State, number: int) -> bool:
    statement = state.index.entries[number].statement
    if isinstance(statement, Step):
        return state.steps[statement.path].phase == "landed"
    if isinstance(statement, Gate):
        return state.gates[statement.path].settled
    return statement.path in state.choices
