"""The names in sagas resolved: what is named twice, read before it can exist, or not known."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    Each,
    First,
    Gate,
    Guard,
    Name,
    PlainText,
    Promise,
    PromiseReadiness,
    Repeat,
    Saga,
    Scope,
    Step,
    Wait,
)
from ...dsl.parser import Parsed
from . import stepnames
from .catalogue import Catalogue, near, spelled
from .declared import N201, N202, N207, again
from .outline import Body, Outline
from .references import free, of_statement
from .toolnames import clauses_once, constant, inner_calls, unknown
from .values import read


def saga(
    catalogue: Catalogue,
    module: Parsed,
    node: Saga,
    outline: Outline,
    groups: frozenset[str] | None,
    takes_back: bool,
) -> Iterator[Diagnostic]:
    """Yields every problem of names in a saga; `groups` are those that exist, None if not known.

    A saga that `takes_back` is named by an undo.
    """
    parameters = {p.name.text: p.name for p in node.parameters}
    known: list[ChainMap[str, Name]] = []
    for body in outline.bodies:
        outer = ChainMap(parameters) if body.owner is None else known[body.owner.body]
        known.append(outer.new_child(body.names()))
        yield from _named(catalogue, module, outline, body, parameters, outer)
    for parameter in node.parameters:
        if parameter.default is not None:
            yield from constant(catalogue, module, parameter.default)
    for site in outline.sites:
        mine = known[site.body]
        for use in of_statement(site.statement):
            yield from read(catalogue, module, outline, site, use, parameters, mine)
            yield from inner_calls(catalogue, module, use.expr, mine)
        match site.statement:
            case Step():
                yield from stepnames.step(
                    catalogue, module, node, outline, site, site.statement, takes_back
                )
            case Gate(group=group, clauses=clauses):
                yield from clauses_once(clauses)
                yield from in_groups(group, groups)
            case Each() | First() | Repeat() | Scope() | Wait():
                yield from clauses_once(site.statement.clauses)
            case Guard(group=group):
                yield from in_groups(group, groups)
                yield from _guard(site.statement, parameters)
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
    catalogue: Catalogue,
    module: Parsed,
    outline: Outline,
    body: Body,
    parameters: Mapping[str, Name],
    outer: ChainMap[str, Name],
) -> Iterator[Diagnostic]:
    """Yields N202 for each name of a body that stands for something else there or around it."""
    if body.variable is not None:
        yield from _taken(catalogue, module, body.variable, parameters, outer)
        outer = outer.new_child({body.variable.text: body.variable})
    for word, sites in body.by_name.items():
        for place, site in enumerate(sites):
            name = site.name
            assert name is not None
            yield from _taken(catalogue, module, name, parameters, outer)
            for earlier in sites[:place]:
                if outline.relation(site, earlier) != "other branch" and earlier.name is not None:
                    yield again(name, earlier.name, f"There are two statements `{word}`.")
                    break


def _taken(
    catalogue: Catalogue,
    module: Parsed,
    name: Name,
    parameters: Mapping[str, Name],
    outer: Mapping[str, Name],
) -> Iterator[Diagnostic]:
    enum = catalogue.find(module.source.name, name.text)
    if name.text in parameters:
        message = f"{spelled(name)} is an input of the saga already."
        yield again(name, parameters[name.text], message)
    elif enum is not None and enum.noun == "enum":
        yield again(name, enum.node.name, f"{spelled(name)} is an enum already.")
    elif name.text in outer:
        yield N202(
            f"{spelled(name)} hides a name from outside the block.",
            name.span,
            "hides it",
            also=[(outer[name.text].span, "the name outside")],
            helps=[f"Give one of them another name, for example `{name.text}_2`."],
        )


def _promise(outline: Outline, promise: Promise) -> Iterator[Diagnostic]:
    own = outline.bodies[0].by_name
    for name in promise.until:
        if name.text not in own:
            message = f"There is no statement {spelled(name)} in the saga's own block."
            inside = next((s for s in outline.sites if s.name and s.name.text == name.text), None)
            owners = list(outline.owners(inside)) if inside is not None else []
            if owners and owners[-1].name is not None:
                whole = owners[-1].name.text
                yield N201(
                    message,
                    name.span,
                    "is inside another statement",
                    helps=[f"Name the whole: `{whole}`."],
                    fix=replacement("ask", name.span, whole),
                )
            else:
                yield unknown(name, message, own)
    if isinstance(promise.promised, PromiseReadiness):
        for name, _ in free(promise.promised.least):
            yield N207(
                f"A promise is proved before anything runs: it cannot depend on {spelled(name)}.",
                name.span,
                helps=["Write a number, for example `0.8`."],
            )


def _guard(guard: Guard, parameters: Mapping[str, Name]) -> Iterator[Diagnostic]:
    for name, _ in free(guard.least):
        if name.text not in parameters:
            yield N207(
                "A guard is asked before every call: it cannot depend on "
                f"{spelled(name)}, which may not exist then.",
                name.span,
                helps=["Write a number, for example `0.8`, or an input of the saga."],
            )
