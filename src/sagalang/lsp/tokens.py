"""What each name is, for colours that no pattern can find: a `step` that is a name, an enum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..dsl.nodes import ListType, MapType, NamedType, SecretType, walk
from ..dsl.span import Span
from .analysis import Analysis
from .index import Kind

TYPES = ("type", "struct", "enum", "enumMember", "function", "class", "parameter", "variable",
         "property")  # fmt: skip
"""The kinds of tokens of the protocol that are given."""
MODIFIERS = ("declaration",)
"""The modifiers that are given."""

_OF: Mapping[Kind, str] = {
    "record": "struct",
    "enum": "enum",
    "member": "enumMember",
    "tool": "function",
    "agent": "function",
    "saga": "class",
    "field": "property",
    "parameter": "parameter",
    "remembered": "variable",
    "statement": "variable",
    "variable": "variable",
    "alias": "function",
}


def tokens(analysis: Analysis) -> Iterator[tuple[Span, str, bool]]:
    """Yields the names in the order written, with their kind, and whether declared there."""
    index, name = analysis.program.index, analysis.text.name
    found: dict[int, tuple[Span, str, bool]] = {}
    for node in walk(analysis.program.modules[name].module):
        if isinstance(node, NamedType):
            found[node.name.span.start] = (node.name.span, "type", False)
        elif isinstance(node, ListType | MapType | SecretType):
            word = type(node).__name__.removesuffix("Type")
            start = node.span.start
            found[start] = (Span(name, start, start + len(word)), "type", False)
    for each in index.by_module.get(name, ()):
        symbol = index.meant(each.symbol)
        if symbol is not None:
            found[each.span.start] = (each.span, _OF[symbol.kind], each.declares)
    yield from (found[start] for start in sorted(found))
