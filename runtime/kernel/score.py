"""Readiness to roll back, kept in integers and brought up to date by each event."""

from __future__ import annotations

import heapq

from .clauses import usable
from .state import State, StepState


def weigh(state: State, s: StepState) -> None:
    """Brings the run's readiness up to date with one step.

    R = sum(impact * u) / sum(impact) over the effects that have landed and stand; u is in halves:
    2 for an undo that can be computed, is within its window and not known to fail, 0 for an
    irreversible effect or a failed undo, half of that while the outcome is unknown. A call in
    flight counts like a landed one.
    """
    num, den = _weight(state, s)
    state.ready_num += num - s.weight[0]
    state.ready_den += den - s.weight[1]
    s.weight = (num, den)
    if not state.closed:
        state.readiness = (state.ready_num, state.ready_den) if state.ready_den else (1, 1)


def expire(state: State) -> None:
    """Weighs again the steps whose undo windows have passed."""
    while state.expiries and state.expiries[0][0] <= state.wall_time:
        _, path = heapq.heappop(state.expiries)
        s = state.steps.get(path)
        if s is not None:
            weigh(state, s)


def watch_windows(state: State, s: StepState) -> None:
    """Remembers when the windows of a landed step's undos end."""
    step = state.index.step(s.number)
    for undo in step.undos:
        if undo.within is not None:
            margin = min(60_000, undo.within // 100)
            heapq.heappush(state.expiries, (s.do.first_wall + undo.within - margin, s.path))


def _weight(state: State, s: StepState) -> tuple[int, int]:
    counts = s.phase in ("called", "unknown", "confirming", "landed") or s.may_have_landed
    if not counts or not s.resources or s.phase == "undone":
        return (0, 0)
    step = state.index.step(s.number)
    ready = s.undo_phase != "failed" and usable(state, s, step, s.phase == "landed") is not None
    full = 1 if s.phase == "unknown" or s.may_have_landed else 2
    num = den = 0
    for resource in s.resources:
        impact = int(resource["impact"])
        den += 2 * impact
        if ready and resource["class"] != "irreversible":
            num += full * impact
    return num, den
