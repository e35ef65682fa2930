"""Sagas that call themselves, directly or by way of others (G404)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Call, Saga, Step
from ..codes import declare
from .catalogue import Catalogue, Declared, spelled
from .outline import Outline

G404 = declare("G404", "error", "saga calls itself")

Calls = dict[str, list[tuple[Call, Declared]]]


def recursion(catalogue: Catalogue, found: Calls) -> Iterator[Diagnostic]:
    """Yields one G404 for each ring of sagas, at the call that closes it."""
    for declared, ring in rings(catalogue, found).values():
        names = [declared, *(member for _, member in ring)]
        chain = " → ".join(spelled(member.node.name) for member in names)
        alone = len(ring) == 1
        yield G404(
            f"The saga {spelled(declared.node.name)} calls itself: it would never end."
            if alone
            else f"These sagas call each other in a ring, which would never end: {chain}.",
            ring[-1][0].callee.span,
            f"calls {spelled(ring[-1][1].node.name)}",
            also=[(call.callee.span, f"calls {spelled(to.node.name)}") for call, to in ring[:-1]],
            helps=["Take this call out."],
        )


def calls(catalogue: Catalogue, outlines: Mapping[int, Outline]) -> Calls:
    """Gives the calls of other sagas in each declaration, by names in plans."""
    return {d.plan_name: list(_calls(catalogue, outlines, d)) for d in catalogue.order}


def rings(
    catalogue: Catalogue, found: Calls
) -> Mapping[frozenset[str], tuple[Declared, list[tuple[Call, Declared]]]]:
    """Gives each ring of sagas by its members: where it begins, and its calls."""
    made: dict[frozenset[str], tuple[Declared, list[tuple[Call, Declared]]]] = {}
    for declared in catalogue.order:
        ring = _ring(found, declared.plan_name)
        if ring:
            made.setdefault(frozenset(to.plan_name for _, to in ring), (declared, ring))
    return made


def _calls(
    catalogue: Catalogue, outlines: Mapping[int, Outline], declared: Declared
) -> Iterator[tuple[Call, Declared]]:
    if not isinstance(declared.node, Saga):
        return
    for site in outlines[id(declared.node)].sites:
        if isinstance(site.statement, Step):
            call = site.statement.call
            found = catalogue.find(declared.module, call.callee.text)
            if found is not None and isinstance(found.node, Saga):
                yield call, found


def _ring(found: Calls, start: str) -> list[tuple[Call, Declared]]:
    """Gives the calls of a shortest way from a saga back to itself."""
    ways: list[list[tuple[Call, Declared]]] = [[]]
    seen: set[str] = set()
    for way in ways:
        here = way[-1][1].plan_name if way else start
        for call, to in found[here]:
            if to.plan_name == start:
                return [*way, (call, to)]
            if to.plan_name not in seen:
                seen.add(to.plan_name)
                ways.append([*way, (call, to)])
    return []
