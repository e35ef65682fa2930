"""Which sagas and tools are clean: without an error in themselves or in what they reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.nodes import AgentTool, Call, NamedType, Reference, Saga, Tool, walk
from ...dsl.span import Span
from ..names.catalogue import Catalogue, Declared
from ..names.resolve import Resolved
from ..typing.functions import FUNCTIONS
from ..typing.types import BUILT_IN


def clean(resolved: Resolved, diagnostics: Iterable[Diagnostic]) -> tuple[Declared, ...]:
    """Gives the sagas and tools of the main file that can be lowered, in the order written."""
    soundness = Soundness(resolved.catalogue, diagnostics)
    return tuple(
        declared
        for declared in resolved.catalogue.order
        if isinstance(declared.node, Saga | Tool)
        and declared.module == resolved.loaded.root
        and soundness.of(declared)
    )


class Soundness:
    """What is known of declarations: whether there is an error in them or in what they reach."""

    def __init__(self, catalogue: Catalogue, diagnostics: Iterable[Diagnostic]) -> None:
        self._catalogue = catalogue
        self._known: dict[str, bool] = {}
        self._wrong: dict[str, list[int]] = {}
        for each in diagnostics:
            # A secret given away has all its names and types: what is proved of it can be told too.
            if each.severity is Severity.ERROR and each.code[0] != "X":
                self._wrong.setdefault(each.primary.source, []).append(each.primary.start)

    def without_errors(self, module: str, span: Span) -> bool:
        """True when no error is told at a place in a range of a module."""
        return not any(span.start <= at < span.end for at in self._wrong.get(module, ()))

    def of(self, first: Declared) -> bool:
        """True when a declaration and all that it reaches are without errors."""
        seen: set[str] = set()
        waiting = [first]
        while waiting:
            declared = waiting.pop()
            name = declared.plan_name
            if name in seen:
                continue
            seen.add(name)
            if name not in self._known:
                self._known[name] = self.without_errors(declared.module, declared.node.span)
            if not self._known[name]:
                return False
            for found in _reached(self._catalogue, declared):
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
            case AgentTool(name=name):
                yield catalogue.find(declared.module, name.text)
            case NamedType(name=name) if name.text not in BUILT_IN:
                yield catalogue.find(declared.module, name.text)
            case Reference(name=name):
                found = catalogue.find(declared.module, name.text)
                if found is not None and found.noun == "enum":
                    yield found
            case _:
                pass
