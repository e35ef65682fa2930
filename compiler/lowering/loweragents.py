"""Agents lowered: what each may call, and what holds for its own call."""

from __future__ import annotations

from ...dsl import nodes as n
from ...dsl.nodes import of
from ...runtime import plan
from ..names.catalogue import Declared
from ..typing.annotations import Annotated
from .lowertools import TIMEOUT, Lowering, binding, condition, documentation, errors, settle


def agent(annotated: Annotated, declared: Declared) -> plan.Agent:
    """Lowers an agent."""
    node = declared.node
    assert isinstance(node, n.Agent)
    lowering = Lowering(annotated, declared.module)
    timeout = next(iter(of(node.clauses, n.Timeout)), None)
    retry = next(iter(of(node.clauses, n.Retry)), None)
    runbook = next(iter(of(node.clauses, n.Runbook)), None)
    service = next(iter(of(node.clauses, n.Service)), None)
    (uses,) = of(node.clauses, n.MayUse)
    return plan.Agent(
        name=declared.plan_name,
        parameters=annotated.parameters[declared.plan_name],
        result=annotated.results[declared.plan_name],
        call=binding(lowering, node),
        uses=tuple(
            plan.AgentTool(
                tool=lowering.tool_name(used.name),
                needs=used.group.value if used.group else "",
                at=lowering.at(used),
            )
            for used in uses.tools
        ),
        at_most=uses.limit.value if uses.limit else None,
        fails=errors(node, n.FailsWith),
        transient=errors(node, n.TransientWith),
        retry=lowering.retry(retry) if retry else plan.Retry(),
        timeout=timeout.after.milliseconds if timeout else TIMEOUT,
        settle=settle(timeout) if timeout else TIMEOUT,
        requires=tuple(condition(lowering, c) for c in of(node.clauses, n.Requires)),
        ensures=tuple(condition(lowering, c) for c in of(node.clauses, n.Ensures)),
        service=service.name.value if service else "",
        runbook=runbook.text.value if runbook else "",
        at=lowering.at(node.name),
        doc=documentation(node),
    )
