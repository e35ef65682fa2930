"""Names that nothing uses (N206), and kinds of resource that are spelled almost alike (N208)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...dsl.diagnostics import Diagnostic, Edit, Fix
from ...dsl.loader import Loaded
from ...dsl.nodes import (
    Agent,
    AgentTool,
    Binding,
    Call,
    Commutes,
    Comprehension,
    Each,
    Effect,
    Field,
    First,
    Import,
    ImportItem,
    Let,
    Name,
    NamedType,
    Node,
    Reads,
    Reference,
    Remember,
    Repeat,
    Saga,
    Scenario,
    Scope,
    Tool,
    of,
    walk,
)
from ...dsl.parser import Parsed
from ..codes import declare
from .catalogue import spelled
from .declared import TAKEN

N206 = declare("N206", "warning", "never used")
N208 = declare("N208", "warning", "kind of resource that looks like another")


def unused(module: Parsed) -> Iterator[Diagnostic]:
    """Yields N206 for imports, parameters, `let`s, loop and remembered names that nothing reads.

    A name that begins with `_` says itself that nobody reads it.
    """
    yield from _imports(module)
    for node in module.module.declarations:
        if not isinstance(node, Tool | Agent | Saga):
            continue
        inside = tuple(walk(node))
        read = set(_read(inside))
        for name, what in _private(node, inside):
            meant = not name.text.startswith("_") and name.text not in TAKEN
            if meant and name.text not in read:
                yield N206(
                    f"The {what} {spelled(name)} is never used.",
                    name.span,
                    helps=[f"Take it out, or call it `_{name.text}` if it has to be there."],
                )


def _read(inside: Sequence[Node]) -> Iterator[str]:
    """Yields the names that are read; outside, what a scope makes is a field of it."""
    scopes = {inner.name.text for inner in inside if isinstance(inner, Scope)}
    for inner in inside:
        match inner:
            case Reference(name=name):
                yield name.text
            case Field(value=Reference(name=of_) | Field(name=of_), name=name):
                if of_.text in scopes:
                    yield name.text
            case _:
                pass


def kinds(loaded: Loaded) -> Iterator[Diagnostic]:
    """Yields N208 for a kind of resource that is another one but for case, an `s` or one letter."""
    found: dict[str, list[Name]] = {}
    for module in loaded.modules.values():
        for node in module.module.declarations:
            if isinstance(node, Tool):
                for clause in node.clauses:
                    if isinstance(clause, Effect | Reads):
                        found.setdefault(clause.kind.text, []).append(clause.kind)
    shapes: dict[str, str] = {}
    for kind in found:
        alike = {shapes.setdefault(shape, kind) for shape in sorted(_shapes(kind))} - {kind}
        for other in sorted(alike)[:1]:
            # The spelling that stands less often is the likelier mistake.
            rare, usual = sorted((kind, other), key=lambda k: (len(found[k]), k == other))
            yield _alike(found[rare], found[usual])


def _alike(rare: list[Name], usual: list[Name]) -> Diagnostic:
    edits = [Edit(n.span.source, n.span.start, n.span.end, usual[0].text) for n in rare]
    return N208(
        f"The kinds of resource {spelled(rare[0])} and {spelled(usual[0])} look alike: "
        "to every check they are two different things.",
        rare[0].span,
        also=[(usual[0].span, "the other one"), *((n.span, "and here") for n in rare[1:])],
        helps=["If they are one kind, spell both in the same way."],
        fix=Fix("ask", tuple(edits)),
    )


def _imports(module: Parsed) -> Iterator[Diagnostic]:
    imports = of(module.module.declarations, Import)
    mentioned = set(_mentioned(module)) if imports else set[str]()
    for node in imports:
        idle = [item for item in node.items if item.local.text not in mentioned]
        if idle:
            one = len(idle) == 1
            names = [spelled(item.local) for item in idle]
            listed = names[0] if one else f"{', '.join(names[:-1])} and {names[-1]}"
            yield N206(
                f"The import{'' if one else 's'} {listed} {'is' if one else 'are'} never used.",
                idle[0].span,
                also=[(item.span, "") for item in idle[1:]],
                helps=["Take it out." if one else "Take them out."],
                fix=Fix("safe", tuple(_without(node, idle))),
            )


def _without(node: Import, idle: Sequence[ImportItem]) -> Iterator[Edit]:
    """Yields the edits that take items out of an import, or all of it when none is left."""
    source, items = node.span.source, node.items
    if len(idle) == len(items):
        yield Edit(source, node.span.start, node.span.end, "")
        return
    first = next(i for i, item in enumerate(items) if item not in idle)
    if first:
        yield Edit(source, items[0].span.start, items[first].span.start, "")
    for before, item in pairwise(items[first:]):
        if item in idle:
            yield Edit(source, before.span.end, item.span.end, "")


def _mentioned(module: Parsed) -> Iterator[str]:
    for declaration in module.module.declarations:
        for node in walk(declaration):
            match node:
                case Reference(name=name) | NamedType(name=name) | AgentTool(name=name):
                    yield name.text
                case Call(callee=name) | Scenario(saga=name):
                    yield name.text
                case Commutes(other=other) if other is not None:
                    yield other.text
                case _:
                    pass


def _private(node: Tool | Agent | Saga, inside: Sequence[Node]) -> Iterator[tuple[Name, str]]:
    if isinstance(node, Saga):
        yield from ((parameter.name, "input") for parameter in node.parameters)
    else:
        bindings = of(node.clauses, Binding)
        # Without a list of its own the call takes every parameter.
        if bindings and all(binding.arguments is not None for binding in bindings):
            yield from ((parameter.name, "parameter") for parameter in node.parameters)
    for inner in inside:
        match inner:
            case Let(name=name):
                yield name, "value"
            case Remember(name=name):
                yield name, "remembered value"
            case Comprehension(variable=name) | Each(variable=name) | First(variable=name):
                yield name, "loop name"
            case Repeat(variable=name):
                yield name, "loop name"
            case _:
                pass


def _shapes(kind: str) -> Iterator[str]:
    """Yields texts such that two kinds that look alike have one in common, and others have none."""
    word = kind.lower().replace("_", "")
    plain = word[:-1] if len(word) > 3 and word.endswith("s") else word
    yield plain
    if len(plain) >= 6:
        for place in range(len(plain)):
            yield plain[:place] + "?" + plain[place + 1 :]
            yield plain[:place] + plain[place + 1 :]
