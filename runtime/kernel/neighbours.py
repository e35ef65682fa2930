"""Neighbours: other unfinished runs of the log that touch a resource which a call would touch.

First the run says that it is going to touch the resource, durably; then the driver looks who else
does, and who goes first (`precedence`): nothing depends on who looks first, and a replay never
looks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ..events import Event
from .commands import Append, Command, Survey
from .registry import landed
from .state import Neighbourhood, State, StepState


def wants_of_neighbours(
    state: State, s: StepState, resources: Sequence[str]
) -> list[Command] | None:
    """Gives what comes before a call's first intent; [] while it waits, None when it may go."""
    choice = s.site.between_runs
    if choice == "allow" or s.wire_args is not None:
        return None
    around = s.neighbourhood
    if around is None:
        event = Event(
            "chosen",
            path=s.path,
            status="announced",
            generation=s.generation,
            data={"resources": list(resources)},
        )
        return [Append(f"{s.path}|announced|{s.generation}", event)]
    if around.accepted or around.runs == []:
        return None
    if around.runs and (choice == "escalate" or around.circle):
        return [_ask(state, s, around)]
    command = f"{s.path}|survey|{s.generation}|{around.surveys + 1}"
    return [Survey(command, s.path, tuple(resources), tuple(around.runs or ()))]


def surveyed(state: State, survey: Survey, runs: Sequence[str], circle: bool) -> Event:
    """Makes the event of a survey: the runs that touch a resource, and are not to come later.

    `circle`: one of them waits, directly or through others, for this run, which is the youngest.
    """
    data = {"runs": list(runs), **({"circle": True} if circle else {})}
    s = state.steps[survey.path]
    return Event("chosen", path=survey.path, status="surveyed", generation=s.generation, data=data)


def announced(s: StepState, event: Event) -> None:
    """Folds that a step is going to touch some resources."""
    s.neighbourhood = Neighbourhood(event.data["resources"])


def seen(state: State, s: StepState, event: Event) -> None:
    """Folds what a survey found."""
    around = s.neighbourhood
    assert around is not None
    around.surveys += 1
    around.runs = list(event.data["runs"])
    around.circle = bool(event.data.get("circle", False))
    state.issued.pop(f"{s.path}|survey|{s.generation}|{around.surveys}", None)


def look_again(s: StepState) -> None:
    """Folds that somebody has a step look again for other runs."""
    if s.neighbourhood is not None:
        s.neighbourhood.runs = None
        s.neighbourhood.circle = False


def accept(s: StepState) -> None:
    """Folds that somebody lets a step go on although other runs touch the same resource."""
    if s.neighbourhood is not None:
        s.neighbourhood.accepted = True


class Claim(NamedTuple):
    """What a step touches, or is going to touch.

    `stage`: *held* where an effect is, or may be; *going* from the moment at which nobody is in its
    way; *announced* before. `runs` are those which an announced one lets go first.
    """

    path: str
    resources: Sequence[str]
    stage: Literal["announced", "going", "held"]
    runs: Sequence[str] = ()


def claims(state: State) -> Iterator[Claim]:
    """Gives what the steps of a run touch, and what those that were announced are going to."""
    for s in state.steps.values():
        around = s.neighbourhood
        if landed(s) or (s.phase == "between" and s.intent_n):
            if s.resources:
                yield Claim(s.path, [str(row["resource"]) for row in s.resources], "held")
        elif around is not None and s.phase == "ready" and not s.frame.halted():
            goes = around.accepted or around.runs == [] or s.wire_args is not None
            if goes:
                yield Claim(s.path, around.resources, "going")
            else:
                yield Claim(s.path, around.resources, "announced", tuple(around.runs or ()))


def meet(some: Sequence[str], others: Sequence[str]) -> bool:
    """True when one of some resources may be one of others."""
    return any(meets(one, other) for one in some for other in others)


def meets(one: str, other: str) -> bool:
    """True when two resources may be the same: equal texts, or one is the whole kind."""
    if one == other:
        return True
    kind, bracket, _ = one.partition("(")
    other_kind, other_bracket, _ = other.partition("(")
    return kind == other_kind and not (bracket and other_bracket)


def waits_for(state: State) -> dict[str, Sequence[str]]:
    """Gives the runs that a run waits for now, by the paths of the steps that wait."""
    if not state.index.neighbourly:
        return {}
    return {claim.path: claim.runs for claim in claims(state) if claim.runs}


def _ask(state: State, s: StepState, around: Neighbourhood) -> Append:
    runs = ", ".join(around.runs or ())
    touches = f"{', '.join(around.resources)} is touched by {runs}, which is not over"
    said = f"`{s.path}` waits: {touches}"
    if around.circle:
        said = f"`{s.path}` would wait for ever: {touches} and waits for this run"
    event = Event(kind="escalated", path=s.path, status="between_runs", data={"summary": said})
    return Append(f"{s.path}|escalated|between_runs|{state.n}", event)
