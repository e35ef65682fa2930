"""Views of a state: statuses, effects, what is waited for; computed, never assigned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..plan import AgentCall, Gate, SagaCall, Sleep, Step, Wait
from .agent_calls import held_by_people
from .asked import is_open
from .frames import Frame
from .index import ROOT
from .neighbours import waits_for
from .registry import (
    effects as effects,
    has_effect as has_effect,
    landed as landed,
    standing as standing,
)
from .state import Incident, State, StepState, Timer

FINAL = frozenset(("succeeded", "rolled_back", "partly_rolled_back", "cancelled"))
"""The final statuses of a run."""

_PHASES = {
    "ready": "pending",
    "between": "in_flight",
    "called": "in_flight",
    "confirming": "in_flight",
    "running": "in_flight",
    "clearing": "in_flight",
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
    if s.frame.undo_of:
        return _status_inside(s)
    if s.undo_phase == "failed":
        return "compensation_failed"
    if s.phase != "undone" and s.undo is not None and s.undo.number:
        return "compensating"
    if s.phase == "ready" and s.frame.halted():
        return "skipped"
    if s.phase == "ready" and s.do.number:
        return "in_flight"
    if s.phase == "failed" and s.may_have_landed:
        return "unknown"
    if s.phase in ("landed", "running") and s.frame.halted() and s.site.is_call:
        if _emptied(state, s):
            return "compensated"
        return "succeeded" if s.phase == "landed" else "skipped"
    return _PHASES[s.phase]


def _status_inside(s: StepState) -> str:
    """Gives the status of a step of a saga that is an undo: its calls are that step's action."""
    if s.undo_phase == "failed":
        return "compensation_failed"
    if s.phase == "ready" and s.undo is not None and s.undo.number:
        return "unknown" if s.undo_phase == "unknown" else "in_flight"
    return _PHASES[s.phase]


def _emptied(state: State, s: StepState) -> bool:
    """True when something that a called saga did was taken back, and nothing of it stands."""
    inner = [
        step
        for frame in state.frames[s.path].subtree()
        for path in frame.members
        if (step := state.steps.get(path)) is not None
    ]
    undone = any(step.phase == "undone" for step in inner)
    return undone and not any(landed(step) for step in inner if not step.site.is_call)


def status_of_run(state: State) -> str:
    """Gives the public status of a run, as its records say; *paused* is the driver's to say."""
    if state.incidents and any(incident.open for incident in state.incidents.values()):
        return "escalated"
    if state.finished:
        return state.finished
    idle = not state.active or (
        bool(state.agents) and all(held_by_people(state, path) for path in state.active)
    )
    if idle and _people_owe(state) and not _busy(state):
        return "waiting"
    return "compensating" if state.closed else "running"


def steps(state: State) -> list[dict[str, Any]]:
    """Gives every step that was reached, and those of the plan outside loops that were not."""
    rows: list[tuple[tuple[int, ...], dict[str, Any]]] = [
        ((*s.frame.order, s.site.number), _step_row(state, s)) for s in state.steps.values()
    ]
    seen = set(state.steps)
    for entry in state.index.entries:
        path = entry.statement.path
        if entry.number >= state.index.forward:
            break
        if isinstance(entry.statement, Step | SagaCall | AgentCall) and path not in seen:
            seen.add(path)
            place = _unreached(state, entry.number)
            if place is not None:
                order, status = place
                row = {"path": path, "status": status, "attempts": 0, "result": None}
                rows.append((order, row))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _step_row(state: State, s: StepState) -> dict[str, Any]:
    status = status_of_step(state, s)
    calling = s.undo if s.frame.undo_of and s.undo is not None else s.do
    row = {"path": s.path, "status": status, "attempts": calling.number, "result": s.result}
    if s.unavailable:
        row["unavailable"] = s.unavailable
    # Of a step that is still tried: what went wrong the last time.
    error = s.error or (s.do.error if s.phase in _TRYING else None)
    if status == "compensating" and s.undo is not None:
        row["undo_attempts"] = s.undo.number
        error = s.undo.error
    if error is not None:
        row["error"] = {"type": error.type, "message": error.message}
    return row


def _unreached(state: State, number: int) -> tuple[tuple[int, ...], str] | None:
    """Gives the place and the status of a step that was not reached; None inside a loop."""
    order: tuple[int, ...] = (number,)
    status = "skipped" if state.finished else "pending"
    while True:
        entry = state.index.entries[number]
        block = state.index.blocks[entry.block]
        if block.kind in ("item", "candidate", "round", "rollback"):
            return None
        frame = _frame_of(state, entry.block)
        # Before its first event a run has not begun even the saga's own body.
        if frame is not None and (
            frame.halted()
            or (frame.progress is None and frame.parent is not None)
            or _passed(frame, number)
        ):
            status = "skipped"
        if block.owner == ROOT:
            return order, status
        number = block.owner
        order = (number, entry.block, 0, *order)


