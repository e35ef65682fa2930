"""Resolving: every name of all modules bound to what it means; the result is a larger record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...dsl.loader import Loaded
from ...dsl.nodes import Agent, Effect, Record, Saga, Tool, of
from . import agentnames, declared, saganames, toolnames
from .catalogue import Catalogue, catalogue
from .constancy import never
from .cycles import cycles
from .order import Needs, needs, order
from .outline import Outline, outline
from .placement import placement
from .ranges import ranges
from .recursion import calls, recursion
from .scenarionames import Cast, scenarios
from .size import size
from .undosagas import UndoSagas, misused, undo_sagas, unplayable
from .unused import kinds, unused


class Resolved(Struct, frozen=True):
    """The modules with their catalogue, and each saga's outline and needs by the id of its node.

    `casts` are the scenarios with what their names mean, in the order written.
    """

    loaded: Loaded
    catalogue: Catalogue
    outlines: Mapping[int, Outline]
    needs: Mapping[int, Needs]
    casts: tuple[Cast, ...]
    undo_sagas: UndoSagas
    diagnostics: tuple[Diagnostic, ...]


def resolve(loaded: Loaded, groups: frozenset[str] | None = None) -> Resolved:
    """Resolves all names; `groups` are the groups of people that exist, None when not known."""
    known = catalogue(loaded)
    sagas = [d.node for d in known.order if isinstance(d.node, Saga)]
    outlines = {id(saga): outline(saga) for saga in sagas}
    found = {id(saga): needs(outlines[id(saga)]) for saga in sagas}
    called = calls(known, outlines)
    problems = [*kinds(loaded), *recursion(known, called), *size(known, outlines, called)]
    taking_back = undo_sagas(known, outlines, called)
    casts: list[Cast] = []
    for module in loaded.modules.values():
        problems += declared.module_names(module)
        problems += declared.imports(loaded, module)
        problems += declared.types(known, module)
        played, wrong = scenarios(known, module)
        casts += played
        problems += wrong
        problems += (each for cast in played for each in unplayable(taking_back, cast))
    for one in known.order:
        module = loaded.modules[one.module]
        match one.node:
            case Record(fields=fields):
                for field in fields:
                    if field.default is not None:
                        problems += toolnames.constant(known, module, field.default)
            case Tool():
                problems += declared.parameters(one.node)
                problems += toolnames.tool(known, module, one.node)
                problems += _groups(one.node, groups)
                problems += ranges(one.node)
            case Agent():
                problems += declared.parameters(one.node)
                problems += agentnames.agent(known, module, one.node, groups)
                problems += ranges(one.node)
            case Saga():
                outlined = outlines[id(one.node)]
                problems += declared.parameters(one.node)
                takes_back = one.plan_name in taking_back.named
                problems += placement(one.node, outlined)
                problems += saganames.saga(known, module, one.node, outlined, groups, takes_back)
                problems += misused(taking_back, called, one)
                problems += order(outlined, found[id(one.node)])
                problems += cycles(outlined, found[id(one.node)])
                problems += never(outlined)
                problems += ranges(one.node)
            case _:
                pass
    # What a declaration with a syntax error uses is not known, nor what an unknown name means.
    unclear = {each.primary.source for each in problems if each.code == declared.N201.code}
    for module in loaded.modules.values():
        problems += unused(module) if module.ok and module.source.name not in unclear else ()
    return Resolved(loaded, known, outlines, found, tuple(casts), taking_back, tuple(problems))


def _groups(tool: Tool, groups: frozenset[str] | None) -> Iterator[Diagnostic]:
    for effect in of(tool.clauses, Effect):
        if effect.corrective is not None and effect.corrective.group is not None:
            yield from saganames.in_groups(effect.corrective.group, groups)
