"""An outcome that is not known: asked, repeated where that is harmless, waited for, or escalated.

The order of the questions is the table of the language's runtime contract, "four tiers".
"""

from __future__ import annotations

from functools import partial
from typing import Literal, Protocol

from ..events import Event, Fault
from ..expressions import Failed
from ..plan import Step, Tool, Verify
from ..shapes import Mismatch
from .budget import (
    attempts_left,
    pause,
    spread_of,
    timer_for,
    wait,
    window_left,
    window_over,
)
from .clauses import Known, blind, repeatable, spread, usable, verify_names, with_defaults
from .commands import Append, Call, Command
from .evidence import wants_of_evidence
from .state import Calling, State, StepState


class Again(Protocol):
    """The next attempt of an action; given by `forward`, which asks this module first."""

    def __call__(
        self, state: State, s: StepState, step: Step, tool: Tool, *, at_once: bool
    ) -> list[Command]: ...


def wants_of_unknown(
    state: State, s: StepState, step: Step, tool: Tool, again: Again
) -> list[Command]:
    """Gives the next thing to do about an outcome that is unknown (or is verified always)."""
    if tool.escalate_unknown and s.phase == "unknown":
        # What evidence says is asked all the same: for the people who decide.
        weighing = wants_of_evidence(state, s, step, tool, take=False)
        if weighing is not None:
            return weighing
        return [ask(state, s, "unknown", f"nothing settles the outcome of `{s.path}` but people")]
    if s.do.verdict == "key conflict":
        said = f"the service knows the key of `{s.path}` with other arguments"
        return [ask(state, s, "key_conflict", said)]
    over = window_over(state, s, step)
    if step.verify is not None:
        wishes = inquire(state, s, s.do, step.verify, over, partial(verify_names, state, s))
        if wishes is not None:
            return wishes
        match s.do.verdict:
            case "conflict":
                return [ask(state, s, "conflict", f"`{s.path}` was changed by someone else")]
            case "absent" if s.phase == "confirming" and s.do.conclusive:
                said = f"`{s.path}` answered, but its verify says that it did not happen"
                return [ask(state, s, "conflict", said)]
            case "absent":
                if _may_repeat(state, s, step, tool):
                    return again(state, s, step, tool, at_once=s.do.repeats == 0)
                return wait_and_ask(state, s, s.do, step.verify, window_left(state, s, step))
            case _:
                pass
        if s.phase == "confirming":
            return [_accept(s)]
    if _may_repeat(state, s, step, tool):
        return again(state, s, step, tool, at_once=s.do.repeats == 0)
    weighing = wants_of_evidence(state, s, step, tool)
    if weighing is not None:
        return weighing
    if blind(state, s, step) is not None:
        if not over:
            return wait(s, "window", window_left(state, s, step))
        return [_may_have_landed(s)]
    if s.frame.halted() and _resolvable(state, s, step, tool):
        return again(state, s, step, tool, at_once=s.do.repeats == 0)
    return [ask(state, s, "unknown", f"the outcome of `{s.path}` cannot be found out")]


def inquire(
    state: State,
    s: StepState,
    calling: Calling,
    verify: Verify,
    over: bool,
    known: Known,
    *,
    direction: Literal["do", "undo"] = "do",
) -> list[Command] | None:
    """Asks a verify when nothing was asked since the last attempt ended, or again after no answer.

    Gives None when there is a verdict to act on, or the verify's own budget is used up.
    """
    reader = state.index.tools[verify.tool]
    if calling.inquiries and calling.verdict in ("applied", "conflict"):
        return None
    if calling.inquiries and calling.verdict == "absent":
        return (
            None
            if calling.conclusive or not over
            else _inquiry(state, s, calling, verify, over, known, direction)
        )
    if calling.inquiries:
        budget = reader.retry.attempts
        if budget is not None and calling.failures >= budget:
            return None
        waiting = pause(s, f"verify:{direction}", reader.retry, calling.failures)
        if waiting is not None:
            return waiting
    return _inquiry(state, s, calling, verify, over, known, direction)


def wait_and_ask(
    state: State, s: StepState, calling: Calling, verify: Verify, left: int, name: str = "verify:do"
) -> list[Command]:
    """Waits before a verify is asked again: its back-off, never beyond the end of the window."""
    timer = s.timers.get(name)
    if timer is not None and not timer.over:
        return []
    reader = state.index.tools[verify.tool]
    span = spread_of(reader.retry, calling.inquiries)
    length = min(span, left) if left > 0 else span
    return [timer_for(s, name, length, length, safety=True)]


def ask(state: State, s: StepState, cause: str, summary: str) -> Append:
    """Gives the escalation of one step."""
    event = Event(kind="escalated", path=s.path, status=cause, data={"summary": summary})
    return Append(f"{s.path}|escalated|{cause}|{state.n}", event)


def _inquiry(
    state: State,
    s: StepState,
    calling: Calling,
    verify: Verify,
    over: bool,
    known: Known,
    direction: Literal["do", "undo"],
) -> list[Command]:
    reader = state.index.tools[verify.tool]
    try:
        args = with_defaults(state, reader, spread(state, verify.args, known()))
    except (Failed, Mismatch) as reason:
        said = f"`{verify.tool}` cannot be asked about `{s.path}`: {reason}"
        return [ask(state, s, "unknown" if direction == "do" else "undo_failed", said)]
    number = f"{calling.number}.{calling.inquiries + 1}"
    return [
        Call(
            id=f"{s.path}|verify:{direction}|{s.generation}|{number}",
            path=s.path,
            purpose="verify",
            direction=direction,
            generation=s.generation,
            attempt=calling.number,
            tool=verify.tool,
            args=args,
            key="",
            timeout=reader.timeout,
            name="conclusive" if over else "",
        )
    ]


def _may_repeat(state: State, s: StepState, step: Step, tool: Tool) -> bool:
    if s.frame.halted() or s.phase == "confirming" or not repeatable(state, s, tool):
        return False
    return attempts_left(step.retry, s.do)


def _resolvable(state: State, s: StepState, step: Step, tool: Tool) -> bool:
    """True when repeating the call finds out the outcome and whatever it gives can be undone."""
    if not attempts_left(step.retry, s.do) or not repeatable(state, s, tool):
        return False
    return usable(state, s, step, filled_only=False) is not None


def _may_have_landed(s: StepState) -> Append:
    error = s.do.error or Fault("Unknown", "the outcome stayed unknown")
    event = Event(
        kind="chosen",
        path=s.path,
        status="failed",
        error=error,
        generation=s.generation,
        data={"may_have_landed": True},
    )
    return Append(f"{s.path}|chosen|{s.generation}|{s.do.number}", event)


def _accept(s: StepState) -> Append:
    event = Event(kind="chosen", path=s.path, status="accepted", generation=s.generation)
    return Append(f"{s.path}|chosen|{s.generation}|{s.do.number}", event)
