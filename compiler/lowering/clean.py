"""Which sagas and tools are clean: without an error in themselves or in what they reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.nodes import Call, NamedType, Reference, Saga, Tool, walk
from ..names.catalogue import Catalogue, Declared
from ..names.resolve import Resolved
from ..typing.functions import FUNCTIONS
from ..typing.types import BUILT_IN


def clean(resolved: Resolved, diagnostics: Iterable[Diagnostic]) -> tuple[Declared, ...]:
    """Gives the sagas and tools of the main file that can be lowered, in the order written."""
    wrong: dict[str, list[int]] = {}
    for each in diagnostics:
        if each.severity is Severity.ERROR:
            wrong.setdefault(each.primary.source, []).append(each.primary.start)
    known: dict[str, bool] = {}
    catalogue = resolved.catalogue
    return tuple(
        declared
        for declared in catalogue.order
        if isinstance(declared.node, Saga | Tool)
        and declared.module == resolved.loaded.root
        and _sound(catalogue, declared, wrong, known)
    )


def _sound(
    catalogue: Catalogue,
    first: Declared,
    wrong: dict[str, list[int]],
    known: dict[str, bool],
) -> bool:
    seen: set[str] = set()
    waiting = [first]
    while waiting:
        declared = waiting.pop()
        if declared.plan_name in seen:
            continue
        seen.add(declared.plan_name)
        if declared.plan_name not in known:
            span = declared.node.span
            places = wrong.get(declared.module, ())
            known[declared.plan_name] = not any(span.start <= at < span.end for at in places)
        if not known[declared.plan_name]:
            return False
        for found in _reached(catalogue, declared):
            if found is None:
                return False
            waiting.append(found)
    return True


def _reached(catalogue: Catalogue, declared: Declared) -> Iterator[Declared | None]:
    """Yields what a declaration names; None for what is not there to be named."""
    for node in walk(declared.node):
        match node:
            case Call(callee=name) if name.text not in FUNCTIONS:
                yield catalogue.find(declared.module, name.text)
            case NamedType(name=name) if name.text not in BUILT_IN:
                yield catalogue.find(declared.module, name.text)
            case Reference(name=name):
                found = catalogue.find(declared.module, name.text)
                if found is not None and found.noun == "enum":
                    yield found
            case _:
                pass
