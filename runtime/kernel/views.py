"""Views of a state: statuses, effects, what is waited for; computed, never assigned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..plan import Gate, Step
from .asked import is_open
from .state import GateState, Incident, State, StepState, Timer

FINAL = frozenset(("succeeded", "rolled_back", "partly_rolled_back", "cancelled"))
"""The final statuses of a run."""

_PHASES = {
    "ready": "pending",
    "between": "in_flight",
    "called": "in_flight",
    "confirming": "in_flight",
    "unknown": "unknown",
    "landed": "succeeded",
    "failed": "failed",
    "skipped": "skipped",
    "undone": "compensated",
}


_TRYING = ("between", "called", "unknown")


@dataclass(frozen=True, slots=True)
class OpenAttempt:
    """A call whose intent is in the log and whose outcome is not."""

    path: str
    direction: str
    generation: int
    attempt: int
    name: str = ""


def blocked(state: State) -> bool:
    """True while an open incident (or a freeze) holds the run: no call goes out but looks."""
    return bool(state.incidents) and any(i.open and i.blocking for i in state.incidents.values())


def status_of_step(state: State, s: StepState) -> str:
    """Gives the public status of a step."""
    if s.undo_phase == "failed":
        return "compensation_failed"
    if s.phase != "undone" and s.undo is not None and s.undo.number:
        return "compensating"
    if s.phase == "ready" and state.closed:
        return "skipped"
    if s.phase == "ready" and s.do.number:
        return "in_flight"
    if s.phase == "failed" and s.may_have_landed:
        return "unknown"
    return _PHASES[s.phase]


def status_of_run(state: State) -> str:
    """Gives the public status of a run, as its records say; *paused* is the driver's to say."""
    if state.incidents and any(incident.open for incident in state.incidents.values()):
        return "escalated"
    if state.finished:
        return state.finished
    if not state.active and waiting_for(state) and not _busy(state):
        return "waiting"
    return "compensating" if state.closed else "running"


def has_effect(state: State, s: StepState) -> bool:
    """True when a step changes something outside."""
    return not state.index.tool_of(state.index.step(s.number)).is_read


def landed(state: State, s: StepState) -> bool:
    """True when an effect of the step is known to be there (or may be) and has not been undone."""
    tool = state.index.tool_of(state.index.step(s.number))
    if tool.is_read:
        return False
    if s.phase == "undone":
        return tool.irreversible
    return s.phase in ("landed", "unknown", "called", "confirming") or (
        s.phase == "failed" and s.may_have_landed
    )


def standing(state: State) -> list[str]:
    """Gives the paths of the steps whose effects stand, in the order of their confirmation."""
    found = [s for s in state.steps.values() if landed(state, s)]
    found.sort(key=lambda s: s.confirmed_n or s.intent_n)
    return [s.path for s in found]


def steps(state: State) -> list[dict[str, Any]]:
    """Gives every step of the plan that was reached, and the others as pending or skipped."""
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    for entry in state.index.entries:
        step = entry.statement
        if not isinstance(step, Step) or step.path in seen:
            continue
        seen.add(step.path)
        s = state.steps.get(step.path)
        if s is not None:
            row = {
                "path": s.path,
                "status": status_of_step(state, s),
                "attempts": s.do.number,
                "result": s.result,
            }
            if s.unavailable:
                row["unavailable"] = s.unavailable
            # Of a step that is still tried: what went wrong the last time.
            error = s.error or (s.do.error if s.phase in _TRYING else None)
            if error is not None:
                row["error"] = {"type": error.type, "message": error.message}
            found.append(row)
        else:
            over = entry.number in state.skipped or state.closed or state.finished
            status = "skipped" if over else "pending"
            found.append({"path": step.path, "status": status, "attempts": 0, "result": None})
    return found


def effects(state: State) -> list[dict[str, Any]]:
    """Gives the registry: every effect that landed or may have, and what became of it."""
    found: list[dict[str, Any]] = []
    order = sorted(state.steps.values(), key=lambda s: s.confirmed_n or s.intent_n)
    for s in order:
        if not s.intent_n or not has_effect(state, s):
            continue
        if s.phase in ("failed", "between") and not s.may_have_landed and not s.unproven:
            continue
        step = state.index.step(s.number)
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


