"""Renaming over files: every use at once, refused where the program would mean something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..dsl.diagnostics import Diagnostic, Edit, Severity
from ..dsl.names import is_name, reserved_words
from ..dsl.span import Span
from .analysis import Analysis
from .index import Index, Key, Kind, Symbol
from .program import Program

FIXED = frozenset(("key", "result", "it", "args", "run_id", "log"))
"""Names that parameters cannot have: clauses and the runtime give them a meaning."""

_NOUNS: Mapping[Kind, str] = {"member": "member of an enum", "alias": "imported name"}

Recompile = Callable[[str, Mapping[str, str]], Program]
"""Compiles a module by its name with other texts of some modules."""


class Refused(Exception):
    """A name that cannot be given; its text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What is renamed, and every place of it."""

    symbol: Symbol
    spans: Sequence[Span]


def target(analysis: Analysis, offset: int) -> tuple[Symbol, Span]:
    """Gives what would be renamed at an offset. Raises `Refused`."""
    if not analysis.whole:
        raise Refused("The file has syntax errors: mend these first, then rename.")
    found = analysis.program.index.at(analysis.text.name, offset)
    symbol = analysis.program.index.symbols.get(found.symbol) if found is not None else None
    if found is None or symbol is None:
        raise Refused("There is no name here that could be changed.")
    if analysis.program.modules[analysis.text.name].source.cut(found.span) != symbol.name:
        raise Refused(f"`{symbol.name}` is written in another way here: rename it where it is not.")
    return symbol, found.span


def spans(symbol: Symbol, programs: Iterable[Program]) -> list[Span]:
    """Gives every place that must change: not those where an import gives it another name."""
    found: dict[Span, None] = {}
    for program in programs:
        for occurrence in program.index.by_symbol.get(symbol.key, ()):
            text = program.modules[occurrence.span.source].source.cut(occurrence.span)
            # A key of a map may stand in quotes.
            inner = occurrence.span
            if text.startswith('"'):
                inner = Span(inner.source, inner.start + 1, inner.end - 1)
            found[inner] = None
    return sorted(found)


def checked(
    renaming: Renaming, name: str, programs: Sequence[Program], recompile: Recompile
) -> list[Edit]:
    """Gives the edits of a renaming, when the programs mean the same with the new name.

    Raises `Refused` with the reason: what the compiler says, or what the name would mean.
    """
    symbol = renaming.symbol
    _spelling(symbol, name)
    if name == symbol.name:
        return []
    _readable(symbol, programs)
    edits = [Edit(span.source, span.start, span.end, name) for span in renaming.spans]
    texts = {
        module: _edited(parsed.source.text, [e for e in edits if e.source == module])
        for program in programs
        for module, parsed in program.modules.items()
        if any(edit.source == module for edit in edits)
    }
    for program in programs:
        if texts.keys() & program.modules.keys():
            _same(symbol, name, program, recompile(program.root, texts), edits)
    return edits


def _readable(symbol: Symbol, programs: Sequence[Program]) -> None:
    """Refuses where a use may hide in a declaration that cannot be read."""
    for program in programs:
        if symbol.key[0] not in program.modules:
            continue
        for module, parsed in program.modules.items():
            if not parsed.ok and symbol.name in parsed.source.text:
                raise Refused(f"{module} has syntax errors: mend these first, then rename.")


def _spelling(symbol: Symbol, name: str) -> None:
    noun = _NOUNS.get(symbol.kind, symbol.kind)
    if not is_name(name):
        raise Refused(f"`{name}` is not a name: letters, digits and `_`, no digit first.")
    if name in reserved_words() and symbol.kind not in ("field", "member"):
        raise Refused(f"`{name}` cannot name a {noun}: the language uses this word itself.")
    if name in FIXED and symbol.kind in ("parameter", "remembered"):
        raise Refused(f"`{name}` cannot name a {noun}: it has a meaning of its own in clauses.")


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _same(symbol: Symbol, name: str, before: Program, after: Program, edits: list[Edit]) -> None:
    known = {(d.code, d.message) for d in _errors(before)}
    for error in _errors(after):
        # What was wrong before may be told with the new name now.
        if (error.code, error.message.replace(name, symbol.name)) not in known:
            raise Refused(f"`{name}` cannot be taken: {error.message}")
    if _meanings(before.index, edits) != _meanings(after.index, ()):
        raise Refused(f"`{name}` means something else where `{symbol.name}` is used.")


def _errors(program: Program) -> list[Diagnostic]:
    # Proofs do not ask for names: what is proved stays.
    found = (
        *program.loaded.diagnostics,
        *program.resolved.diagnostics,
        *program.annotated.diagnostics,
    )
    return [each for each in found if each.severity is Severity.ERROR]


def _meanings(index: Index, edits: Sequence[Edit]) -> set[tuple[Key, Key]]:
    """Gives each occurrence with what it means, as the places are after some edits."""
    changes: dict[str, list[Edit]] = {}
    for edit in edits:
        changes.setdefault(edit.source, []).append(edit)

    def place(module: str, offset: int) -> Key:
        moved = sum(
            len(edit.text) - (edit.end - edit.start)
            for edit in changes.get(module, ())
            if edit.start < offset
        )
        return module, offset + moved

    return {
        (place(module, each.span.start), place(*each.symbol))
        for module, found in index.by_module.items()
        for each in found
    }
