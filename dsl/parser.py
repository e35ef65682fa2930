"""Parses a source: `parse(source)` gives the module, the comments and all syntax errors.

It never raises for what a user wrote. Declarations that have a syntax error are left out of the
module; nothing that depends on them should be reported when `diagnostics` holds an error.

>>> from .source import Source
>>> [type(d).__name__ for d in parse(Source("a.saga", "edition 2026")).module.declarations]
['Edition']
"""

from __future__ import annotations

from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from . import nodes as n
from .declaration_builder import DeclarationBuilder
from .diagnostics import Diagnostic, Fix, has_errors, in_order, problem
from .driver import TooDeep, Unfit, drive
from .growth import Growing
from .outline import MAX_MISTAKES, Chunk, Comment, outline
from .source import Source
from .span import Span

MAX_LENGTH = 32 * 1024 * 1024
MAX_MENDED = 20


class Parsed(Struct, frozen=True):
    """A source and what was read in it; `module` holds the declarations that are well formed."""

    source: Source
    module: n.Module
    diagnostics: tuple[Diagnostic, ...]
    comments: tuple[Comment, ...]

    @property
    def ok(self) -> bool:
        """Whether the whole text is well formed."""
        return not has_errors(self.diagnostics)


def parse(source: Source) -> Parsed:
    """Parse a whole text, declaration by declaration."""
    whole = Span(source.name, 0, len(source.text))
    if len(source.text) > MAX_LENGTH:
        return Parsed(source, n.Module(whole, ()), (_too_long(source),), ())
    found = outline(source)
    declarations: list[n.Declaration] = []
    diagnostics = list(found.diagnostics)
    chunks = list(reversed(found.chunks))
    while chunks and len(diagnostics) < MAX_MISTAKES:
        chunk = chunks.pop()
        try:
            declaration, mistakes = _declaration(found.readable, chunk)
        except _Over as over:
            # What follows an edition or an import without a word that begins a declaration.
            chunks += (replace(chunk, start=over.at), replace(chunk, end=over.at))
            continue
        diagnostics += mistakes
        if declaration is not None and chunk.sound and not mistakes:
            declarations.append(declaration)
    diagnostics += _editions(declarations)
    module = n.Module(whole, tuple(declarations))
    return Parsed(source, module, in_order(diagnostics), found.comments)


class _Over(Exception):
    """A declaration is complete, and something follows it that does not begin another one."""

    def __init__(self, at: int) -> None:
        super().__init__(f"over at {at}")
        self.at = at


def _declaration(source: Source, chunk: Chunk) -> tuple[n.Declaration | None, list[Diagnostic]]:
    """Parse one declaration; where a mistake can be mended in place, go on behind it."""
    span = Span(source.name, chunk.start, chunk.end)
    if chunk.too_deep or source.cut(span).isspace():
        return None, []
    mistakes: list[Diagnostic] = []
    while True:
        growing = Growing(source, chunk.start)
        builder = DeclarationBuilder(growing)
        try:
            declaration = drive(source.cut(span), "declaration", growing, builder.make)
            builder.foreign_words()
            return cast(n.Declaration, declaration), mistakes + growing.diagnostics
        except TooDeep:
            return None, mistakes + growing.diagnostics
        except Unfit as unfit:
            builder.foreign_words()
            at = chunk.start + unfit.at
            if chunk.broken_from is not None and at >= chunk.broken_from:
                return None, mistakes + growing.diagnostics
            if unfit.stopped.fitting() == frozenset(("$END",)) and not mistakes:
                raise _Over(at) from None
            # Loaded for the first mistake: what is known of mistakes is as much as all the rest.
            from .syntax_errors import explain

            mistake = explain(source, span, at, unfit.stopped)
            mistakes.append(mistake)
            mended = _mended(source, mistake.fix)
            if mended is None or len(mistakes) >= MAX_MENDED or mended.cut(span).isspace():
                return None, mistakes + growing.diagnostics
            source = mended


def _mended(source: Source, fix: Fix | None) -> Source | None:
    """Make a safe fix, if that moves nothing behind it."""
    if fix is None or fix.applicability != "safe" or len(fix.edits) != 1:
        return None
    edit = fix.edits[0]
    room, new = edit.end - edit.start, edit.text.strip()
    if len(new) > room:
        return None
    text = source.text[: edit.start] + new.ljust(room) + source.text[edit.end :]
    return Source(source.name, text, source.first_line)


def _editions(declarations: list[n.Declaration]) -> list[Diagnostic]:
    return [
        problem(
            "S101",
            "`edition` stands once, at the head of the file.",
            declaration.span,
            "not the first declaration",
        )
        for declaration in declarations[1:]
        if isinstance(declaration, n.Edition)
    ]


def _too_long(source: Source) -> Diagnostic:
    length = len(source.text)
    return problem(
        "S104",
        f"This file has {length:,} characters; at most {MAX_LENGTH:,} are read.",
        Span(source.name, 0, 0),
        helps=["Split it into files and `import` what each needs."],
    )
