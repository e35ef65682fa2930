"""Where something is declared, and everywhere it is used, over files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..dsl.nodes import Import, of
from ..dsl.span import Span
from .analysis import Analysis
from .index import Key, Symbol
from .program import Program


def definition(analysis: Analysis, offset: int) -> Span | None:
    """Gives where what stands at an offset is declared; of an import's path, the file's head.

    The word `undo` leads to what it calls; in a scenario's path, to the saga that takes back.
    """
    found = analysis.at(offset)
    if found is not None:
        program, _, occurrence = found
        symbol = program.index.meant(occurrence.symbol)
        return symbol.span if symbol is not None else None
    program, name = analysis.program, analysis.text.name
    word = program.index.word(name, offset)
    if word is not None:
        symbol = program.index.meant(word.symbol)
        return symbol.span if symbol is not None else None
    for node in of(program.modules[name].module.declarations, Import):
        if node.path.span.start <= offset <= node.path.span.end:
            target = program.loaded.targets.get((name, node.path.value))
            return Span(target, 0, 0) if target is not None else None
    return None


def type_definition(analysis: Analysis, offset: int) -> Span | None:
    """Gives where the record or enum is declared that a value is one of."""
    found = analysis.at(offset)
    if found is None:
        return None
    program, symbol, _ = found
    given = symbol.type
    while given is not None and given.of is not None:
        given = given.of
    declared = program.catalogue.of_type(given) if given is not None else None
    return declared.node.name.span if declared is not None else None


def meant(analysis: Analysis, offset: int) -> Symbol | None:
    """Gives the symbol at an offset, behind an alias what it stands for."""
    found = analysis.at(offset)
    return found[0].index.meant(found[2].symbol) if found is not None else None


def uses(key: Key, programs: Iterable[Program], declaring: bool = True) -> list[Span]:
    """Gives every place where a symbol is named in some programs, in the order of files."""
    found: dict[Span, None] = {}
    for program in programs:
        for occurrence in program.index.of(key):
            if declaring or not occurrence.declares:
                found[occurrence.span] = None
    return sorted(found)


def within(analysis: Analysis, offset: int) -> Iterator[tuple[Span, bool]]:
    """Yields the places in this document that mean the same as that one, declarations marked."""
    symbol = meant(analysis, offset)
    if symbol is not None and analysis.program.index.at(analysis.text.name, offset) is not None:
        for occurrence in analysis.program.index.of(symbol.key):
            if occurrence.span.source == analysis.text.name:
                yield occurrence.span, occurrence.declares
