"""Where a word is one of the language: the same expressions for each of the editors' engines.

A word that is not reserved may name anything. It is a name behind a dot, in front of what only
follows names (`: . = != , ) ] ?`), and behind a word that names things on the same line.
"""

from __future__ import annotations

from collections.abc import Iterable

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
NUMBER = r"\b[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*)?(?:ms|s|m|h|d)?\b"
ESCAPE = r"\\(?:u\{[0-9A-Fa-f]+\}|.)"
OPERATOR = r"->|\.\.|[=!<>]=|//|[-+*/%<>=?]"
PUNCTUATION = r"[{}()\[\]:,.]"
# `return [a]` begins a list, `first[0]` takes an item; `when (a)`, but `tool(a)` calls `tool`.
NAMED_BY_WHAT_FOLLOWS = r"(?![\[(]|\s*(?:[:.,)\]?=]|!=))"
BEHIND_NO_DOT = r"(?<!\.)"
# Reserved words are names behind a dot and in front of a colon only.
IN_FRONT_OF_NO_COLON = r"(?!\s*:)"


def one_of(words: Iterable[str]) -> str:
    """Gives an expression for any of some words, whole."""
    return rf"\b(?:{'|'.join(sorted(words))})\b"


def language(words: Iterable[str]) -> str:
    """Gives an expression for words of the language that may be names elsewhere."""
    return f"{BEHIND_NO_DOT}{one_of(words)}{NAMED_BY_WHAT_FOLLOWS}"


def reserved(words: Iterable[str]) -> str:
    """Gives an expression for words that never name a value."""
    return f"{BEHIND_NO_DOT}{one_of(words)}{IN_FRONT_OF_NO_COLON}"


def called(words: Iterable[str]) -> str:
    """Gives an expression for words that are called: functions."""
    return rf"{BEHIND_NO_DOT}{one_of(words)}(?=\s*\()"


def typed(words: Iterable[str]) -> str:
    """Gives an expression for words where they are types: in front of no field, call or colon."""
    return rf"{BEHIND_NO_DOT}{one_of(words)}(?!\s*[:.(])"


def naming(words: Iterable[str], never: Iterable[str]) -> str:
    """Gives an expression of three groups: a word that names, blanks, and the name behind them.

    `never` are the words that name nothing: `effect none`.
    """
    name = rf"(?!{one_of(never)}){NAME}\b(?!\s*\.)"
    return rf"{BEHIND_NO_DOT}({one_of(words)})([ \t]+)({name})"
