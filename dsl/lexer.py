"""The lexer: the next token of a text, as far as the state of the parser asks for it."""

from __future__ import annotations

import re
from collections.abc import Container
from functools import cache

from .syntax import table


class Token(str):
    """A piece of text with the name of its terminal and the offset where it begins."""

    __slots__ = ("start", "type")

    start: int
    type: str

    @classmethod
    def of(cls, text: str, type: str, start: int) -> Token:
        """Make a token of a text."""
        token = cls(text)
        token.type = type
        token.start = start
        return token


class Foreign(Exception):
    """No token that the parser asks for begins at an offset."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no token at {at}")
        self.at = at


class Lexer:
    """The terminals, ready to be tried.

    Words are looked up behind one pattern, signs by their first character: measured, an expression
    of everything that fits in each state, as lark makes them, took half of the time of a short file
    to be compiled.
    """

    def __init__(self) -> None:
        terminals = table().terminals
        self.blank = re.compile(terminals.blank).match
        self.name = re.compile(terminals.name).match
        self.words = terminals.words
        self.reserved = terminals.reserved
        self.patterns = terminals.patterns
        self.signs = terminals.signs

    def token(self, text: str, at: int, fitting: Container[str]) -> Token | None:
        """Return the token at an offset or behind the blanks there; None at the end of the text.

        Of what could begin there, `fitting` decides. A name may stand everywhere, so that `stepa`
        is one word. Raises Foreign.
        """
        # What matches nothing at all matches everywhere.
        blank = self.blank(text, at)
        assert blank is not None
        at = blank.end()
        if at == len(text):
            return None
        name = self.name(text, at)
        if name is not None:
            return Token.of(name.group(), self._word(name, text, at, fitting), at)
        for spelled, terminal in self.signs.get(text[at], ()):
            if terminal in fitting and text.startswith(spelled, at):
                return Token.of(spelled, terminal, at)
        for terminal, pattern in self.patterns:
            if terminal in fitting:
                found = _compiled(pattern).match(text, at)
                if found is not None:
                    return Token.of(found.group(), terminal, at)
        raise Foreign(at)

    def _word(self, name: re.Match[str], text: str, at: int, fitting: Container[str]) -> str:
        word = name.group()
        reserved = self.reserved.get(word)
        if reserved is not None:
            terminal, pattern = reserved
            if terminal in fitting and _compiled(pattern).match(text, at):
                return terminal
        terminal = self.words.get(word, "NAME")
        return terminal if terminal in fitting else "NAME"


@cache
def lexer() -> Lexer:
    """Return the lexer of the grammar."""
    return Lexer()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
