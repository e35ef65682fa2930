"""How a run is shown to people and programs: the JSON shapes of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from ..events import Event
from ..kernel import views
from ..kernel.state import State
from ..plain import to_plain
from ..values import decode


def run_view(state: State, status: str = "", reason: str = "") -> dict[str, Any]:
    """Gives a run as `run`, `resume` and `show` print it; `status` when the driver knows better."""
    incident = views.open_incident(state)
    shown = {
        "run_id": state.run_id,
        "saga": state.index.plan.saga,
        "definition": state.definition,
        "status": status or views.status_of_run(state),
        "result": None if state.result is None else to_plain(decode(state.result)),
        "error": error_view(state.error),
        "steps": [{**row, "result": to_plain(decode(row["result"]))} for row in views.steps(state)],
        "effects": views.effects(state),
        "readiness": fraction(state.readiness),
        "checkpoints": [{"name": name, "n": n} for name, n in state.checkpoints.items()],
        "waiting_for": [waiting_view(row) for row in views.waiting_for(state)],
        "incident": None if incident is None else incident_view(state),
    }
    if reason:
        shown["reason"] = reason
    return shown


def last_checkpoints(shown: Mapping[str, Any]) -> str:
    """Names the last checkpoints of a run as `run_view` gives it; a long loop has one an item."""
    names = [row["name"] for row in shown["checkpoints"]]
    more = f"{len(names) - _NAMED} more, " if len(names) > _NAMED else ""
    return more + ", ".join(names[-_NAMED:])


_NAMED = 5


def incident_view(state: State) -> dict[str, Any] | None:
    """Gives the incident that people should answer first."""
    incident = views.open_incident(state)
    if incident is None:
        return None
    shown = views.incident_view(state, incident)
    shown["readiness"] = fraction(state.readiness)
    for row in shown["deadlines"]:
        row["until"] = moment(row["until"])
    return shown


def waiting_view(row: dict[str, Any]) -> dict[str, Any]:
    """Gives what a run waits for, with what a gate shows as plain values."""
    shows = {name: to_plain(decode(wire)) for name, wire in row.get("shows", {}).items()}
    until = row["until"]
    return {
        "kind": row["kind"],
        "path": row["path"],
        "needs": row.get("needs") or row.get("type", ""),
        "shows": shows,
        "until": None if until is None else moment(until),
        **{name: row[name] for name in ("approved_by", "digest") if name in row},
    }


def error_view(error: Any) -> dict[str, Any] | None:
    """Gives an error without its traceback."""
    return None if error is None else {"type": error.type, "message": error.message}


def fraction(pair: tuple[int, int]) -> str:
    """Gives a readiness as a decimal text of at most four places."""
    num, den = pair
    value = (Decimal(num) / Decimal(den)).quantize(Decimal("0.0001"))
    return f"{value.normalize():f}"


def moment(milliseconds: int) -> str:
    """Gives a time in UTC milliseconds as ISO 8601."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def event_view(event: Event) -> dict[str, Any]:
    """Gives an event as `log` prints it; values stand in their stored form."""
    shown: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(event))
    shown["readiness"] = None if event.readiness is None else fraction(event.readiness)
    shown["wall_time"] = moment(event.wall_time)
    return shown


def timeline(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Gives every attempt with its begin and end, in the order in which they began.

    Times are the run's own, in milliseconds since its start; `end` is None while a call goes on.
    """
    rows: list[dict[str, Any]] = []
    open_rows: dict[tuple[str, str, int, int], dict[str, Any]] = {}
    for event in events:
        key = (event.path, event.direction, event.generation, event.attempt)
        if event.kind == "intent":
            row = {
                "path": event.path,
                "direction": event.direction,
                "generation": event.generation,
                "attempt": event.attempt,
                "tool": event.action.tool if event.action else "",
                "begin": event.elapsed,
                "end": None,
                "status": "in_flight",
            }
            rows.append(row)
            open_rows[key] = row
        elif event.kind in ("outcome", "attempt_lost") and (row_ := open_rows.pop(key, None)):
            row_["end"] = event.elapsed
            row_["status"] = event.status or "lost"
    return rows


def readiness_history(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Gives each change of readiness and the event that caused it."""
    rows: list[dict[str, Any]] = []
    before: tuple[int, int] | None = None
    for event in events:
        now = event.readiness
        if now is not None and (before is None or now[0] * before[1] != before[0] * now[1]):
            rows.append(
                {"n": event.n, "kind": event.kind, "path": event.path, "readiness": fraction(now)}
            )
            before = now
    return rows
