"""The registry of a run: every effect that landed or may have, and what became of it."""

from __future__ import annotations

from typing import Any

from .state import State, StepState


def has_effect(s: StepState) -> bool:
    """True when a step changes something outside."""
    return bool(s.site.tool.effects)


def landed(s: StepState) -> bool:
    """True when an effect of the step is known to be there (or may be) and has not been undone."""
    if not s.site.tool.effects:
        return False
    if s.phase == "undone":
        return s.site.irreversible
    return s.phase in ("landed", "unknown", "called", "confirming") or (
        s.phase == "failed" and s.may_have_landed
    )


def standing(state: State) -> list[str]:
    """Gives the paths of the steps whose effects stand, in the order of their confirmation."""
    found = [
        s
        for s in state.steps.values()
        if landed(s) and not s.frame.aftermath and not s.site.is_call
    ]
    found.sort(key=lambda s: s.confirmed_n or s.intent_n)
    return [s.path for s in found]


def effects(state: State) -> list[dict[str, Any]]:
    """Gives the registry: every effect that landed or may have, and what became of it."""
    found: list[dict[str, Any]] = []
    order = sorted(state.steps.values(), key=lambda s: s.confirmed_n or s.intent_n)
    for s in order:
        if not s.intent_n or not has_effect(s) or s.site.is_call:
            continue
        if s.phase in ("failed", "between") and not s.may_have_landed and not s.unproven:
            continue
        step = s.site.step
        for ordinal, resource in enumerate(s.resources):
            row = {
                "path": s.path,
                "resource": resource["resource"],
                "class": "accepted"
                if step.accepted and resource["class"] == "irreversible"
                else resource["class"],
                "impact": resource["impact"],
                "status": _effect_status(state, s, resource["class"]),
                "at": s.wall_time,
                "tool": step.tool,
                "actor": step.agent or s.actor,
                "unproven": s.unproven,
            }
            if ordinal in s.corrective_status:
                row["corrective"] = s.corrective_status[ordinal]
            usable = next((d for d in s.descriptors if not d.fault), None)
            if usable is not None and s.phase == "landed":
                within = step.undos[usable.ordinal].within
                row["undo"] = usable.tool
                row["undo_until"] = None if within is None else s.do.first_wall + within
            found.append(row)
    return found


def _effect_status(state: State, s: StepState, effect_class: str) -> str:
    if s.unproven and s.phase in ("failed", "undone"):
        return "unproven"
    if s.phase == "undone":
        return "standing" if effect_class == "irreversible" else "undone"
    if s.undo_phase == "failed":
        return "undo_failed"
    if s.phase in ("unknown", "failed"):
        return "unknown"
    return "in_flight" if s.phase in ("called", "confirming", "between") else "standing"
