"""The events of a run told as sentences, each with its time and place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..events import Event
from .report import Moment


def timeline(events: Sequence[Event]) -> Iterator[Moment]:
    """Yields what happened, without what only the kernel cares for: timers, values, conditions."""
    tools: dict[tuple[str, str, int], str] = {}
    for event in events:
        about = (event.path, event.direction, event.generation)
        if event.action is not None:
            tools[about] = event.action.tool
        what = _told(event, tools.get(about, ""))
        if what:
            yield Moment(event.elapsed, event.path, what)


def _told(event: Event, tool: str) -> str:
    match event.kind:
        case "intent":
            again = f", attempt {event.attempt}" if event.attempt > 1 else ""
            return f"{_direction(event)}`{tool}` is called{again}"
        case "outcome" if event.direction != "read":
            said = _OUTCOMES.get(event.status, event.status.replace("_", " "))
            return f"{_direction(event)}{said}{_error(event)}"
        case "verified" if "incident" not in event.data:
            return _verified(event, tool)
        case "chosen":
            return _chosen(event)
        case "scope_closed":
            why = _WHY.get(event.status, "")
            return f"rolling back{why}{_error(event)}"
        case "decided":
            return _decided(event)
        case "escalated":
            return f"people are asked: {event.data.get('summary', event.status)}"
        case "run_finished":
            return f"the run is {event.status.replace('_', ' ')}"
        case "checkpointed" if "step" in event.data:
            return ""  # Nobody wrote it.
        case "signalled":
            return "lapses: no signal came" if event.status == "lapsed" else "the signal is there"
        case kind:
            return _FIXED.get(kind, "")


_OUTCOMES = {
    "succeeded": "answers",
    "refused": "is refused",
    "transient": "has not landed, and may be tried again",
    "unknown": "what happened is not known",
    "conflict": "the service knows the key with other arguments",
    "broken": "it landed, and broke its promise",
    "not_yet": "is not there yet",
}
_VERDICTS = {
    "applied": "it is there",
    "absent": "it is not there",
    "conflict": "somebody else has changed it",
    "unknown": "nothing can be told",
}
_WHY = {"cancelled": ": cancelled", "back": ": people say so", "rolled_back": ": people say so"}
_FIXED = {
    "gate_opened": "waits for people",
    "cancel_requested": "somebody cancels the run",
    "checkpointed": "checkpoint",
    "attempt_lost": "the process died during this call; another one takes over",
    "late": "a late answer",
}


def _direction(event: Event) -> str:
    return f"{event.direction}: " if event.direction in ("undo", "corrective") else ""


def _error(event: Event) -> str:
    if event.error is None:
        return ""
    message = event.error.message
    return f" ({event.error.type}{f': {message}' if message else ''})"


def _verified(event: Event, tool: str) -> str:
    # Before the undo is called no tool is known for this direction.
    when = " after the undo" if tool else " before the undo"
    whose = f"verify{when if event.direction == 'undo' else ''}"
    return f"{whose}: {_VERDICTS.get(event.status, event.status)}{_error(event)}"


def _chosen(event: Event) -> str:
    match event.status:
        case "skipped" | "undone":
            return f"is {event.status}"
        case "failed":
            return f"fails{_error(event)}"
        case "else" if "#" not in event.path:
            return "goes on with its `else`"
        case "items":
            return f"begins, with {len(event.data['keys'])} items" if event.data else "begins"
        case "called" if event.direction == "undo":
            return f"undo: the saga `{event.data['saga']}` begins"
        case "called" | "completed":
            return f"is {event.status}"
        case "asked":
            return f"the agent calls `{event.data['tool']}`"
        case "claimed":
            return "the agent makes this call again: it is answered from the log"
        case "unclaimed":
            return "the agent has not made this call again: it is taken back"
        case "corrective_due":
            return f"corrective due: {event.data.get('text', '')}"
        case _:
            return ""


def _decided(event: Event) -> str:
    match event.status:
        case "lapsed":
            return "lapses: nobody decided in time"
        case "refused":
            return f"{event.actor} may not decide: {event.data.get('reason', '')}"
        case status:
            return f"{status} by {event.actor}"
