"""The tools and agents of a compilation, each lowered once, and what each calls in its turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...runtime import plan
from ..typing.annotations import Annotated
from . import lowertools
from .loweragents import agent


class Toolbox:
    """Lowers tools and agents when they are first asked for."""

    def __init__(self, annotated: Annotated) -> None:
        self._annotated = annotated
        self._tools: dict[str, plan.Tool] = {}
        self._agents: dict[str, plan.Agent] = {}

    def tool(self, name: str) -> plan.Tool:
        """Gives a tool by its name in plans."""
        if name not in self._tools:
            declared = self._annotated.resolved.catalogue.plan_names[name]
            self._tools[name] = lowertools.tool(self._annotated, declared)
        return self._tools[name]

    def agent(self, name: str) -> plan.Agent:
        """Gives an agent by its name in plans."""
        if name not in self._agents:
            declared = self._annotated.resolved.catalogue.plan_names[name]
            self._agents[name] = agent(self._annotated, declared)
        return self._agents[name]

    def reached(self, first: Iterable[str]) -> tuple[plan.Tool, ...]:
        """Gives some tools with those that they call in their clauses, sorted by name."""
        found: dict[str, plan.Tool] = {}
        waiting = list(first)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = self.tool(name)
                waiting += called_by(found[name])
        return tuple(found[name] for name in sorted(found))


def called_by(tool: plan.Tool) -> set[str]:
    """Gives the tools that the clauses of a tool call."""
    found = {remember.tool for remember in tool.remember}
    found |= {evidence.tool for evidence in tool.evidence}
    found |= set(_verifying(tool.verify)) | set(_undoing(tool.undos))
    for effect in tool.effects:
        if effect.corrective is not None and effect.corrective.tool:
            found.add(effect.corrective.tool)
    return found


def calls(body: tuple[plan.Node, ...]) -> Iterator[str]:
    """Yields the tools that the statements of a body call; those of agents are theirs."""
    for node in plan.statements(body):
        match node:
            case plan.Step(tool=tool, verify=verify, undos=undos, expecting=expecting):
                yield tool
                yield from _verifying(verify)
                yield from _undoing(undos)
                if expecting is not None:
                    yield expecting.tool
            case plan.SagaCall(undos=undos):
                yield from _undoing(undos)
            case _:
                pass


def agents(body: tuple[plan.Node, ...]) -> set[str]:
    """Gives the agents that the statements of a body call."""
    return {node.agent for node in plan.statements(body) if isinstance(node, plan.AgentCall)}


def _verifying(verify: plan.Verify | None) -> Iterator[str]:
    if verify is not None:
        yield verify.tool


def _undoing(undos: Iterable[plan.Undo]) -> Iterator[str]:
    for undo in undos:
        yield undo.tool
        yield from _verifying(undo.verify)
