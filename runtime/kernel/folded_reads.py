"""Folds of reads: what a step remembers before its call, and what it expects unchanged."""

from __future__ import annotations

from typing import Any, cast

from ..events import Event
from ..values import Record, decode
from .clauses import own_answer
from .landing import go_on
from .state import Calling, State, StepState


def read(state: State, s: StepState, event: Event) -> None:
    """Folds the answer of a read that a step needs: what it remembers, or expects unchanged."""
    name = str(event.data["name"])
    calling = s.reads.get(name)
    if calling is None:
        calling = Calling()
        s.reads = {**s.reads, name: calling}
    calling.number = event.attempt
    calling.attempts += 1
    calling.error = event.error
    calling.retry_after = int(event.data.get("retry_after", 0))
    purpose = "expect" if name == "expecting" or name.startswith("baseline:") else "remember"
    state.issued.pop(f"{s.path}|{purpose}:{name}|{s.generation}|{event.attempt}", None)
    s.timers.pop(f"read:{name}", None)
    if event.status == "refused":
        calling.exhausted = True
    if event.status != "succeeded":
        return
    value = decode(event.result)
    if name.startswith("baseline:"):
        s.baselines = {**s.baselines, name.removeprefix("baseline:"): value}
        if not s.frame.halted():
            go_on(state, s)
    elif name == "expecting":
        s.expected = _unchanged(state, s, value)
        s.drifted = not s.expected
    else:
        s.remembered = {**s.remembered, name: value}


def _unchanged(state: State, s: StepState, value: Any) -> bool:
    step = s.site.step
    assert step.expecting is not None
    since = state.steps[_since(state, s, step.expecting.since)]
    if step.path in since.baselines:
        before = since.baselines[step.path]
    elif own_answer(since.site.step, step):
        before = decode(since.result)
    else:
        return False
    return bool(_part(before, step.expecting.field) == _part(value, step.expecting.field))


def _since(state: State, s: StepState, static: str) -> str:
    """Gives the path of an earlier step in the frame that it stands in, here or further out."""
    entry = state.index.entries[state.index.numbers[static][0]]
    for frame in s.frame.chain():
        if frame.block == entry.block:
            return frame.prefix + entry.local
    raise LookupError(static)


def _part(value: Any, field: tuple[str, ...]) -> Any:
    for name in field:
        fields: Any = value.fields if isinstance(value, Record) else value
        value = cast("dict[str, Any]", fields).get(name) if isinstance(fields, dict) else None
    return value
