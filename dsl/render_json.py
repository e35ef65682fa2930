"""Diagnostics for programs: the shape that `saga check --format json` promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from .diagnostics import Diagnostic, Edit, Fix, Label
from .source import Position, Source


class LabelJson(TypedDict):
    """A position that explains a diagnostic."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str


class EditJson(TypedDict):
    """A range, end exclusive, and the text that replaces it."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class FixJson(TypedDict):
    """Edits that belong together."""

    applicability: str
    edits: list[EditJson]


class DiagnosticJson(TypedDict):
    """One diagnostic; lines and columns from 1, columns in code points."""

    code: str
    severity: str
    message: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    labels: list[LabelJson]
    help: list[str]
    fix: FixJson | None


def to_json(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]
) -> list[DiagnosticJson]:
    """Return diagnostics as JSON values; sources are found by name."""
    return [_one(diagnostic, sources) for diagnostic in diagnostics]


def _one(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> DiagnosticJson:
    primary = diagnostic.primary
    start = _position(sources, primary.source, primary.start)
    end = _position(sources, primary.source, primary.end)
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": primary.source,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "labels": [_label(label, sources) for label in diagnostic.labels],
        "help": list(diagnostic.helps),
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix, sources),
    }


def _label(label: Label, sources: Mapping[str, Source]) -> LabelJson:
    start = _position(sources, label.source, label.start)
    end = _position(sources, label.source, label.end)
    return {
        "file": label.source,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "message": label.message,
    }


def _fix(fix: Fix, sources: Mapping[str, Source]) -> FixJson:
    edits = [_edit(edit, sources) for edit in fix.edits]
    return {"applicability": fix.applicability, "edits": edits}


def _edit(edit: Edit, sources: Mapping[str, Source]) -> EditJson:
    start = _position(sources, edit.source, edit.start)
    end = _position(sources, edit.source, edit.end)
    return {
        "file": edit.source,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "text": edit.text,
    }


def _position(sources: Mapping[str, Source], name: str, offset: int) -> Position:
    # A file that could not be decoded has no text to count in.
    source = sources.get(name)
    return Position(1, 1) if source is None else source.position(offset)
