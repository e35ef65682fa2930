"""The tools and agents of a compilation, each lowered once, and what each calls in its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from ...runtime import plan
from ..names.catalogue import Declared
from ..typing.annotations import Annotated
from . import lowertools
from .loweragents import agent


class Reached(Struct, frozen=True):
    """The tools that are called, and the sagas that undos name, each sorted by name."""

    tools: tuple[plan.Tool, ...]
    undo_sagas: tuple[plan.UndoSaga, ...]


class Toolbox:
    """Lowers tools, agents and sagas that undos name when they are first asked for.

    `lower_saga` lowers one of these sagas.
    """

    def __init__(
        self,
        annotated: Annotated,
        lower_saga: Callable[[Annotated, Toolbox, Declared], plan.UndoSaga],
    ) -> None:
        self._annotated = annotated
        self._lower_saga = lower_saga
        self._undo_sagas: dict[str, plan.UndoSaga] = {}
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

    def undo_saga(self, name: str) -> plan.UndoSaga:
        """Gives a saga that an undo names by its name in plans."""
        if name not in self._undo_sagas:
            declared = self._annotated.resolved.catalogue.plan_names[name]
            self._undo_sagas[name] = self._lower_saga(self._annotated, self, declared)
        return self._undo_sagas[name]

    def reached(self, first: Iterable[str]) -> Reached:
        """Gives what is called first with all that this calls in its clauses."""
        catalogue = self._annotated.resolved.catalogue
        tools: dict[str, plan.Tool] = {}
        sagas: dict[str, plan.UndoSaga] = {}
        waiting = list(first)
        while waiting:
            name = waiting.pop()
            if name in tools or name in sagas:
                continue
            if catalogue.plan_names[name].noun == "saga":
                sagas[name] = self.undo_saga(name)
                waiting += calls(sagas[name].body)
            else:
                tools[name] = self.tool(name)
                waiting += called_by(tools[name])
        return Reached(
            tuple(tools[name] for name in sorted(tools)),
            tuple(sagas[name] for name in sorted(sagas)),
        )


def called_by(tool: plan.Tool) -> set[str]:
    """Gives the tools, and sagas as undos, that the clauses of a tool call."""
    found = {remember.tool for remember in tool.remember}
    found |= {evidence.tool for evidence in tool.evidence}
    found |= set(_verifying(tool.verify)) | set(_undoing(tool.undos))
    for effect in tool.effects:
        if effect.corrective is not None and effect.corrective.tool:
            found.add(effect.corrective.tool)
    return found


def calls(body: tuple[plan.Node, ...]) -> Iterator[str]:
    """Yields the tools, and sagas as undos, that a body calls; those of agents are theirs."""
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
