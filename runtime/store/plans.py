"""What never changes about the steps of a definition, as rows beside the events."""

from __future__ import annotations

import msgspec

from ..plan import Plan, SagaCall, Step, Tool, statements

_ORDER = ("irreversible", "compensatable", "reversible", "restoring")


def rows_of(definition: str, plan: bytes) -> list[dict[str, object]]:
    """Gives the rows of a plan's steps; none of a plan that this version cannot read."""
    try:
        found = msgspec.json.decode(plan, type=Plan)
    except msgspec.MsgspecError:
        return []
    tools = {tool.name: tool for tool in found.tools}
    rows: dict[str, dict[str, object]] = {}
    for node in (*statements(found.body), *statements(found.on_rollback)):
        if isinstance(node, Step) and node.path not in rows:
            rows[node.path] = _row(definition, node, tools.get(node.tool))
        elif isinstance(node, SagaCall):
            rows[node.path] = {**_row(definition, node, None), "tool": node.saga, "class": "saga"}
    return list(rows.values())


def _row(definition: str, step: Step | SagaCall, tool: Tool | None) -> dict[str, object]:
    effects = tool.effects if tool else ()
    classes = {effect.effect_class for effect in effects}
    worst = next((one for one in _ORDER if one in classes), "read")
    accepted = isinstance(step, Step) and step.accepted is not None
    keyed = tool is not None and tool.idempotent is not None and tool.idempotent.by == "key"
    return {
        "definition": definition,
        "path": step.path,
        "tool": tool.name if tool else "",
        "agent": step.agent,
        "service": tool.service if tool else "",
        "class": "accepted" if worst == "irreversible" and accepted else worst,
        "impact": max((effect.impact for effect in effects), default=0),
        "by_key": keyed,
    }
