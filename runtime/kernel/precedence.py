"""Which of two runs of a log goes first where both touch a resource.

Who announced first goes first (Lamport's bakery): an announcement is durable before its run looks,
and the log gives every one its place, so of two runs the later one always sees the earlier. What is
already touched stays in everybody's way until its run is over or has taken it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .neighbours import claims, meet
from .state import State


class Runs(Protocol):
    """What a log knows of its runs at one moment."""

    def state(self, run_id: str) -> State | None:
        """Gives the state of a run that is not over, None of one that is."""
        ...

    def announced(self, run_id: str, path: str) -> int:
        """Gives the place in the log at which a step said last what it is going to touch."""
        ...

    def age(self, run_id: str) -> tuple[int, str]:
        """Gives what orders runs by their beginning, the oldest first."""
        ...


def in_the_way(log: Runs, run_id: str, path: str, resources: Sequence[str], other: str) -> bool:
    """True when a step has to let another run go first.

    Whoever wants what this run holds already has to wait for it, and so is never in its way, even
    where it announced its step earlier than this one: that would be a circle of their own making.
    """
    state = log.state(other)
    for claim in claims(state) if state is not None else ():
        if not meet(claim.resources, resources):
            continue
        if claim.stage != "announced":
            return True
        if _holds(log, run_id, claim.resources):
            continue
        if log.announced(other, claim.path) < log.announced(run_id, path):
            return True
    return False


def is_youngest_in_circle(log: Runs, run_id: str, first: str) -> bool:
    """True when a run that is in the way waits, through others, for this one, which began last."""
    todo, seen = [first], {first}
    while todo:
        at = todo.pop()
        state = log.state(at)
        if state is None or log.age(at) > log.age(run_id):
            continue
        for claim in claims(state):
            for run in claim.runs:
                # What was seen then may have gone out of the way since.
                if run in seen or not in_the_way(log, at, claim.path, claim.resources, run):
                    continue
                if run == run_id:
                    return True
                todo.append(run)
                seen.add(run)
    return False


def _holds(log: Runs, run_id: str, resources: Sequence[str]) -> bool:
    state = log.state(run_id)
    found = claims(state) if state is not None else ()
    return any(claim.stage == "held" and meet(claim.resources, resources) for claim in found)
