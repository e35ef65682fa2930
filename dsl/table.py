"""The grammar as plain data: what a parser and its lexer look up, without lark."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Rule(Struct, frozen=True, array_like=True):
    """One alternative of a rule: how many values it takes, and which of them become its children.

    `children` are the index of a value, whether it is a list that is taken apart, and how many
    places of `[ ]` without a text stand before it; `behind` is how many stand after the last one.
    """

    name: str
    origin: str
    size: int
    children: tuple[tuple[int, bool, int], ...]
    behind: int
    whole: bool
    """The children are the values as they are."""
    alone: bool
    """A single child takes the place of the rule."""
    hands_on: bool
    """Nothing is ever built: its one value takes the place of the rule."""
    repeats: bool
    """It gives a list that its parent takes apart."""


class Terminals(Struct, frozen=True, array_like=True):
    """What a text is made of. Patterns are regular expressions, each tried where a token begins."""

    blank: str
    name: str
    words: Mapping[str, str]
    """The terminals of words by their spelling: names where the grammar does not ask for them."""
    reserved: Mapping[str, tuple[str, str]]
    """The terminals and patterns of words that a pattern of their own puts before names."""
    patterns: tuple[tuple[str, str], ...]
    """Numbers and texts."""
    signs: Mapping[str, tuple[tuple[str, str], ...]]
    """By the first character: spellings, the longest first, and terminals."""


class Table(Struct, frozen=True, array_like=True):
    """An LALR(1) table: for each state where a terminal or the origin of a rule leads to.

    A number from 0 is the state to go on in; a number below 0 is a rule, of which `~number` is the
    place in `rules`.
    """

    states: tuple[Mapping[str, int], ...]
    rules: tuple[Rule, ...]
    starts: Mapping[str, int]
    ends: Mapping[str, int]
    terminals: Terminals
