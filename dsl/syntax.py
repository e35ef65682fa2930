"""The grammar made into a parser: built when first needed, and kept on disk where that works."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import lark
import platformdirs
from lark.lark import PostLex
from lark.lexer import BasicLexer, ContextualLexer, PatternStr, Scanner

from .. import grammar

Start = Literal["declaration", "interpolation"]
# What a damaged or foreign file may raise while it is unpickled cannot be listed.
UNUSABLE = Exception


class NamesEverywhere(PostLex):
    """Makes the lexer try names in every state, so that `stepa` stays one word."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        return stream


class WordLexer(BasicLexer):
    """The lexer of one state, which looks words up.

    lark compiles a second expression for the words of each state, and tries every pattern on every
    word before that: measured, half of the time that a short file takes to parse.
    """

    def _build_scanner(self) -> Scanner:
        flags = self.g_regex_flags
        words: dict[str, dict[str, str]] = {}
        spelled: set[str] = set()
        for pattern in self.terminals:
            if isinstance(pattern.pattern, PatternStr):
                continue
            matcher = _compiled(pattern.pattern.to_regexp(), flags)
            found = {
                word.pattern.value: word.name
                for word in self.terminals
                if isinstance(word.pattern, PatternStr)
                and word.priority == pattern.priority
                and _whole(matcher, word.pattern.value)
            }
            if found:
                words[pattern.name] = found
                spelled |= set(found.values())
        self.callback = {name: _lookup(found) for name, found in words.items()}
        rest = [terminal for terminal in self.terminals if terminal.name not in spelled]
        return Scanner(rest, flags, self.re, self.use_bytes)  # type: ignore[no-untyped-call]


class StateLexer(ContextualLexer):
    """lark's contextual lexer over lexers that look words up."""

    BasicLexer = WordLexer


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _whole(matcher: re.Pattern[str], text: str) -> bool:
    found = matcher.match(text)
    return found is not None and found.group() == text


def _lookup(words: dict[str, str]) -> Callable[[lark.Token], lark.Token]:
    def named(token: lark.Token) -> lark.Token:
        name = words.get(token)
        if name is not None:
            token.type = name
        return token

    return named


@cache
def grammar_text() -> str:
    """Return the text of the grammar."""
    return (resources.files(grammar) / "saga.lark").read_text(encoding="utf-8")


@cache
def parser() -> lark.Lark:
    """Return the parser, from the cache on disk when there is one for this grammar and lark."""
    kept = _cache_path()
    with contextlib.suppress(UNUSABLE), kept.open("rb") as file:
        return lark.Lark.load(file)  # pyright: ignore[reportUnknownMemberType]
    made = build()
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as file:
            made.save(file)  # pyright: ignore[reportUnknownMemberType]
        draft.replace(kept)
    return made


def interactive(text: str, start: Start) -> Any:
    """Return lark's parser at the beginning of a text; lark types no part of it beyond `Any`."""
    return parser().parse_interactive(text, start)  # pyright: ignore[reportUnknownMemberType]


def build(**options: Any) -> lark.Lark:
    """Make the parser from the grammar; `options` are lark's, for tests of the grammar."""
    return lark.Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start=["declaration", "interpolation"],
        postlex=NamesEverywhere(),
        maybe_placeholders=True,
        _plugins={"ContextualLexer": StateLexer},
        **options,
    )


def _cache_path() -> Path:
    # The last number is raised when what is kept changes beside the grammar.
    versions = f"{lark.__version__} {sys.version_info[:2]} 2"
    key = hashlib.sha256(f"{versions}\n{grammar_text()}".encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("sagalang") / f"syntax-{key}.lark"
