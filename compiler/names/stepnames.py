"""Steps resolved: what they call, and which clauses a call of a tool, agent or saga may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity, replacement
from ...dsl.nodes import (
    AcceptIrreversible,
    Agent,
    Effect,
    Expecting,
    Name,
    Node,
    NoEffect,
    Overrides,
    Retry,
    Saga,
    Step,
    Timeout,
    Tool,
    Undo,
    Until,
    Verify,
    of,
)
from ...dsl.parser import Parsed
from ...dsl.span import Span
from .catalogue import Catalogue, Declared, spelled, unreadable
from .declared import N207
from .outline import Outline, Site
from .references import free
from .toolnames import T307, called, clauses_once, undo, unknown
from .undosagas import restoring
from .values import G405, value

CLAUSES: Mapping[type[Node], str] = {
    Until: "until",
    Expecting: "expecting",
    AcceptIrreversible: "accept irreversible",
    Timeout: "timeout",
    Retry: "retry",
    Verify: "verify",
    Undo: "undo",
}
NOT_OF_AGENT: Mapping[type[Node], str] = {
    Until: "it polls a read, and an agent is none",
    Expecting: "the tools that the agent uses look after what they change",
    AcceptIrreversible: "each irreversible tool in its list waits for a gate of its own",
    Verify: "each call that it makes has the verify of its tool",
    Undo: "each call that it makes has the undo of its tool",
}
NOT_OF_SAGA: Mapping[type[Node], str] = {
    Until: "it polls a read, and a saga is none",
    Expecting: "it stands at the step of that saga that makes the change",
    AcceptIrreversible: "it stands at the step of that saga that it is about",
    Timeout: "the saga can have a `deadline`",
    Retry: "its own steps try again",
    Verify: "its own steps have theirs",
}


def step(
    catalogue: Catalogue,
    module: Parsed,
    saga: Saga,
    outline: Outline,
    site: Site,
    node: Step,
    takes_back: bool,
) -> Iterator[Diagnostic]:
    """Yields every problem of names in a step, but for those of its expressions.

    A saga that `takes_back` is named by an undo.
    """
    callee = catalogue.find(module.source.name, node.call.callee.text)
    # A saga that calls itself is told as such (`recursion`).
    if callee is None or callee.node is not saga:
        yield from _callee(catalogue, module, node, callee, takes_back)
    if callee is not None and isinstance(callee.node, Agent | Saga):
        yield from _misfits(node, callee)
        if outline.on_rollback(site) is not None:
            yield N207(
                f"In `on rollback` steps call tools only, and {spelled(node.call.callee)} is "
                f"{callee.kind}.",
                node.call.callee.span,
                also=[(callee.node.name.span, f"{callee.kind}")],
                helps=["When the run has been rolled back, nothing is begun that could have to be "
                       "taken back."],
            )  # fmt: skip
    yield from clauses_once(node.clauses)
    for expecting in of(node.clauses, Expecting):
        yield from called(catalogue, module, expecting.call, "`expecting`")
        yield from _since(outline, site, expecting)
    for overrides in of(node.clauses, Overrides):
        yield from clauses_once(overrides.clauses)
        for clause in overrides.clauses:
            if isinstance(clause, Verify):
                yield from called(catalogue, module, clause.call, "A verify")
            elif isinstance(clause, Undo):
                yield from undo(catalogue, module, clause)


def _callee(
    catalogue: Catalogue, module: Parsed, node: Step, callee: Declared | None, takes_back: bool
) -> Iterator[Diagnostic]:
    name = node.call.callee
    if callee is None:
        if name.text not in unreadable(module):
            words = catalogue.words(module.source.name, "tool", "agent", "saga")
            yield unknown(name, f"There is no tool, agent or saga {spelled(name)}.", words,
                          "Declare it or import it.")  # fmt: skip
    elif not isinstance(callee.node, Tool | Agent | Saga):
        yield T307(
            f"The step {spelled(node.name)} calls a tool, an agent or a saga, but "
            f"{spelled(name)} is {callee.kind}.",
            name.span,
            also=[(callee.node.name.span, "declared here")],
        )
    elif isinstance(callee.node, Tool):
        if not takes_back:
            yield from _restoring(node, callee.node)
        yield from _nothing_to_accept(node, callee.node)


def _restoring(node: Step, tool: Tool) -> Iterator[Diagnostic]:
    effect = restoring(tool)
    if effect is not None:
        yield N207(
            f"{spelled(node.call.callee)} takes back what another tool did: "
            "it is called as an undo or a corrective only.",
            node.call.callee.span,
            "called by a step",
            also=[(effect.span, "restoring")],
            helps=[
                "When a step may do it too, its effect is reversible or compensatable; when the "
                "whole saga takes something back, an `undo` has to name it."
            ],
        )


def _nothing_to_accept(node: Step, tool: Tool) -> Iterator[Diagnostic]:
    effects = of(tool.clauses, Effect)
    stated = (*effects, *of(tool.clauses, NoEffect))
    if not stated or any(effect.effect_class == "irreversible" for effect in effects):
        return
    name = spelled(node.call.callee)
    why = f"what {name} does can be taken back, and is when the rest is"
    for clause in of(node.clauses, AcceptIrreversible):
        start = clause.span.start
        found = N207(
            "There is nothing irreversible to accept: "
            f"{why if effects else f'{name} changes nothing'}.",
            Span(clause.span.source, start, start + len("accept irreversible")),
            "accepts nothing",
            also=[(stated[0].span, "says what it changes")],
            helps=["Take it out: what is to stay has an effect that is `irreversible`."],
            fix=replacement("ask", clause.span, ""),
        )  # fmt: skip
        yield replace(found, severity=Severity.WARNING)


def _misfits(node: Step, callee: Declared) -> Iterator[Diagnostic]:
    """Yields N207 for each clause that means nothing at a call of an agent or a saga."""
    misfits = NOT_OF_AGENT if isinstance(callee.node, Agent) else NOT_OF_SAGA
    inner = [clause for block in of(node.clauses, Overrides) for clause in block.clauses]
    for clause in (*node.clauses, *inner):
        why = misfits.get(type(clause))
        if why is not None:
            word = CLAUSES[type(clause)]
            start = clause.span.start
            yield N207(
                f"A call of {callee.kind} has no `{word}`: {why}.",
                Span(clause.span.source, start, start + len(word.split()[0])),
                also=[(callee.node.name.span, f"{callee.kind}")],
                helps=["Take it out."],
            )


def _since(outline: Outline, site: Site, expecting: Expecting) -> Iterator[Diagnostic]:
    since = expecting.since
    sites = outline.sites_of(site, since.text)
    if not sites:
        known = outline.visible(outline.body(site))
        steps = {w for w in known if isinstance(_first(outline, site, w), Step)}
        yield unknown(since, f"There is no step {spelled(since)} here.", steps)
    elif not isinstance(sites[0].statement, Step):
        yield N207(f"{spelled(since)} is not a step.", since.span, helps=["Name an earlier step."])
    else:
        yield from value(outline, site, since)
        for argument in expecting.call.arguments:
            for name, _ in free(argument.value):
                yield from _known_since(outline, site, name, sites[0], since)


def _known_since(
    outline: Outline, site: Site, name: Name, then: Site, since: Name
) -> Iterator[Diagnostic]:
    """Yields G405 for an argument that has no value yet when the step is over and the read made."""
    item = outline.variable(site, name.text)
    made = outline.sites_of(site, name.text)
    if item is not None and item not in tuple(outline.around(outline.body(then))):
        at, why = item.variable, "each item has its own, and the step is over before the first"
        way = "Put a read of its own into the loop, before the step, and say `since` of that."
    elif item is None and made and outline.relation(then, made[0]) == "later":
        at, why = made[0].name, "it comes later"
        way = f"Say `since` of a step behind {spelled(name)}, such as a read of its own."
    else:
        return
    assert at is not None
    yield G405(
        f"What is expected is first read when {spelled(since)} is over, and {spelled(name)} does "
        f"not exist there yet: {why}.",
        name.span,
        "used here",
        also=[(at.span, "made here"), (since.span, "read since then")],
        helps=[way],
    )


def _first(outline: Outline, site: Site, word: str) -> Node | None:
    sites = outline.sites_of(site, word)
    return sites[0].statement if sites else None
