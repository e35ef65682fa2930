"""Sagas that undos name, and which of them take back only: nobody else may call these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Agent, Effect, MayUse, Name, Overrides, Saga, Step, Tool, Undo, of
from .catalogue import Catalogue, Declared, spelled
from .declared import N207
from .outline import Outline
from .recursion import Calls
from .scenarionames import Cast


class UndoSagas(Struct, frozen=True):
    """The sagas that take something back, by their names in plans.

    `named` are those that an undo names, and those that these call. `final` are sagas with a step
    whose tool is *restoring*, here or in a saga that they call: what they do is itself final.
    """

    named: frozenset[str]
    final: Mapping[str, Name]
    """Each with the name of the tool that makes it so."""

    def take_back_only(self, declared: Declared) -> bool:
        """True for a saga that undos name and that cannot be run by itself."""
        return declared.plan_name in self.named and declared.plan_name in self.final


def undo_sagas(catalogue: Catalogue, outlines: Mapping[int, Outline], called: Calls) -> UndoSagas:
    """Finds the sagas that undos name; takes time linear in the declarations."""
    waiting = [found.plan_name for found in _named(catalogue, outlines)]
    named: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in named:
            named.add(name)
            waiting += [to.plan_name for _, to in called[name]]
    return UndoSagas(frozenset(named), _final(catalogue, outlines, called))


def undone_by(
    catalogue: Catalogue, outlines: Mapping[int, Outline]
) -> Mapping[str, frozenset[str]]:
    """Gives for each saga the sagas that undos of its own steps name, its tools' undos among them.

    All by their names in plans; an agent may call each of the tools that it may use.
    """
    found: dict[str, frozenset[str]] = {}
    for declared in catalogue.order:
        if isinstance(declared.node, Saga):
            tools = [declared, *_used(catalogue, outlines, declared)]
            found[declared.plan_name] = frozenset(
                saga.plan_name
                for each in tools
                for undo in _undos(each, outlines)
                if (saga := catalogue.find(each.module, undo.call.callee.text)) is not None
                and isinstance(saga.node, Saga)
            )
    return found


def _used(
    catalogue: Catalogue, outlines: Mapping[int, Outline], declared: Declared
) -> Iterator[Declared]:
    """Gives the tools that a saga's own steps call, or let an agent call."""
    for site in outlines[id(declared.node)].sites:
        if isinstance(site.statement, Step):
            callee = catalogue.find(declared.module, site.statement.call.callee.text)
            match callee.node if callee is not None else None:
                case Tool() if callee is not None:
                    yield callee
                case Agent(clauses=clauses) if callee is not None:
                    names = [use.name.text for uses in of(clauses, MayUse) for use in uses.tools]
                    found = (catalogue.find(callee.module, name) for name in names)
                    yield from (tool for tool in found if tool and isinstance(tool.node, Tool))
                case _:
                    pass


def restoring(tool: Tool) -> Effect | None:
    """Gives the effect of a tool that only takes back what others did, None for any other tool."""
    effects = of(tool.clauses, Effect)
    alone = bool(effects) and all(effect.effect_class == "restoring" for effect in effects)
    return effects[0] if alone else None


def misused(found: UndoSagas, called: Calls, declared: Declared) -> Iterator[Diagnostic]:
    """Yields N207 for each call of a saga that takes back only, by one that goes forward."""
    if declared.plan_name in found.named:
        return
    for call, to in called[declared.plan_name]:
        if found.take_back_only(to):
            because = found.final[to.plan_name]
            yield N207(
                f"{spelled(call.callee)} takes back what others did: it is called as an undo only.",
                call.callee.span,
                "called by a step",
                also=[(because.span, f"{spelled(because)} is restoring")],
                helps=[
                    "When a step may do it too, let the effects of its tools be reversible or "
                    "compensatable."
                ],
            )


def unplayable(found: UndoSagas, cast: Cast) -> Iterator[Diagnostic]:
    """Yields N207 for a scenario of a saga that takes back only."""
    if cast.saga is not None and found.take_back_only(cast.saga):
        name = cast.node.saga
        yield N207(
            f"{spelled(name)} takes back what others did: it does not run by itself.",
            name.span,
            also=[(cast.saga.node.name.span, "declared here")],
            helps=["Write the scenario for the saga that is rolled back."],
        )


def _named(catalogue: Catalogue, outlines: Mapping[int, Outline]) -> Iterator[Declared]:
    for declared in catalogue.order:
        for undo in _undos(declared, outlines):
            found = catalogue.find(declared.module, undo.call.callee.text)
            if found is not None and isinstance(found.node, Saga):
                yield found


def _undos(declared: Declared, outlines: Mapping[int, Outline]) -> Iterator[Undo]:
    match declared.node:
        case Tool(clauses=clauses):
            yield from of(clauses, Undo)
        case Saga() as saga:
            for site in outlines[id(saga)].sites:
                if isinstance(site.statement, Step):
                    for block in of(site.statement.clauses, Overrides):
                        yield from of(block.clauses, Undo)
        case _:
            pass


def _final(
    catalogue: Catalogue, outlines: Mapping[int, Outline], called: Calls
) -> Mapping[str, Name]:
    found: dict[str, Name] = {}
    callers: dict[str, list[str]] = {}
    for declared in catalogue.order:
        for _, to in called[declared.plan_name]:
            callers.setdefault(to.plan_name, []).append(declared.plan_name)
        if isinstance(declared.node, Saga):
            for site in outlines[id(declared.node)].sites:
                if not isinstance(site.statement, Step):
                    continue
                name = site.statement.call.callee
                callee = catalogue.find(declared.module, name.text)
                if callee and isinstance(callee.node, Tool) and restoring(callee.node):
                    found.setdefault(declared.plan_name, name)
    waiting = list(found)
    while waiting:
        inner = waiting.pop()
        for caller in callers.get(inner, ()):
            if caller not in found:
                found[caller] = found[inner]
                waiting.append(caller)
    return found
