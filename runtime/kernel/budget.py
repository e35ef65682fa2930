"""Attempts and waits: how many calls are left, and the timers between them."""

from __future__ import annotations

from ..events import Event
from ..plan import Retry, Step
from .commands import Command, SetTimer
from .state import Calling, Holder, State, StepState

LOST_AT_MOST = 3
"""So many attempts that died with their owner are repeated without counting against `retry`."""


def attempts_left(retry: Retry, calling: Calling) -> bool:
    """True when one more attempt may be made; attempts lost with their owner do not count."""
    if calling.exhausted or calling.lost > LOST_AT_MOST:
        return False
    return retry.attempts is None or calling.attempts < retry.attempts


def pause(
    s: StepState, name: str, retry: Retry, tries: int, at_least: int = 0
) -> list[Command] | None:
    """Gives the back-off timer before the next try, [] while it runs, None when it is over.

    Full jitter (Brooker, "Exponential Backoff And Jitter", AWS 2015): the driver draws the length
    between 0 and the doubled step, which `retry.high` bounds. `at_least` is what a service asked.
    """
    timer = s.timers.get(name)
    if timer is not None:
        return None if timer.over else []
    span = spread_of(retry, tries)
    low, high = (at_least, max(at_least, span)) if at_least else (0, span)
    return [timer_for(s, name, low, high, safety=bool(at_least))]


def spread_of(retry: Retry, tries: int) -> int:
    """Gives the longest back-off in milliseconds after so many tries."""
    return min(retry.high, retry.low << min(max(tries - 1, 0), 40))


def wait(s: StepState, name: str, length: int) -> list[Command]:
    """Waits for a safety time: never shorter than `length` milliseconds."""
    timer = s.timers.get(name)
    if timer is not None and not timer.over:
        return []
    return [timer_for(s, name, length, length, safety=True)]


def timer_for(s: Holder, name: str, low: int, high: int, *, safety: bool) -> SetTimer:
    """Gives the command that starts a timer of a step, gate or wait."""
    event = Event(kind="timer_set", path=s.path, data={"timer": name})
    return SetTimer(f"{s.path}|timer|{name}|{s.timers_set + 1}", event, low, high, safety)


def window(step: Step) -> int:
    """Gives how long after an attempt's end a read may still miss its effect.

    It may land as the settle time ends, and reads lag behind that: the two add up.
    """
    consistent = step.verify.consistent_after if step.verify is not None else 0
    return step.settle + consistent


def window_left(state: State, s: StepState, step: Step) -> int:
    """Gives the milliseconds until an *absent* proves something; at least 1."""
    return max(1, s.do.ended + window(step) - state.elapsed)


def window_over(state: State, s: StepState, step: Step) -> bool:
    """True when nothing of the last attempt can land any more and reads have caught up."""
    return state.elapsed >= s.do.ended + window(step)
