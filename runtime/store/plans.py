"""What is known of a run's steps beside its events: by the plan, or folded where that says less."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ..events import Event
from ..kernel.decide import begin
from ..kernel.fold import apply
from ..kernel.index import Index
from ..kernel.views import status_of_step
from ..plan import AgentCall, Plan, SagaCall, Step, Tool, statements

_ORDER = ("irreversible", "compensatable", "reversible", "restoring")


def rows_of(definition: str, plan: bytes) -> list[dict[str, object]]:
    """Gives the rows of a plan's steps; none of a plan that this version cannot read."""
    found = _read(plan)
    if found is None:
        return []
    tools = {tool.name: tool for tool in found.tools}
    rows: dict[str, dict[str, object]] = {}
    for node in (*statements(found.body), *statements(found.on_rollback)):
        if isinstance(node, Step) and node.path not in rows:
            row = _row(node, tools.get(node.tool))
        elif isinstance(node, SagaCall):
            row = {**_row(node, None), "tool": node.saga, "class": "saga"}
        else:
            continue
        rows[node.path] = {"definition": definition, **row}
    return list(rows.values())


def needs_fold(plan: bytes) -> bool:
    """True for a plan whose statements an event by itself does not say enough of.

    The undo of a called saga settles the steps in it; what an agent calls, and what a saga that is
    an undo calls for some step, stands in no plan.
    """
    found = _read(plan)
    if found is not None and found.undo_sagas:
        return True
    nodes = () if found is None else (*statements(found.body), *statements(found.on_rollback))
    return any(isinstance(node, SagaCall | AgentCall) for node in nodes)


def folded(run_id: str, plan: bytes, events: Iterable[Event]) -> list[dict[str, object]]:
    """Gives the rows of a run's steps as the kernel's fold of its events says."""
    index = Index(msgspec.json.decode(plan, type=Plan))
    state = begin(index, run_id)
    for event in events:
        apply(state, event)
    rows: list[dict[str, object]] = []
    for s in state.steps.values():
        node = index.entries[s.site.number].statement
        row = _row(s.site.step, s.site.tool)
        if isinstance(node, SagaCall):
            row |= {"tool": node.saga, "class": "saga"}
        elif isinstance(node, AgentCall):
            row |= {"class": "agent"}
        elif s.frame.undo_of and isinstance(node, Step):
            # The kernel knows it as an undo; people know it by its tool.
            row = _row(node, index.tools[node.tool])
        rows.append({"run_id": run_id, **row, "path": s.path, "status": status_of_step(state, s)})
    return rows


def _read(plan: bytes) -> Plan | None:
    try:
        return msgspec.json.decode(plan, type=Plan)
    except msgspec.MsgspecError:
        return None


def _row(step: Step | SagaCall, tool: Tool | None) -> dict[str, object]:
    effects = tool.effects if tool else ()
    classes = {effect.effect_class for effect in effects}
    worst = next((one for one in _ORDER if one in classes), "read")
    accepted = isinstance(step, Step) and step.accepted is not None
    keyed = tool is not None and tool.idempotent is not None and tool.idempotent.by == "key"
    return {
        "path": step.path,
        "tool": tool.name if tool else "",
        "agent": step.agent,
        "service": tool.service if tool else "",
        "class": "accepted" if worst == "irreversible" and accepted else worst,
        "impact": max((effect.impact for effect in effects), default=0),
        "by_key": keyed,
    }
