"""The grammar made into a table: by lark when first needed, and kept on disk where that works."""

from __future__ import annotations

import contextlib
import os
import pkgutil
import re
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from .. import grammar
from .table import Rule, Table, Terminals

if TYPE_CHECKING:
    import lark

Start = Literal["declaration", "interpolation"]


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """What is kept on disk: a table and all that it was made from."""

    origin: str
    table: Table


class NamesEverywhere:
    """Makes lark's lexer try names in every state, so that `stepa` stays one word."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        """Give the tokens as they are."""
        return stream


@cache
def grammar_text() -> str:
    """Return the text of the grammar."""
    data = pkgutil.get_data(grammar.__name__, "saga.lark")
    assert data is not None
    return data.decode("utf-8")


@cache
def table() -> Table:
    """Return the table, from the cache on disk when there is one for this grammar and lark."""
    # lark's own `save` and `load` keep parsers, which lark must be imported for.
    origin = f"{_version_of_lark()}\n{grammar_text()}"
    kept = _cache_path(origin)
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        found = msgspec.msgpack.decode(kept.read_bytes(), type=Kept)
        if found.origin == origin:
            return found.table
    made = tabulate(build())
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(msgspec.msgpack.encode(Kept(origin, made)))
        draft.replace(kept)
    return made


def build(**options: Any) -> lark.Lark:
    """Make lark's parser of the grammar; `options` are lark's, for tests of the grammar."""
    import lark

    return lark.Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        start=["declaration", "interpolation"],
        postlex=cast(Any, NamesEverywhere()),
        maybe_placeholders=True,
        **options,
    )


def tabulate(parser: lark.Lark) -> Table:
    """Give what lark found out about the grammar as plain data."""
    from lark.parsers.lalr_analysis import Shift

    # lark types no part of its table beyond `Any`.
    inside: Any = cast(Any, parser).parser.parser._parse_table
    places = {rule: place for place, rule in enumerate(parser.rules)}
    states = tuple(
        {
            symbol: target if action is Shift else ~places[target]
            for symbol, (action, target) in inside.states[state].items()
        }
        for state in range(len(inside.states))
    )
    rules = tuple(_rule(rule) for rule in parser.rules)
    return Table(states, rules, inside.start_states, inside.end_states, _terminals(parser))


def _rule(rule: Any) -> Rule:
    """Tell which values become children, as lark's `maybe_create_child_filter` does."""
    left_out = rule.options.empty_indices or (False,) * len(rule.expansion)
    symbols = iter(rule.expansion)
    children: list[tuple[int, bool, int]] = []
    at = nones = 0
    for nothing in left_out:
        if nothing:
            nones += 1
            continue
        symbol = next(symbols)
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            listed = not symbol.is_term and symbol.name.startswith("_")
            children.append((at, listed, nones))
            nones = 0
        at += 1
    name, size = str(rule.alias or rule.options.template_source or rule.origin.name), at
    alone = bool(rule.options.expand1 and not rule.alias)
    return Rule(
        name=name,
        origin=str(rule.origin.name),
        size=size,
        children=tuple(children),
        behind=nones,
        whole=children == [(place, False, 0) for place in range(size)] and not nones,
        alone=alone,
        hands_on=alone and size == 1,
        repeats=name.startswith("_"),
    )


def _terminals(parser: lark.Lark) -> Terminals:
    """Sort the terminals into what is looked up and what is tried.

    Before names stand only the patterns of reserved words, and no pattern of two others fits at one
    place: the order in which lark tries them says no more.
    """
    from lark.lexer import PatternStr

    patterns = {each.name: each.pattern.to_regexp() for each in parser.terminals}
    strings = [each for each in parser.terminals if isinstance(each.pattern, PatternStr)]
    spelled = {each.pattern.value: each.name for each in strings}
    for each in strings:
        del patterns[each.name]
    blank = "|".join(patterns.pop(name) for name in parser.ignore_tokens)
    name = patterns.pop("NAME")
    word = re.compile(name)
    reserved: dict[str, tuple[str, str]] = {}
    for terminal, pattern in tuple(patterns.items()):
        if (found := word.match(pattern)) is not None:
            reserved[found.group()] = (terminal, patterns.pop(terminal))
    signs: dict[str, tuple[tuple[str, str], ...]] = {}
    for text in sorted(spelled, key=len, reverse=True):
        if not word.fullmatch(text):
            signs[text[0]] = (*signs.get(text[0], ()), (text, spelled[text]))
    return Terminals(
        blank=f"(?:{blank})*",
        name=name,
        words={text: terminal for text, terminal in spelled.items() if word.fullmatch(text)},
        reserved=reserved,
        patterns=tuple(patterns.items()),
        signs=signs,
    )


def _version_of_lark() -> str:
    # lark's first page names its version; importing it costs more than all that is done here.
    spec = find_spec("lark")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).read_text("utf-8")


def _cache_path(origin: str) -> Path:
    # The last number is raised when what is kept changes beside the grammar.
    key = zlib.crc32(f"{origin}\n1".encode())
    return cache_folder() / f"syntax-{key:08x}.msgpack"


def cache_folder() -> Path:
    """Return the folder of the user's caches, as platformdirs knows it."""
    # On Linux it is this one unless somebody says otherwise: loading platformdirs takes half as
    # long as parsing a hundred lines.
    home = os.environ.get("HOME", "")
    moved = os.environ.keys() & {"XDG_CACHE_HOME", "ANDROID_DATA", "ANDROID_ROOT"}
    if sys.platform == "linux" and home.startswith("/") and not moved:
        return Path(home, ".cache", "sagalang")
    import platformdirs

    return platformdirs.user_cache_path("sagalang")
