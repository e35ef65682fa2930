"""The grammar made into a parser: built when first needed, and kept on disk where that works."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
from collections.abc import Callable, Collection, Iterator
from copy import copy
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, cast

import lark
import platformdirs
from lark.common import LexerConf
from lark.lark import PostLex
from lark.lexer import AbstractBasicLexer, BasicLexer, ContextualLexer, PatternStr, Scanner
from lark.parsers.lalr_analysis import Reduce, Shift

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


class Lexers(dict[int, WordLexer]):
    """The lexer of each state, made when the state is first met: a file meets one in five."""

    def __init__(self, conf: LexerConf, accepted: dict[int, frozenset[str]]) -> None:
        super().__init__()
        self.conf = conf
        self.accepted = accepted
        self.made: dict[frozenset[str], WordLexer] = {}

    def __missing__(self, state: int) -> WordLexer:
        accepted = self.accepted[state]
        lexer = self.made.get(accepted)
        if lexer is None:
            conf = copy(self.conf)
            conf.terminals = [each for each in self.conf.terminals if each.name in accepted]
            lexer = self.made[accepted] = WordLexer(conf)
        self[state] = lexer
        return lexer


class StateLexer(ContextualLexer):
    """lark's contextual lexer over lexers that look words up."""

    def __init__(
        self,
        conf: LexerConf,
        states: dict[int, Collection[str]],
        always_accept: Collection[str] = (),
    ) -> None:
        # Not lark's own: it makes the lexers of all states at once.
        everywhere = frozenset((*conf.ignore, *always_accept))
        sets: dict[frozenset[str], frozenset[str]] = {}
        accepted: dict[int, frozenset[str]] = {}
        for state, terminals in states.items():
            found = everywhere.union(terminals)
            accepted[state] = sets.setdefault(found, found)
        self.root_lexer = WordLexer(conf)
        valid = copy(conf)
        valid.skip_validation = True
        self.lexers = cast("dict[int, AbstractBasicLexer]", Lexers(valid, accepted))


_KEPT: dict[str, object] = {"shift": Shift, "reduce": Reduce, "re": re}
_MARKS = {id(kept): mark for mark, kept in _KEPT.items()}


class _Writer(pickle.Pickler):
    # The two actions are compared by identity, and a module is found, not kept.
    def persistent_id(self, obj: object) -> str | None:
        return _MARKS.get(id(obj))


class _Reader(pickle.Unpickler):
    def persistent_load(self, pid: object) -> object:
        return _KEPT[str(pid)]


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
    # lark's own `save` and `load` keep less and make the rest anew: measured, five times as slow.
    kept = _cache_path()
    with contextlib.suppress(UNUSABLE), kept.open("rb") as file:
        found: object = _Reader(file).load()
        if isinstance(found, lark.Lark):
            return found
    made = build()
    _share(made)
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        with draft.open("wb") as file:
            _Writer(file, pickle.HIGHEST_PROTOCOL).dump(made)
        draft.replace(kept)
    return made


def _share(made: lark.Lark) -> None:
    """Keeps each action of the table once, as each is kept in the file once then."""
    front: Any = cast(Any, made).parser
    states: dict[int, dict[str, Any]] = front.parser._parse_table.states
    known: dict[Any, Any] = {}
    for actions in states.values():
        for terminal, action in actions.items():
            actions[terminal] = known.setdefault(action, action)


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
    versions = f"{lark.__version__} {sys.version_info[:2]} 3"
    key = hashlib.sha256(f"{versions}\n{grammar_text()}".encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("sagalang") / f"syntax-{key}.lark"
