"""Readiness to roll back, kept in integers and brought up to date by each event."""

from __future__ import annotations

import heapq
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..events import Descriptor
from .clauses import lapsed, usable
from .state import State, StepState


def weigh(state: State, s: StepState) -> None:
    """Brings the run's readiness up to date with one step.

    R = sum(impact * u) / sum(impact) over the effects that have landed and stand; u is in halves:
    2 for an undo that can be computed, is within its window and not known to fail, 0 for an
    irreversible effect or a failed undo, half of that while the outcome is unknown. A call in
    flight counts like a landed one.
    """
    weight = _weight(state, s) if s.resources else _NOTHING
    before = s.weight
    if weight != before:
        state.ready_num += weight[0] - before[0]
        state.ready_den += weight[1] - before[1]
        s.weight = weight
    if not state.root.closed:
        state.readiness = (state.ready_num, state.ready_den) if state.ready_den else (1, 1)


_NOTHING = (0, 0)


def _weight(state: State, s: StepState) -> tuple[int, int]:
    phase, guessed = s.phase, s.may_have_landed
    if not (phase in _THERE or guessed) or s.covered or s.frame.aftermath:
        return _NOTHING
    worth, site = s.worth, s.site
    d = None if s.undo_phase == "failed" else usable(state, s, site.step, phase == "landed")
    if d is None:
        return 0, worth[1]
    if phase == "unknown" or guessed:
        return worth[0] >> 1, worth[1]
    if phase == "called":
        # Then nothing but its own undo changes that any more.
        s.sure = d.complete and d.when is None and not site.windows
    return worth


_THERE = ("called", "landed", "unknown", "confirming")


def with_call(
    state: State, s: StepState, resources: list[dict[str, Any]], descriptors: list[Descriptor]
) -> tuple[int, int]:
    """Gives the readiness, as a pair of integers, of the state in which a step is being called.

    The pair (0, 0) is that of a state without effects.
    """
    step = s.site.step
    ready = usable(state, s, step, False, descriptors) is not None
    num, den = worth(resources)
    before = s.weight
    return state.ready_num - before[0] + (num if ready else 0), state.ready_den - before[1] + den


def shown(readiness: Fraction) -> str:
    """Gives a fraction exactly: as a decimal where there is one, else as `2/3`."""
    found = Decimal(readiness.numerator) / Decimal(readiness.denominator)
    return f"{found.normalize():f}" if Fraction(found) == readiness else str(readiness)


def expire(state: State) -> None:
    """Weighs again the steps whose undo windows have passed."""
    while state.expiries and state.expiries[0][0] <= state.wall_time:
        _, path = heapq.heappop(state.expiries)
        s = state.steps.get(path)
        if s is not None:
            weigh(state, s)


def watch_windows(state: State, s: StepState) -> None:
    """Remembers when the windows of a landed step's undos end."""
    step = s.site.step
    for undo in step.undos:
        if undo.within is not None:
            margin = min(60_000, undo.within // 100)
            heapq.heappush(state.expiries, (s.do.first_wall + undo.within - margin, s.path))


def reasons(state: State) -> list[dict[str, Any]]:
    """Gives each effect that counts in the readiness: its impact, its share `u`, and why.

    `u` is in text: "1", "0.5" or "0".
    """
    rows: list[dict[str, Any]] = []
    for s in state.steps.values():
        if not s.weight[1]:
            continue
        for resource in s.resources:
            u, why = _share(state, s, resource["class"])
            rows.append(
                {
                    "path": s.path,
                    "resource": resource["resource"],
                    "class": resource["class"],
                    "impact": resource["impact"],
                    "u": u,
                    "why": why,
                }
            )
    return rows


def _share(state: State, s: StepState, effect_class: str) -> tuple[str, str]:
    if effect_class == "irreversible":
        return "0", "nothing undoes it"
    if s.undo_phase == "failed":
        return "0", "its undo has failed"
    step = s.site.step
    found = usable(state, s, step, s.phase == "landed")
    if found is not None:
        if s.phase == "unknown" or s.may_have_landed:
            return "0.5", "whether it happened is not known"
        return "1", f"`{found.tool}` takes it back"
    faults = [d.fault for d in s.descriptors if d.fault]
    if not s.descriptors:
        return "0", "it has no undo"
    if any(lapsed(state, s, step.undos[d.ordinal]) for d in s.descriptors):
        return "0", "the time in which it can be undone is over"
    return "0", f"its undo cannot be called: {faults[0]}" if faults else "no undo applies to it"


def worth(resources: list[dict[str, Any]]) -> tuple[int, int]:
    """Gives the impact of those of some resources that can be taken back, and of all, in halves."""
    num = den = 0
    for resource in resources:
        impact = 2 * int(resource["impact"])
        den += impact
        if resource["class"] != "irreversible":
            num += impact
    return num, den
