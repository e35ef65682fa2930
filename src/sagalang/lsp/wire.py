"""Answers in the words of the Language Server Protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lsprotocol import types as lsp

from ..dsl.diagnostics import Diagnostic, Edit, Severity
from ..dsl.span import Span
from .completion import Item, ItemKind
from .positions import Point, Text
from .structure import Part
from .tokens import MODIFIERS, TYPES

Uri = Callable[[str], str]
"""Gives the address of a module by its name."""
Texts = Callable[[str], Text | None]
"""Gives the text of a module by its name."""

SEVERITIES: Mapping[Severity, lsp.DiagnosticSeverity] = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
UNUSED = frozenset(("N206", "G403"))
"""Codes of what an editor may show faded."""

KINDS: Mapping[ItemKind, lsp.CompletionItemKind] = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "value": lsp.CompletionItemKind.Variable,
    "parameter": lsp.CompletionItemKind.Variable,
    "field": lsp.CompletionItemKind.Field,
    "member": lsp.CompletionItemKind.EnumMember,
    "tool": lsp.CompletionItemKind.Function,
    "agent": lsp.CompletionItemKind.Interface,
    "saga": lsp.CompletionItemKind.Module,
    "record": lsp.CompletionItemKind.Struct,
    "enum": lsp.CompletionItemKind.Enum,
    "type": lsp.CompletionItemKind.TypeParameter,
    "function": lsp.CompletionItemKind.Function,
    "statement": lsp.CompletionItemKind.Reference,
    "kind": lsp.CompletionItemKind.Value,
    "group": lsp.CompletionItemKind.Value,
    "file": lsp.CompletionItemKind.File,
    "error": lsp.CompletionItemKind.Class,
}
SYMBOLS: Mapping[str, lsp.SymbolKind] = {
    "record": lsp.SymbolKind.Struct,
    "enum": lsp.SymbolKind.Enum,
    "member": lsp.SymbolKind.EnumMember,
    "field": lsp.SymbolKind.Field,
    "tool": lsp.SymbolKind.Function,
    "agent": lsp.SymbolKind.Interface,
    "saga": lsp.SymbolKind.Module,
    "scenario": lsp.SymbolKind.Event,
    "let": lsp.SymbolKind.Variable,
    "scope": lsp.SymbolKind.Namespace,
    "each": lsp.SymbolKind.Array,
    "first": lsp.SymbolKind.Array,
    "repeat": lsp.SymbolKind.Array,
    "checkpoint": lsp.SymbolKind.Constant,
}


def position(point: Point) -> lsp.Position:
    """Makes a position."""
    return lsp.Position(point.line, point.character)


def span_range(text: Text, start: int, end: int) -> lsp.Range:
    """Makes a range of offsets."""
    return lsp.Range(position(text.point(start)), position(text.point(end)))


def offset(text: Text, at: lsp.Position) -> int:
    """Gives the offset of a position."""
    return text.offset(Point(at.line, at.character))


def location(span: Span, texts: Texts, uri: Uri) -> lsp.Location | None:
    """Makes a location; None when the file cannot be read any more."""
    text = texts(span.source)
    if text is None:
        return None
    return lsp.Location(uri(span.source), span_range(text, span.start, span.end))


def diagnostic(found: Diagnostic, texts: Texts, uri: Uri) -> lsp.Diagnostic | None:
    """Makes a diagnostic: its advice follows the message, other positions are related ones."""
    primary = found.primary
    text = texts(primary.source)
    if text is None:
        return None
    related: list[lsp.DiagnosticRelatedInformation] = []
    for label in found.labels:
        where = None if label is primary else location(label.span, texts, uri)
        if where is not None:
            related.append(lsp.DiagnosticRelatedInformation(where, label.message or "see here"))
    return lsp.Diagnostic(
        range=span_range(text, primary.start, primary.end),
        message="\n".join((found.message, *found.helps)),
        severity=SEVERITIES[found.severity],
        code=found.code,
        source="saga",
        related_information=related or None,
        tags=[lsp.DiagnosticTag.Unnecessary] if found.code in UNUSED else None,
    )


def edits(
    found: Iterable[Edit], texts: Texts, uri: Uri, version: Callable[[str], int | None]
) -> lsp.WorkspaceEdit:
    """Makes an edit over files; of documents that are open it holds for this version only."""
    by_file: dict[str, list[lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit]] = {}
    for edit in found:
        text = texts(edit.source)
        if text is not None:
            by_file.setdefault(edit.source, []).append(text_edit(text, edit))
    changes: list[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile] = [
        lsp.TextDocumentEdit(
            lsp.OptionalVersionedTextDocumentIdentifier(uri(name), version(name)), changed
        )
        for name, changed in by_file.items()
    ]
    return lsp.WorkspaceEdit(document_changes=changes)


def plain_edits(found: Iterable[Edit], texts: Texts, uri: Uri) -> lsp.WorkspaceEdit:
    """Makes an edit for editors that do not know versions of documents in edits."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in found:
        text = texts(edit.source)
        if text is not None:
            changes.setdefault(uri(edit.source), []).append(text_edit(text, edit))
    return lsp.WorkspaceEdit(changes=changes)


def text_edit(text: Text, edit: Edit) -> lsp.TextEdit:
    """Makes one edit, with the line ends of the document."""
    return lsp.TextEdit(span_range(text, edit.start, edit.end), text.written(edit.text))


def markdown(text: str) -> lsp.MarkupContent:
    """Makes a text in Markdown."""
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text)


def item(found: Item) -> lsp.CompletionItem:
    """Makes a completion; what fits best comes first, words of the language behind names."""
    rank = 0 if found.first else 2 if found.kind == "keyword" else 1
    rank = 3 if found.kind == "function" else rank
    return lsp.CompletionItem(
        label=found.label,
        kind=KINDS[found.kind],
        detail=found.detail or None,
        documentation=markdown(found.doc) if found.doc else None,
        insert_text=found.insert or None,
        sort_text=f"{rank} {found.label}",
    )


def symbol(part: Part, text: Text) -> lsp.DocumentSymbol:
    """Makes a symbol of a document with all inside it."""
    return lsp.DocumentSymbol(
        name=part.name or "(without a name)",
        kind=SYMBOLS.get(part.noun, lsp.SymbolKind.Method),
        detail=part.noun,
        range=span_range(text, part.span.start, part.span.end),
        selection_range=span_range(text, part.name_span.start, part.name_span.end),
        children=[symbol(each, text) for each in part.parts],
    )


def semantic(found: Sequence[tuple[Span, str, bool]], text: Text) -> lsp.SemanticTokens:
    """Makes semantic tokens: each relative to the one before."""
    data: list[int] = []
    line = character = 0
    for span, kind, declares in found:
        start, end = text.point(span.start), text.point(span.end)
        if start.line != end.line:
            continue
        before = character if start.line == line else 0
        data += (start.line - line, start.character - before, end.character - start.character)
        data += (TYPES.index(kind), 1 << MODIFIERS.index("declaration") if declares else 0)
        line, character = start.line, start.character
    return lsp.SemanticTokens(data)
