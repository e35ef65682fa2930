"""The TextMate grammar, for VS Code and what reads its grammars."""

from __future__ import annotations

from typing import Any

from . import patterns as p
from .words import words


def textmate() -> dict[str, Any]:
    """Makes the grammar; its scopes are those that themes know."""
    w = words()
    code: list[dict[str, Any]] = [
        {"match": p.NUMBER, "name": "constant.numeric.saga"},
        {"match": p.reserved(w.constants), "name": "constant.language.saga"},
        {"match": p.reserved(w.operators), "name": "keyword.control.saga"},
        _naming(p.naming(w.naming & w.declarations, w.reserved), "keyword.declaration.saga"),
        _naming(p.naming(w.naming - w.declarations, w.reserved), "keyword.control.saga"),
        {"match": p.language(w.declarations), "name": "keyword.declaration.saga"},
        {"match": p.language(w.classes), "name": "storage.modifier.saga"},
        {"match": p.typed(w.types), "name": "support.type.saga"},
        {"match": p.language(w.statements), "name": "keyword.control.saga"},
        {"match": p.language(w.clauses | w.others), "name": "keyword.other.saga"},
        {"match": p.called(w.functions), "name": "support.function.saga"},
        {"match": p.reserved(w.values), "name": "variable.language.saga"},
        {"match": rf"(?<=\.){p.NAME}", "name": "variable.other.property.saga"},
        {"match": rf"{p.NAME}(?=\s*\()", "name": "entity.name.function.saga"},
        {"match": r"\b[A-Z][A-Za-z0-9_]*", "name": "entity.name.type.saga"},
        {"match": p.NAME, "name": "variable.other.saga"},
        {"match": p.OPERATOR, "name": "keyword.operator.saga"},
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Saga",
        "scopeName": "source.saga",
        "fileTypes": ["saga"],
        "patterns": [
            {"match": "#.*$", "name": "comment.line.number-sign.saga"},
            {"include": "#documentation"},
            {"include": "#text"},
            {"include": "#code"},
        ],
        "repository": {
            "documentation": {
                "begin": '"""',
                "end": '"""',
                "name": "comment.block.documentation.saga",
            },
            "text": {
                "begin": '"',
                "end": '"|$',
                "name": "string.quoted.double.saga",
                "patterns": [
                    {"match": r"\{\{|\}\}", "name": "constant.character.escape.saga"},
                    {"match": p.ESCAPE, "name": "constant.character.escape.saga"},
                    {
                        "begin": r"\{",
                        "end": r'\}|(?=")|$',
                        "name": "meta.interpolation.saga",
                        "patterns": [{"include": "#code"}],
                    },
                ],
            },
            "code": {"patterns": code},
        },
    }


def _naming(expression: str, scope: str) -> dict[str, Any]:
    captures = {"1": {"name": scope}, "3": {"name": "entity.name.saga"}}
    return {"match": expression, "captures": captures}
