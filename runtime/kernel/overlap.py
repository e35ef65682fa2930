"""Steps of one run that touch one resource: those that do not commute run one after another.

What no step orders may meet at run time on equal resources. Whoever's intent comes first is in
flight; the others wait until it has settled, and look again. A step in flight never waits for
another, so that nothing waits in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..plan import Tool

if TYPE_CHECKING:
    from .state import State, StepState

_IN_FLIGHT = ("called", "unknown", "confirming")


@dataclass(slots=True)
class Overlaps:
    """Who touches which resource, by its text and by `KIND(*)` for any of a kind.

    `touching` are steps that were in flight (looked at before they are believed), `reaching` those
    whose call is wanted, `held_up` for a step in flight those that wait for it. All is memory of
    the fold: it saves looking at every step, and says nothing that the steps do not say.
    """

    touching: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    reaching: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    held_up: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])


def held(state: State, s: StepState, tool: Tool, resources: Iterable[str]) -> bool:
    """True while a step in flight touches a resource of a wanted call and does not commute."""
    overlaps = state.overlaps
    waiting = False
    if not state.index.meeting:
        return False
    for resource in resources:
        for name in _names(resource):
            overlaps.reaching.setdefault(name, {})[s.path] = None
        for other in _in_flight(state, s, resource):
            if not _commute(tool, other.site.tool):
                overlaps.held_up.setdefault(other.path, {})[s.path] = None
                waiting = True
    return waiting


def touch(state: State, s: StepState) -> None:
    """Notes the resources of a step whose call or undo is on its way; others look again."""
    overlaps = state.overlaps
    for row in s.resources:
        resource = str(row["resource"])
        for name in _names(resource):
            overlaps.touching.setdefault(name, {})[s.path] = None
        for name in _meeting(resource):
            for path in overlaps.reaching.pop(name, ()):
                if path != s.path:
                    state.dirty[path] = None


def let_on(state: State, path: str) -> None:
    """Lets those look again who wait for a step of which something was written down."""
    for other in state.overlaps.held_up.pop(path, ()):
        state.dirty[other] = None


def _in_flight(state: State, s: StepState, resource: str) -> Iterator[StepState]:
    for name in _meeting(resource):
        there = state.overlaps.touching.get(name)
        for path in tuple(there or ()):
            other = state.steps.get(path)
            if other is None or not _touches_now(other):
                assert there is not None
                del there[path]
            elif other is not s:
                yield other


def _touches_now(s: StepState) -> bool:
    return s.phase in _IN_FLIGHT or s.undo_phase in ("calling", "unknown")


def _names(resource: str) -> tuple[str, ...]:
    """Gives the names under which a resource is found: its own, and any of its kind."""
    kind, bracket, _ = resource.partition("(")
    return (resource, f"{kind}(*)") if bracket else (resource,)


def _meeting(resource: str) -> tuple[str, ...]:
    """Gives the names of what a resource meets: itself and its whole kind; a kind meets any."""
    kind, bracket, _ = resource.partition("(")
    return (resource, kind if bracket else f"{kind}(*)")


def _commute(one: Tool, other: Tool) -> bool:
    if one.name == other.name:
        return one.commutes or one.name in one.commutes_with
    return other.name in one.commutes_with or one.name in other.commutes_with
