"""What an agent is for the kernel: a step without effects, a step for each tool, and its calls."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from ..plan import Agent, AgentCall, Step, Tool


class Undoable(Protocol):
    """A call as far as it matters here."""

    phase: str
    undo_phase: str


class Agency(Struct, gc=False):
    """The calls of one agent step, in their order, over all its attempts.

    `claimed` are those that the present attempt has asked for, whether they were made before or
    not. `lost` says that the last attempt died with its process.
    """

    calls: list[str] = []
    claimed: set[str] = set()
    lost: bool = False


def agent_of(path: str) -> str:
    """Gives the path of the agent whose call a path names: `buyer` of `buyer[2]`."""
    return path.rpartition("[")[0]


def is_there(call: Undoable) -> bool:
    """True for a call that counts: it is not undone, and no undo of it is under way."""
    return call.phase != "undone" and call.undo_phase in ("", "failed", "left")


def as_step(node: AgentCall, agent: Agent) -> tuple[Step, Tool]:
    """Gives an agent as the step and the tool that it is: it changes nothing itself."""
    tool = Tool(
        name=agent.name,
        parameters=agent.parameters,
        result=agent.result,
        call=agent.call,
        fails=agent.fails,
        transient=agent.transient,
        retry=agent.retry,
        timeout=agent.timeout,
        settle=agent.settle,
        requires=agent.requires,
        ensures=agent.ensures,
        service=agent.service,
        runbook=agent.runbook,
        at=agent.at,
        doc=agent.doc,
    )
    step = Step(
        path=node.path,
        name=node.name,
        tool=agent.name,
        args=node.args,
        type=node.type,
        when=node.when,
        agent=node.acts_as,
        on_failure=node.on_failure,
        timeout=node.timeout,
        settle=node.settle,
        retry=node.retry,
        at=node.at,
    )
    return step, tool


def call_as_step(node: AgentCall, tool: Tool) -> Step:
    """Gives any call that an agent makes of a tool as a step; its failure is the agent's matter."""
    return Step(
        path=f"{node.path}[*]",
        name="",
        tool=tool.name,
        args=(),
        type=tool.result,
        agent=node.acts_as or node.agent,
        on_failure="continue",
        timeout=tool.timeout,
        settle=tool.settle,
        retry=tool.retry,
        verify=tool.verify,
        undos=tool.undos,
        at=node.at,
    )
