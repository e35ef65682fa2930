"""Calls of tools and agents lowered: the step with everything that governs it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime import plan
from ..names.catalogue import Declared
from ..names.outline import Site
from ..typing.types import settled
from .frame import Frame, after, one
from .lowertools import documentation, settle

Replaced = Literal["timeout", "retry", "verify", "undo"]


def step(frame: Frame, node: n.Step, site: Site, declared: Declared) -> plan.Step:
    """Lowers a call of a tool."""
    lowering = frame.lowering
    tool = frame.tools.tool(declared.plan_name)
    until, expecting = one(node.clauses, n.Until), one(node.clauses, n.Expecting)
    accepted = one(node.clauses, n.AcceptIrreversible)
    inner = replacing(node)
    timeout, retry = one(inner, n.Timeout), one(inner, n.Retry)
    verify, undos = one(inner, n.Verify), of(inner, n.Undo)
    return plan.Step(
        **frame.common(site),
        after=after(node.clauses),
        name=node.name.text,
        tool=declared.plan_name,
        args=lowering.arguments(node.call),
        type=settled(lowering.annotated.types[id(node)]),
        when=frame.when(node.clauses),
        agent=acts_as(node),
        on_failure=on_failure(node),
        until=None if until is None else _until(frame, until, on_failure(node)),
        expecting=None if expecting is None else _expecting(frame, site, expecting),
        accepted=None if accepted is None else frame.formula(accepted.reason),
        timeout=tool.timeout if timeout is None else timeout.after.milliseconds,
        settle=tool.settle if timeout is None else settle(timeout),
        retry=tool.retry if retry is None else lowering.retry(retry),
        verify=tool.verify if verify is None else lowering.verify(verify),
        undos=tool.undos if not undos else tuple(lowering.undo(undo) for undo in undos),
        replaces=_replaced(inner),
    )


def agent_call(frame: Frame, node: n.Step, site: Site, declared: Declared) -> plan.AgentCall:
    """Lowers a call of an agent."""
    lowering = frame.lowering
    agent = frame.tools.agent(declared.plan_name)
    inner = replacing(node)
    timeout, retry = one(inner, n.Timeout), one(inner, n.Retry)
    return plan.AgentCall(
        **frame.common(site),
        after=after(node.clauses),
        name=node.name.text,
        agent=declared.plan_name,
        args=lowering.arguments(node.call),
        type=settled(lowering.annotated.types[id(node)]),
        when=frame.when(node.clauses),
        acts_as=acts_as(node),
        on_failure=on_failure(node),
        timeout=agent.timeout if timeout is None else timeout.after.milliseconds,
        settle=agent.settle if timeout is None else settle(timeout),
        retry=agent.retry if retry is None else lowering.retry(retry),
        replaces=_replaced(inner),
    )


def replacing(node: n.Step) -> tuple[n.Node, ...]:
    """Gives the clauses of a step's block."""
    overrides = one(node.clauses, n.Overrides)
    return () if overrides is None else overrides.clauses


def acts_as(node: n.Step) -> str:
    """Gives who acts, "" when nobody is named."""
    agent = one(node.clauses, n.ActsAs)
    return "" if agent is None else agent.agent.value


def on_failure(node: n.Step) -> plan.OnFailure:
    """Gives what the failure of a step means."""
    policy = one(node.clauses, n.OnFailure)
    return "rollback" if policy is None else policy.policy


def _until(frame: Frame, clause: n.Until, otherwise: plan.OnFailure) -> plan.Until:
    return plan.Until(
        test=frame.formula(clause.condition),
        every=clause.every.milliseconds,
        within=clause.within.milliseconds,
        otherwise=otherwise,
        at=frame.lowering.at(clause),
        doc=documentation(clause),
    )


def _expecting(frame: Frame, site: Site, clause: n.Expecting) -> plan.Expecting:
    return plan.Expecting(
        tool=frame.lowering.tool_name(clause.call.callee),
        args=frame.lowering.arguments(clause.call),
        field=tuple(field.text for field in clause.fields),
        since=frame.path(frame.outline.sites_of(site, clause.since.text)[0]),
        at=frame.lowering.at(clause),
        doc=documentation(clause),
    )


def _replaced(clauses: Iterable[n.Node]) -> tuple[Replaced, ...]:
    kinds: tuple[tuple[Replaced, type[n.Node]], ...] = (
        ("timeout", n.Timeout),
        ("retry", n.Retry),
        ("verify", n.Verify),
        ("undo", n.Undo),
    )
    return tuple(word for word, kind in kinds if one(clauses, kind) is not None)
