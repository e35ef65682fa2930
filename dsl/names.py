"""Names: what a name is made of and which words never name a value, read from the grammar."""

from __future__ import annotations

import re
from functools import cache

from .diagnostics import Diagnostic, problem
from .nodes import Name
from .syntax import table

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_name(text: str) -> bool:
    """Return whether a text is spelled like a name."""
    return _NAME.fullmatch(text) is not None


@cache
def reserved_words() -> frozenset[str]:
    """Return the words that never name a value: the grammar's reserved words."""
    return frozenset(table().terminals.reserved)


@cache
def key_words() -> frozenset[str]:
    """Return every word that means something somewhere, the reserved ones included."""
    return frozenset(table().terminals.words) | reserved_words()


def not_a_name(name: Name) -> Diagnostic:
    """Report a reserved word in the place of a name."""
    return problem(
        "N207",
        f"`{name.text}` cannot name anything: the language uses this word itself.",
        name.span,
        "choose another name",
        helps=[f"These words are taken: {', '.join(sorted(reserved_words()))}."],
    )
