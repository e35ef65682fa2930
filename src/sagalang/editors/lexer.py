"""The Pygments lexer: colours ```saga blocks in Sphinx, MkDocs, nbconvert and rich.

>>> from pygments import highlight
>>> from pygments.formatters import NullFormatter
>>> highlight("saga empty() { }", SagaLexer(), NullFormatter())
'saga empty() { }\\n'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from pygments import lexer as pygments_lexer
from pygments.lexer import RegexLexer, include
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from . import patterns as p
from .words import words

_W = words()


def _named(kind: Any) -> Any:
    # Pygments gives this one no types.
    return cast(Any, pygments_lexer).bygroups(kind, Whitespace, Name.Variable)


class SagaLexer(RegexLexer):
    """Lexes `.saga` files; what no program may hold comes out as an error token."""

    name = "Saga"
    aliases: ClassVar[Sequence[str]] = ["saga"]
    filenames: ClassVar[Sequence[str]] = ["*.saga"]
    mimetypes: ClassVar[Sequence[str]] = ["text/x-saga"]
    url = ""
    version_added = ""

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\A%%saga\b[^\n]*", Comment.Preproc),
            (r"\s+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (r'"""[\s\S]*?"""', String.Doc),
            (r'"', String.Double, "text"),
            include("code"),
            (p.PUNCTUATION, Punctuation),
        ],
        "code": [
            (p.NUMBER, Number),
            (p.reserved(_W.constants), Keyword.Constant),
            (p.reserved(_W.operators), Operator.Word),
            (p.naming(_W.naming & _W.declarations, _W.reserved), _named(Keyword.Declaration)),
            (p.naming(_W.naming - _W.declarations, _W.reserved), _named(Keyword)),
            (p.language(_W.declarations), Keyword.Declaration),
            (p.language(_W.classes), Keyword.Pseudo),
            (p.typed(_W.types), Keyword.Type),
            (p.language(_W.statements | _W.clauses | _W.others), Keyword),
            (p.called(_W.functions), Name.Builtin),
            (
                rf"{p.BEHIND_NO_DOT}{p.one_of(_W.values)}{p.IN_FRONT_OF_NO_COLON}",
                Name.Builtin.Pseudo,
            ),
            (rf"(?<=\.){p.NAME}", Name.Attribute),
            (rf"{p.NAME}(?=\s*\()", Name.Function),
            (r"[A-Z][A-Za-z0-9_]*", Name.Class),
            (p.NAME, Name),
            (p.OPERATOR, Operator),
        ],
        "text": [
            (r'[^"\\\n{}]+', String.Double),
            (r"\{\{|\}\}", String.Escape),
            (p.ESCAPE, String.Escape),
            (r"\{", String.Interpol, "inside"),
            (r"\}", String.Double),
            (r'"|\n', String.Double, "#pop"),
        ],
        # No quotation mark stands inside braces of a text: one ends both.
        "inside": [
            (r"\}", String.Interpol, "#pop"),
            (r'(?="|\n)', String.Double, "#pop"),
            (r"[^\S\n]+", Whitespace),
            include("code"),
            (r"[()\[\]:,.{]", Punctuation),
        ],
    }