def waiting_for(state: State) -> list[dict[str, Any]]:
    """Gives what people (or time) still owe the run."""
    found: list[dict[str, Any]] = []
    for g in state.gates.values():
        gate = state.index.entries[g.number].statement
        if g.phase == "open" and not g.settled and not state.closed and isinstance(gate, Gate):
            timer = g.timers.get("gate")
            found.append(
                {
                    "kind": "gate",
                    "path": g.path,
                    "needs": f"{gate.needs} of {gate.group}",
                    "shows": g.shows,
                    "until": timer.due if timer else None,
                    "approved_by": list(g.approvals),
                    "digest": g.digest,
                }
            )
    for asked in state.asked.values():
        if is_open(state, asked):
            found.append(
                {
                    "kind": "gate",
                    "path": asked.path,
                    "needs": f"1 of {asked.group}",
                    "shows": asked.shows,
                    "until": None,
                    "approved_by": [],
                    "digest": asked.digest,
                }
            )
    return found


def open_attempts(state: State) -> list[OpenAttempt]:
    """Gives the calls whose intent is in the log and whose outcome is not."""
    found: list[OpenAttempt] = []
    for s in state.steps.values():
        for direction, calling in (("do", s.do), ("undo", s.undo)):
            if calling is not None and calling.open:
                found.append(OpenAttempt(s.path, direction, s.generation, calling.number))
        for ordinal, calling in s.correctives.items():
            if calling.open:
                found.append(
                    OpenAttempt(s.path, "corrective", s.generation, calling.number, str(ordinal))
                )
    return found


def running_timer(state: State, path: str, name: str, n: int) -> bool:
    """True while the timer that event `n` set runs and matters; only then its end is logged."""
    if state.finished:
        return False
    if not path:
        timer = state.deadline
    else:
        holder = state.steps.get(path) or state.gates.get(path)
        timer = holder.timers.get(name) if holder is not None else None
    return timer is not None and timer.n == n and not timer.over


def open_timers(state: State) -> list[tuple[str, str, Timer]]:
    """Gives (path, name, timer) of every timer that still runs."""
    found: list[tuple[str, str, Timer]] = []
    if state.finished:
        return found
    if state.deadline is not None and not state.deadline.over:
        found.append(("", "deadline", state.deadline))
    holders: list[StepState | GateState] = [*state.steps.values(), *state.gates.values()]
    for holder in holders:
        for name, timer in holder.timers.items():
            if not timer.over:
                found.append((holder.path, name, timer))
    return found


def open_incident(state: State) -> Incident | None:
    """Gives the incident that people should answer first."""
    for incident in state.incidents.values():
        if incident.open:
            return incident
    return None


def incident_view(state: State, incident: Incident) -> dict[str, Any]:
    """Gives an incident in the shape that people and programs read."""
    touched = [s for s in state.steps.values() if landed(state, s) or s.path == incident.path]
    rows: list[dict[str, Any]] = []
    irreversible: list[dict[str, Any]] = []
    deadlines: list[dict[str, Any]] = []
    for s in touched:
        step = state.index.step(s.number)
        seen = incident.inspected.get(s.path, "not asked")
        for ordinal, resource in enumerate(s.resources):
            rows.append({"path": s.path, "resource": resource["resource"], "verified": seen})
            if resource["class"] == "irreversible":
                taken = s.corrective_status.get(ordinal, "not taken")
                irreversible.append(
                    {"path": s.path, "resource": resource["resource"], "corrective": taken}
                )
        for d in s.descriptors:
            within = step.undos[d.ordinal].within
            if within is not None and not d.fault:
                until = s.do.first_wall + within
                deadlines.append({"path": s.path, "undo": d.tool, "until": until})
        lifetime = state.index.tool_of(step).idempotent
        if s.phase == "unknown" and lifetime is not None and lifetime.lifetime is not None:
            deadlines.append(
                {"path": s.path, "key": s.do.key, "until": s.do.first_wall + lifetime.lifetime}
            )
    runbook = ""
    if incident.path in state.steps:
        step = state.index.step(state.steps[incident.path].number)
        runbook = state.index.tool_of(step).runbook
    return {
        "id": incident.id,
        "cause": incident.cause,
        "path": incident.path,
        "summary": incident.summary,
        "resources": rows,
        "irreversible": irreversible,
        "recommended": incident.recommended,
        "reasons": list(incident.reasons),
        "answers": list(incident.answers),
        "deadlines": sorted(deadlines, key=lambda row: row["until"]),
        "runbook": runbook or state.index.plan.runbook,
        "readiness": list(state.readiness),
    }


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


def _busy(state: State) -> bool:
    """True while something but people makes the run go on."""
    if state.issued or state.agenda:
        return True
    return any(not t.over for s in state.steps.values() for t in s.timers.values())
