"""Tools that no saga reaches, checked as if each were the only step of a saga of its own."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ...runtime.formula import Formula, Name
from ...runtime.plan import Argument, Plan, Step, Tool
from .toolbox import called_by, calls


def alone(idle: Plan) -> Iterator[Plan]:
    """Gives a plan of one step for each tool that is there to be a step, and one for the rest.

    What only takes back, and what others of them call in their clauses, is no step.
    """
    called = {name for tool in idle.tools for name in called_by(tool) - {tool.name}}
    called |= {name for saga in idle.undo_sagas for name in calls(saga.body)}
    for tool in idle.tools:
        final = any(effect.effect_class == "restoring" for effect in tool.effects)
        if tool.name not in called and not final:
            yield replace(idle, parameters=tool.parameters, body=(_step(tool),))
    yield idle


def _step(tool: Tool) -> Step:
    return Step(
        path=tool.name,
        name=tool.name,
        tool=tool.name,
        args=tuple(
            Argument(name=each.name, value=Formula(Name(each.name), each.type, each.name))
            for each in tool.parameters
        ),
        type=tool.result,
        timeout=tool.timeout,
        settle=tool.settle,
        retry=tool.retry,
        verify=tool.verify,
        undos=tool.undos,
        at=tool.at,
    )
