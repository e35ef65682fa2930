"""Sites: the places of a plan where something is called, with all that follows from it alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from ..formula import Formula, Name
from ..plan import Agent, Argument, BetweenRuns, Parameter, Step, Tool

HIGH_IMPACT = 7
"""From this impact on a checkpoint is taken before the call, and people are asked when another run
touches the same resource."""

Callee = OneOf["tool", "saga", "agent"]
"""What is called at a site."""

Given = tuple[tuple[Parameter, Formula | None, str], ...]
"""Each parameter with what it is given: an argument, its default, or nothing; and the name that
this is, where it is a name by itself, as most are."""


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """One place where a tool, another saga (`is_call`) or an agent is called, computed once.

    `calls` says which of the three. `is_read`: it changes nothing outside by itself or by what it
    calls; `conditional`: conditions or reads come before a call; `baselines` are the later steps
    that expect something unchanged since this one; `needs` is the group whose gate comes before a
    call that an agent makes; `impact` is the highest of its effects, `worth` that of those that
    can be taken back and that of all, in halves; `confirms`: its verify is asked even after an
    answer; `windows`: the time in which it can be undone ends.
    """

    number: int
    step: Step
    tool: Tool
    calls: Callee
    is_call: bool
    agent: Agent | None
    given: Given
    baselines: tuple[Step, ...]
    needs: str
    is_read: bool
    conditional: bool
    irreversible: bool
    impact: int
    worth: tuple[int, int]
    confirms: bool
    windows: bool
    between_runs: BetweenRuns


def site(
    number: int,
    step: Step,
    tool: Tool,
    given: Given = (),
    *,
    is_call: bool = False,
    agent: Agent | None = None,
    baselines: Sequence[Step] = (),
    needs: str = "",
) -> Site:
    """Makes the site of a step."""
    return Site(
        number,
        step,
        tool,
        "saga" if is_call else "agent" if agent is not None else "tool",
        is_call,
        agent,
        given,
        tuple(baselines),
        needs,
        is_read=tool.is_read and agent is None,
        conditional=bool(step.when or tool.requires or tool.remember or step.expecting),
        irreversible=tool.irreversible,
        impact=max((effect.impact for effect in tool.effects), default=0),
        worth=(
            2 * sum(e.impact for e in tool.effects if e.effect_class != "irreversible"),
            2 * sum(effect.impact for effect in tool.effects),
        ),
        confirms=tool.verify_always and step.verify is not None,
        windows=any(undo.within is not None for undo in step.undos),
        between_runs=between_runs(tool),
    )


def given_to(parameters: tuple[Parameter, ...], args: tuple[Argument, ...]) -> Given:
    """Gives each parameter what a call gives it."""
    values = {argument.name: argument.value for argument in args}
    found: list[tuple[Parameter, Formula | None, str]] = []
    for parameter in parameters:
        formula = values.get(parameter.name, parameter.default)
        tree = None if formula is None else formula.tree
        found.append((parameter, formula, tree.name if isinstance(tree, Name) else ""))
    return tuple(found)


def between_runs(tool: Tool) -> BetweenRuns:
    """Gives what a tool does about other runs that touch its resource: its word, or the default."""
    if tool.between_runs:
        return tool.between_runs
    if tool.commutes or not any(effect.impact >= HIGH_IMPACT for effect in tool.effects):
        return "allow"
    return "escalate"
