"""Agents: steps that decide by themselves which of their tools to call, each call a child step.

An agent changes nothing itself: its own call is simply made again after a failure or a crash, and
a call with the same tool and arguments as an earlier one is answered from the log. What an attempt
that succeeds did not ask for again is undone.
"""

from __future__ import annotations

from typing import Any, Literal as OneOf

from msgspec import Struct

from ..events import Event
from ..expressions import Failed
from ..shapes import Mismatch
from ..values import decode
from .agency import Agency, is_there
from .agent_calls import children, goes_on
from .budget import attempts_left
from .clauses import argument_digest, stored, with_defaults
from .commands import Append, Call, Command
from .forward import again, wants_of_step
from .state import State, StepState


class Told(Struct, frozen=True):
    """What an agent is told of a call: its value, why it was refused, or why the value is lost."""

    kind: OneOf["value", "refused", "lost"]
    text: str = ""
    value: Any = None


def ask(state: State, call: Call, tool: str, given: dict[str, Any]) -> Event | str:
    """Gives the event by which a call of an agent is made or claimed, or why it is refused.

    `call` is the attempt of the agent that asks, `given` live values by parameter.
    """
    s = state.steps.get(call.path)
    if (
        s is None
        or s.phase != "called"
        or (s.generation, s.do.number)
        != (
            call.generation,
            call.attempt,
        )
    ):
        return f"this attempt of `{call.path}` is over: it calls nothing any more"
    if s.frame.stopped():
        return "the run is going back: nothing more is called"
    agent = s.site.agent
    assert agent is not None
    number = state.index.calls.get((s.site.number, tool))
    if number is None:
        may = ", ".join(use.tool for use in agent.uses)
        return f"`{agent.name}` may not use `{tool}`; it may use {may}"
    called = state.index.tools[tool]
    unknown = [name for name in given if name not in {p.name for p in called.parameters}]
    if unknown:
        takes = ", ".join(f"{p.name}: {p.type}" for p in called.parameters) or "nothing"
        return f"`{tool}` has no parameter `{unknown[0]}`; it takes {takes}"
    try:
        wire = stored(with_defaults(state, called, given, outside=True))
    except (Failed, Mismatch) as reason:
        return f"`{tool}` is not called: {reason}"
    digest = argument_digest(wire)
    agency = state.agents.get(s.path, Agency())
    for path in agency.calls:
        made = state.steps[path]
        same = made.site.number == number and made.digest == digest
        if same and path not in agency.claimed and is_there(made):
            data = {"agent": s.path, "attempt": call.attempt}
            return Event("chosen", path=path, status="claimed", data=data)
    if agent.at_most is not None and len(agency.calls) >= agent.at_most:
        return f"`{agent.name}` has made its {agent.at_most} calls: no other is made"
    data = {"agent": s.path, "attempt": call.attempt, "tool": tool, "args": wire}
    return Event("chosen", path=f"{s.path}[{len(agency.calls) + 1}]", status="asked", data=data)


def told(state: State, path: str) -> Told | None:
    """Gives what an agent is told of one of its calls; None while that has not settled."""
    s = state.steps[path]
    if s.settled and s.phase == "landed" and s.error is None:
        if s.unavailable:
            said = f"`{path}` happened, and its value is not available: {s.unavailable}"
            return Told("lost", said)
        return Told("value", value=decode(s.result))
    if s.settled:
        return Told("refused", _why(s))
    if s.frame.stopped() and s.phase not in ("called", "unknown", "confirming"):
        return Told("refused", "the run is going back")
    return None


def _why(s: StepState) -> str:
    if s.error is not None:
        return f"{s.error.type}: {s.error.message}"
    return "it was undone" if s.phase == "undone" else "it was left out"


def wants_of_agent(state: State, s: StepState) -> list[Command]:
    """Gives what an agent's step wants: an attempt once its calls have settled, or its end."""
    if s.phase == "clearing":
        return _clear(state, s, "cleared", [])
    if s.phase != "between" or s.frame.stopped():
        return wants_of_step(state, s)
    if any(goes_on(child) for child in children(state, s.path)):
        return []
    step = s.site.step
    tool = s.site.tool
    if not attempts_left(step.retry, s.do):
        ends = again(state, s, step, tool, at_once=True)
        return ends if step.on_failure != "continue" else _clear(state, s, "", ends)
    return again(state, s, step, tool, at_once=state.agents[s.path].lost)


def _clear(state: State, s: StepState, status: str, ends: list[Command]) -> list[Command]:
    """Gives the undo of what is not kept, one after the other, and then the end.

    What is not kept is all that the agent called when it has failed and the saga goes on (`status`
    empty), else what its last attempt did not claim.
    """
    claimed: set[str] = state.agents[s.path].claimed if status else set()
    if not s.frame.stopped():
        rest = [child for child in children(state, s.path) if child.path not in claimed]
        if any(goes_on(child) or child.path in state.alone for child in rest):
            return []
        for child in reversed(rest):
            if _stands(state, child):
                event = Event("chosen", path=child.path, status="unclaimed", data={"agent": s.path})
                return [Append(f"{child.path}|unclaimed|{s.generation}|{s.do.number}", event)]
    if not status:
        return ends
    event = Event("chosen", path=s.path, status=status, data={"agent": s.path})
    return [Append(f"{s.path}|{status}|{s.generation}|{s.do.number}", event)]


def _stands(state: State, s: StepState) -> bool:
    reads = s.site.tool.is_read
    return not reads and s.phase == "landed" and s.undo_phase != "left"
