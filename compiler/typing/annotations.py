"""Typing: every expression of all modules with its tree and type; the result is a larger record."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Agent, Enum, Record, Saga, Tool
from ...runtime import plan
from ...runtime.formula import Formula, Type
from ..names.resolve import Resolved
from ..places import Places, places
from . import scenariotypes, secrecy, tooltypes
from .interfaces import Interfaces
from .sagatypes import Statements
from .tooltypes import Clauses
from .types import settled


class Annotated(Struct, frozen=True):
    """What resolving knows, with types.

    `formulas` are by the id of an expression's node, `arguments` by that of a call, `types` (of
    statements) and `items` (of what a loop goes through) by that of a statement, `scopes` (their
    fields) by the names of their types, `parameters` (also fields) and `results` by names in plans.
    """

    resolved: Resolved
    places: Places
    formulas: Mapping[int, Formula]
    arguments: Mapping[int, tuple[plan.Argument, ...]]
    types: Mapping[int, Type]
    items: Mapping[int, Type]
    scopes: Mapping[str, Mapping[str, Type]]
    parameters: Mapping[str, tuple[plan.Parameter, ...]]
    results: Mapping[str, Type]
    diagnostics: tuple[Diagnostic, ...]


def annotate(resolved: Resolved) -> Annotated:
    """Types every declaration of every module."""
    interfaces = Interfaces(resolved, places(resolved.loaded))
    by_module = {name: Clauses(interfaces, name) for name in resolved.loaded.modules}
    types: dict[int, Type] = {}
    items: dict[int, Type] = {}
    parameters: dict[str, tuple[plan.Parameter, ...]] = {}
    results: dict[str, Type] = {}
    for declared in resolved.catalogue.order:
        parameters[declared.plan_name] = interfaces.parameters(declared)
        results[declared.plan_name] = settled(interfaces.result(declared))
    for declared in resolved.catalogue.order:
        clauses = by_module[declared.module]
        for leak in secrecy.declarations(declared):
            clauses.inference.report(leak)
        match declared.node:
            case Tool() | Agent() as node:
                tooltypes.tool(clauses, declared, node)
            case Saga() as node:
                outline = resolved.outlines[id(node)]
                statements = Statements(clauses, declared, node, outline)
                statements.run()
                types |= statements.values.types
                items |= statements.values.items
            case Record() | Enum():
                pass
    for cast in resolved.casts:
        scenariotypes.scenario(by_module[cast.module], by_module, cast)
    formulas: dict[int, Formula] = {}
    arguments: dict[int, tuple[plan.Argument, ...]] = {}
    for clauses in by_module.values():
        formulas |= clauses.formulas
        arguments |= clauses.arguments
    found = [each for inference in interfaces.inferences() for each in inference.diagnostics]
    return Annotated(
        resolved,
        interfaces.places,
        formulas,
        arguments,
        types,
        items,
        interfaces.scopes,
        parameters,
        results,
        tuple(found),
    )
