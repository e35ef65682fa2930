"""The names in sagas resolved: what is named twice, read before it can exist, or not known."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    Checkpoint,
    Effect,
    Expecting,
    Gate,
    Name,
    Overrides,
    PlainText,
    Promise,
    PromiseReadiness,
    Saga,
    Step,
    Tool,
    Undo,
    Verify,
    of,
)
from ...dsl.parser import Parsed
from ..codes import declare
from .catalogue import Catalogue, Declared, near, spelled, unreadable
from .declared import N201, N207, again
from .outline import Outline, Relation, Site
from .references import Use, free, of_statement
from .toolnames import called, clauses_once, constant, enum_member, inner_calls, unknown

G405 = declare("G405", "error", "used before it can exist")

WORDS = frozenset(("key", "result", "it", "args"))
WHEN: dict[Relation, str] = {
    "later": "it comes later",
    "other branch": "it is in the other branch, so that never both run",
    "same": "it is this statement's own value",
    "inside": "it is inside this statement",
}


def saga(
    catalogue: Catalogue,
    module: Parsed,
    node: Saga,
    outline: Outline,
    groups: frozenset[str] | None,
) -> Iterator[Diagnostic]:
    """Yields every problem of names in a saga; `groups` are those that exist, None if not known."""
    parameters = {p.name.text: p.name for p in node.parameters}
    values = {word: site.name for word, (site, *_) in outline.by_name.items() if site.name}
    known = {**values, **parameters}
    for parameter in node.parameters:
        if parameter.default is not None:
            yield from constant(catalogue, module, parameter.default)
    yield from _named(catalogue, module, outline, parameters)
    for site in outline.sites:
        for use in of_statement(site.statement):
            yield from _use(catalogue, module, outline, site, use, parameters, known)
            yield from inner_calls(catalogue, module, use.expr, known)
        match site.statement:
            case Step():
                callee = catalogue.find(module.source.name, site.statement.call.callee.text)
                # A saga that calls itself is told as such (`recursion`).
                if callee is None or callee.node is not node:
                    who = f"The step {spelled(site.statement.name)}"
                    yield from called(catalogue, module, site.statement.call, who)
                    yield from _restoring(site.statement, callee)
                yield from _step(catalogue, module, outline, site, site.statement)
            case Gate(group=group, clauses=clauses):
                yield from clauses_once(clauses)
                yield from in_groups(group, groups)
            case Promise():
                yield from _promise(outline, site.statement)
            case _:
                pass


def in_groups(group: PlainText, groups: frozenset[str] | None) -> Iterator[Diagnostic]:
    """Yields N201 for a group of people that is not among those that exist."""
    if groups is None or group.value in groups:
        return
    guess = near(group.value, groups)
    yield N201(
        f'There is no group "{group.value}": nobody could ever decide.',
        group.span,
        "not known",
        helps=[f'Did you mean "{guess}"?'] if guess else ["Add it to `groups` in `saga.toml`."],
        fix=replacement("ask", group.span, f'"{guess}"') if guess else None,
    )


def _named(
    catalogue: Catalogue, module: Parsed, outline: Outline, parameters: dict[str, Name]
) -> Iterator[Diagnostic]:
    for word, sites in outline.by_name.items():
        for place, site in enumerate(sites):
            name = site.name
            assert name is not None
            enum = catalogue.find(module.source.name, word)
            if word in parameters:
                message = f"{spelled(name)} is an input of the saga already."
                yield again(name, parameters[word], message)
            elif enum is not None and enum.noun == "enum":
                yield again(name, enum.node.name, f"{spelled(name)} is an enum already.")
            for earlier in sites[:place]:
                if outline.relation(site, earlier) != "other branch" and earlier.name is not None:
                    yield again(name, earlier.name, f"There are two statements {spelled(name)}.")
                    break


def _use(
    catalogue: Catalogue,
    module: Parsed,
    outline: Outline,
    site: Site,
    use: Use,
    inputs: dict[str, Name],
    known: dict[str, Name],
) -> Iterator[Diagnostic]:
    for name, field in free(use.expr):
        word = name.text
        if word in use.words:
            if word in known:
                message = f"{spelled(name)} could be the call's own or the saga's value."
                yield again(name, known[word], message)
        elif word in outline.by_name and word not in inputs:
            yield from _value(outline, site, name)
        elif word in known or word in unreadable(module):
            continue
        elif not enum_member(catalogue, module, name, field):
            yield _not_a_value(catalogue, module, name, known)


def _value(outline: Outline, site: Site, name: Name) -> Iterator[Diagnostic]:
    sites = outline.by_name[name.text]
    first = sites[0]
    assert first.name is not None
    if isinstance(first.statement, Checkpoint):
        yield N207(
            f"{spelled(name)} is a checkpoint: it has no value.",
            name.span,
            also=[(first.name.span, "here")],
        )
    elif not outline.usable(site, name.text):
        yield G405(
            f"{spelled(name)} does not exist here yet: {WHEN[outline.relation(site, first)]}.",
            name.span,
            "used here",
            also=[(first.name.span, "made here")],
            helps=["Move the statement that makes it before this one."],
        )


def _not_a_value(
    catalogue: Catalogue, module: Parsed, name: Name, known: dict[str, Name]
) -> Diagnostic:
    found = catalogue.find(module.source.name, name.text)
    if found is not None:
        return N207(
            f"{spelled(name)} is {found.kind}, not a value.",
            name.span,
            also=[(found.node.name.span, "declared here")],
            helps=[
                f"Write `{name.text}.MEMBER`."
                if found.noun == "enum"
                else "Use the name of a step that calls it."
                if found.noun in ("tool", "saga", "agent")
                else f"Write `{name.text}(field: value)`."
            ],
        )
    if name.text in WORDS:
        meant = "`it` in `until`, verdicts; `key result args` in a step's block"
        return N207(f"{spelled(name)} means nothing here.", name.span, helps=[f"Known: {meant}."])
    return unknown(name, f"There is no value {spelled(name)} in this saga.", known,
                   "Values are the saga's inputs and its named statements.")  # fmt: skip


def _step(
    catalogue: Catalogue, module: Parsed, outline: Outline, site: Site, step: Step
) -> Iterator[Diagnostic]:
    yield from clauses_once(step.clauses)
    for expecting in of(step.clauses, Expecting):
        yield from called(catalogue, module, expecting.call, "`expecting`")
        yield from _since(outline, site, expecting.since)
    for overrides in of(step.clauses, Overrides):
        yield from clauses_once(overrides.clauses)
        for clause in overrides.clauses:
            if isinstance(clause, Verify):
                yield from called(catalogue, module, clause.call, "A verify")
            elif isinstance(clause, Undo):
                yield from called(catalogue, module, clause.call, "An undo")
                yield from clauses_once(clause.clauses)
                for verify in of(clause.clauses, Verify):
                    yield from called(catalogue, module, verify.call, "A verify")


def _restoring(step: Step, callee: Declared | None) -> Iterator[Diagnostic]:
    effects = of(callee.node.clauses, Effect) if callee and isinstance(callee.node, Tool) else ()
    if effects and all(effect.effect_class == "restoring" for effect in effects):
        yield N207(
            f"{spelled(step.call.callee)} takes back what another tool did: "
            "it is called as an undo or a corrective only.",
            step.call.callee.span,
            "called by a step",
            also=[(effects[0].span, "restoring")],
            helps=["When a step may do it too, its effect is reversible or compensatable."],
        )


def _since(outline: Outline, site: Site, since: Name) -> Iterator[Diagnostic]:
    sites = outline.by_name.get(since.text, ())
    steps = {
        word for word, found in outline.by_name.items() if isinstance(found[0].statement, Step)
    }
    if not sites:
        yield unknown(since, f"There is no step {spelled(since)} in this saga.", steps)
    elif since.text not in steps:
        yield N207(f"{spelled(since)} is not a step.", since.span, helps=["Name an earlier step."])
    else:
        yield from _value(outline, site, since)


def _promise(outline: Outline, promise: Promise) -> Iterator[Diagnostic]:
    for name in promise.until:
        if name.text not in outline.by_name:
            message = f"There is no statement {spelled(name)} in this saga."
            yield unknown(name, message, outline.by_name)
    if isinstance(promise.promised, PromiseReadiness):
        for name, _ in free(promise.promised.least):
            yield N207(
                f"A promise is proved before anything runs: it cannot depend on {spelled(name)}.",
                name.span,
                helps=["Write a number, for example `0.8`."],
            )
