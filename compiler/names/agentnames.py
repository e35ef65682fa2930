"""The names in agents resolved: the tools that each may use, and what its clauses may read."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import Agent, AgentTool, Effect, MayUse, Saga, Tool, of
from ...dsl.parser import Parsed
from ...dsl.span import Span
from .catalogue import Catalogue, Declared, spelled, unreadable
from .declared import N207, again
from .saganames import in_groups
from .toolnames import T307, clauses_once, constant, unknown, uses


def agent(
    catalogue: Catalogue, module: Parsed, node: Agent, groups: frozenset[str] | None
) -> Iterator[Diagnostic]:
    """Yields every problem of names in an agent; `groups` are those that exist, None if unknown."""
    yield from clauses_once(node.clauses)
    yield from uses(catalogue, module, node)
    for parameter in node.parameters:
        if parameter.default is not None:
            yield from constant(catalogue, module, parameter.default)
    lists = of(node.clauses, MayUse)
    if not lists:
        yield N207(
            f"The agent {spelled(node.name)} may use nothing: it could only think.",
            node.name.span,
            helps=["Say what it may call: `may use TOOL, ...`."],
        )
    seen: dict[str, AgentTool] = {}
    for used in (tool for clause in lists for tool in clause.tools):
        earlier = seen.setdefault(used.name.text, used)
        if earlier is not used:
            yield again(used.name, earlier.name, f"{spelled(used.name)} is in the list already.")
        yield from _used(catalogue, module, node, used, groups)
        if used.group is not None:
            yield from in_groups(used.group, groups)


def _used(
    catalogue: Catalogue,
    module: Parsed,
    node: Agent,
    used: AgentTool,
    groups: frozenset[str] | None,
) -> Iterator[Diagnostic]:
    name = used.name
    found = catalogue.find(module.source.name, name.text)
    if found is None:
        if name.text not in unreadable(module):
            tools = catalogue.words(module.source.name, "tool")
            message = f"There is no tool {spelled(name)}."
            yield unknown(name, message, tools, "Declare it or import it.")
    elif not isinstance(found.node, Tool):
        yield T307(
            f"An agent uses tools, but {spelled(name)} is {found.kind}.",
            name.span,
            also=[(found.node.name.span, "declared here")],
            helps=["List the tools that it may call."]
            if isinstance(found.node, Agent | Saga)
            else (),
        )
    else:
        yield from _free_to_use(node, used, found, groups)


def _free_to_use(
    node: Agent, used: AgentTool, found: Declared, groups: frozenset[str] | None
) -> Iterator[Diagnostic]:
    assert isinstance(found.node, Tool)
    effects = of(found.node.clauses, Effect)
    if effects and all(effect.effect_class == "restoring" for effect in effects):
        yield N207(
            f"{spelled(used.name)} takes back what another tool did: "
            "it is called as an undo or a corrective only.",
            used.name.span,
            "an agent may not call it",
            also=[(effects[0].span, "restoring")],
            helps=["Take it out of the list: what the agent did is undone without it."],
        )
    final = next((e for e in effects if e.effect_class == "irreversible"), None)
    if final is not None and used.group is None:
        at = Span(used.span.source, used.span.end, used.span.end)
        yield N207(
            f"Nothing takes back what {spelled(used.name)} does, and {spelled(node.name)} would "
            "call it whenever it likes: people must agree to each call.",
            used.name.span,
            "irreversible, and without a gate",
            also=[(final.span, "irreversible")],
            helps=['Write `needs "group"` behind it: each call then waits for its own gate.'],
            fix=replacement("ask", at, f' needs "{min(groups or {"people"})}"'),
        )
