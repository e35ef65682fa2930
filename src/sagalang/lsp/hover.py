"""What is shown for the word under the pointer: what it is, its type, and what is proved of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..compiler.typing.types import DECISION, present, shown as type_shown
from ..dsl.nodes import (
    Agent,
    Enum,
    Node,
    Parameter,
    Record,
    RecordField,
    Remember,
    Saga,
    StatementNode,
    Tool,
    Undo,
    children,
)
from ..dsl.span import Span
from ..runtime.formula import Type
from .analysis import Analysis
from .catalogue_text import shown
from .help import CLAUSES, VALUES
from .index import Occurrence, Symbol
from .pages import summary
from .program import Program
from .proof import proof
from .undone import undone

_WORD = re.compile(r"\w+")
_CODE = re.compile(r"[A-Z][0-9]{3}")


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, and the range that it is about, in the document as it is now."""

    markdown: str
    start: int
    end: int


def hover(analysis: Analysis, offset: int) -> Hover | None:
    """Gives what is to be said about the place, with the rules of problems that are found there."""
    word = _word(analysis, offset)
    if word is None:
        return None
    head = _named(analysis, offset) or _led(analysis, offset) or _language(analysis, offset, word)
    parts = [part for part in (head, undone(analysis, offset, word)) if part]
    text = analysis.text.source.text[word.start : word.end]
    codes = [text] if _CODE.fullmatch(text) else []
    codes += [
        each.code
        for each in analysis.diagnostics
        if each.primary.source == word.source
        and each.primary.start < word.end
        and word.start < each.primary.end
    ]
    parts += [said for code in dict.fromkeys(codes) if (said := summary(code))]
    return Hover("\n\n---\n\n".join(parts), word.start, word.end) if parts else None


def _word(analysis: Analysis, offset: int) -> Span | None:
    """Finds the word at an offset, also directly behind it."""
    text = analysis.text.source.text
    start = text.rfind("\n", 0, offset) + 1
    for found in _WORD.finditer(text, start):
        if found.end() >= offset:
            inside = found.start() <= offset and "\n" not in text[offset : found.start()]
            return Span(analysis.text.name, found.start(), found.end()) if inside else None
    return None


def _named(analysis: Analysis, offset: int) -> str | None:
    found = analysis.at(offset)
    if found is None:
        return None
    program, _, occurrence = found
    symbol = program.index.meant(occurrence.symbol)
    return described(program, symbol, occurrence) if symbol is not None else None


def _led(analysis: Analysis, offset: int) -> str | None:
    """Describes the saga that a scenario's path leads into with the word `undo`."""
    program = analysis.program
    word = program.index.word(analysis.text.name, offset)
    symbol = program.index.meant(word.symbol) if word is not None else None
    if word is None or symbol is None or not isinstance(symbol.node, Saga):
        return None
    # Where an undo is declared, the clause has its own help.
    module = program.modules[analysis.text.name].module
    inner = innermost(module, word.span.start, word.span.end)
    return None if isinstance(inner, Undo) else described(program, symbol)


def described(program: Program, symbol: Symbol, at: Occurrence | None = None) -> str:
    """Describes a symbol in Markdown."""
    node = symbol.node
    module = program.modules.get(symbol.key[0])
    if isinstance(node, Record | Enum | Tool | Agent | Saga) and symbol.kind != "member":
        return shown(node, module) if module is not None else symbol.name
    head = _head(program, symbol)
    parts = [f"```saga\n{head}\n```"]
    if isinstance(node, StatementNode | RecordField) and node.doc is not None:
        parts.append(node.doc.text)
    if isinstance(node, StatementNode):
        parts += proof(program, symbol)
    return "\n\n".join(parts)


def typed(program: Program, given: Type | None) -> str:
    """Gives a type as people write it."""
    if given is None:
        return "?"
    if present(given) == DECISION:
        mark = "" if given == DECISION else "?"
        return f"{{ approved: bool, by: list[str], note: str }}{mark}"
    fields = program.annotated.scopes.get(given.name)
    if fields is not None:
        return f"{{ {', '.join(f'{name}: {typed(program, of)}' for name, of in fields.items())} }}"
    return type_shown(given).strip("`")


def _head(program: Program, symbol: Symbol) -> str:
    node = symbol.node
    given = typed(program, symbol.type)
    owner = f"  # of {symbol.owner}" if symbol.owner else ""
    match symbol.kind:
        case "member":
            return f"{symbol.owner}.{symbol.name}"
        case "statement":
            word = type(node).__name__.lower()
            return f"{word} {symbol.name}: {given}" if given != "none" else f"{word} {symbol.name}"
        case _ if isinstance(node, Parameter | RecordField) and node.default is not None:
            module = program.modules[symbol.key[0]]
            return f"{symbol.name}: {given} = {module.source.cut(node.default.span)}{owner}"
        case _ if isinstance(node, Remember):
            return f"remember {symbol.name}: {given}{owner}"
        case _:
            return f"{symbol.name}: {given}{owner}"


def _language(analysis: Analysis, offset: int, word: Span) -> str | None:
    """Says what a word of the language does, by the innermost clause or statement around it."""
    text = analysis.text.source.cut(word)
    for program, place in analysis.places(offset):
        by = place - offset
        node = innermost(program.modules[analysis.text.name].module, word.start + by, word.end + by)
        said = CLAUSES.get(type(node).__name__) if node is not None else None
        if said is not None:
            return said
        if text in VALUES:
            return VALUES[text]
    return None


def innermost(node: Node, start: int, end: int) -> Node | None:
    """Gives the smallest node with help that holds a range."""
    found: Node | None = None
    inner: Node | None = node
    while inner is not None:
        if type(inner).__name__ in CLAUSES:
            found = inner
        elif found is not None and type(inner).__name__ not in _TRANSPARENT:
            # An expression: none of its words are the clause's.
            return None if inner.span.start <= start and end <= inner.span.end else found
        inner = next(
            (c for c in children(inner) if c.span.start <= start and end <= c.span.end), None
        )
    return found


_TRANSPARENT = frozenset(("Block", "Overrides", "Backoff"))
