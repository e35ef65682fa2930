"""The calls that an agent has made, as its own step looks at them."""

from __future__ import annotations

from collections.abc import Iterator

from .state import State, StepState


def children(state: State, path: str) -> Iterator[StepState]:
    """Gives the calls that an agent has made, in their order."""
    agency = state.agents.get(path)
    for child in agency.calls if agency is not None else ():
        yield state.steps[child]


def goes_on(s: StepState) -> bool:
    """True while something will still come of a call of an agent by itself or by people."""
    return not s.settled and not s.frame.stopped()


def held_by_people(state: State, path: str) -> bool:
    """True for an agent at work all of whose open calls wait at their gates."""
    s = state.steps[path]
    if s.site.agent is None or s.phase != "called":
        return False
    asked = [child for child in children(state, path) if goes_on(child)]
    return bool(asked) and all(child.phase == "ready" for child in asked)