def _passed(frame: Frame, number: int) -> bool:
    """True when a statement was passed over, or has settled without the block asked about."""
    progress = frame.progress
    return progress is not None and (number in progress.skipped or number in progress.settled)


def _frame_of(state: State, block: int) -> Frame | None:
    known = state.index.blocks[block]
    if known.owner == ROOT:
        return state.root
    path = state.index.entries[known.owner].statement.path
    return state.frames.get(f"{path}.else" if known.kind == "else" else path)


def waiting_for(state: State) -> list[dict[str, Any]]:
    """Gives what people, the outside or time still owe the run."""
    found: list[dict[str, Any]] = []
    for path in state.owed:
        g = state.gates.get(path)
        w = state.pauses.get(path)
        if g is not None and g.phase == "open" and not g.frame.halted():
            gate = state.index.entries[g.number].statement
            assert isinstance(gate, Gate)
            timer = g.timers.get("gate")
            needs, due = f"{gate.needs} of {gate.group}", timer.due if timer else None
            row = _waiting_row("gate", path, needs, g.shows, due)
            found.append({**row, "approved_by": list(g.approvals), "digest": g.digest})
        elif path in state.asked and is_open(state, state.asked[path]):
            asked = state.asked[path]
            row = _waiting_row("gate", path, f"1 of {asked.group}", asked.shows, None)
            found.append({**row, "digest": asked.digest})
        elif w is not None and w.phase == "ready" and not w.frame.halted():
            node = state.index.entries[w.number].statement
            timer = w.timers.get("wait")
            signal = str(node.type) if isinstance(node, Wait) else ""
            kind = "signal" if signal else "timer"
            found.append(_waiting_row(kind, path, signal, {}, timer.due if timer else None))
    for path, runs in waits_for(state).items():
        found.append(_waiting_row("run", path, f"run {', '.join(runs)}", {}, None))
    return found


def _waiting_row(
    kind: str, path: str, needs: str, shows: dict[str, Any], until: int | None
) -> dict[str, Any]:
    row = {"kind": kind, "path": path, "needs": needs, "shows": shows, "until": until}
    return {**row, "approved_by": [], "digest": ""}


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
        holder = state.holder(path)
        timer = holder.timers.get(name) if holder is not None else None
    return timer is not None and timer.n == n and not timer.over


def open_timers(state: State) -> list[tuple[str, str, Timer]]:
    """Gives (path, name, timer) of every timer that still runs."""
    found: list[tuple[str, str, Timer]] = []
    if state.finished:
        return found
    if state.deadline is not None and not state.deadline.over:
        found.append(("", "deadline", state.deadline))
    for path in state.timed:
        holder = state.holder(path)
        for name, timer in holder.timers.items() if holder is not None else ():
            if not timer.over:
                found.append((path, name, timer))
    return found


def open_incident(state: State) -> Incident | None:
    """Gives the incident that people should answer first."""
    for incident in state.incidents.values():
        if incident.open:
            return incident
    return None


def incident_view(state: State, incident: Incident) -> dict[str, Any]:
    """Gives an incident in the shape that people and programs read."""
    touched = [s for s in state.steps.values() if landed(s) or s.path == incident.path]
    rows: list[dict[str, Any]] = []
    irreversible: list[dict[str, Any]] = []
    deadlines: list[dict[str, Any]] = []
    for s in touched:
        step = s.site.step
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
        lifetime = s.site.tool.idempotent
        if s.phase == "unknown" and lifetime is not None and lifetime.lifetime is not None:
            deadlines.append(
                {"path": s.path, "key": s.do.key, "until": s.do.first_wall + lifetime.lifetime}
            )
    runbook = ""
    if incident.path in state.steps:
        runbook = state.steps[incident.path].site.tool.runbook
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


def _people_owe(state: State) -> bool:
    """True while somebody or something from outside, not only time, owes the run an answer."""
    for path in state.owed:
        w = state.pauses.get(path)
        if path in state.asked and not is_open(state, state.asked[path]):
            continue
        if w is None or not isinstance(state.index.entries[w.number].statement, Sleep):
            return True
    return False


def _busy(state: State) -> bool:
    """True while something but people makes the run go on."""
    if state.issued or state.agenda:
        return True
    return any(
        not timer.over
        for path in state.timed
        if (s := state.steps.get(path)) is not None
        for name, timer in s.timers.items()
        if name != "deadline"
    )
