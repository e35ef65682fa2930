"""The grammar made into a parser: built when first needed, and kept on disk where that works."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import lark
import platformdirs
from lark.lark import PostLex

from .. import grammar

Start = Literal["declaration", "interpolation"]
# What a damaged or foreign file may raise while it is unpickled cannot be listed.
UNUSABLE = Exception


class NamesEverywhere(PostLex):
    """Makes the lexer try names in every state, so that `stepa` stays one word."""

    always_accept = ("NAME",)

    def process(self, stream: Iterator[lark.Token]) -> Iterator[lark.Token]:
        return stream


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
        **options,
    )


def _cache_path() -> Path:
    versions = f"{lark.__version__} {sys.version_info[:2]}"
    key = hashlib.sha256(f"{versions}\n{grammar_text()}".encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("sagalang") / f"syntax-{key}.lark"
