"""Where each name is declared and where it is used, in all modules of a program."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ..dsl.nodes import Node
from ..dsl.span import Span
from ..runtime.formula import Type

Kind = Literal[
    "record", "enum", "tool", "agent", "saga", "field", "member", "parameter", "remembered",
    "statement", "variable", "alias",
]  # fmt: skip
Key = tuple[str, int]
"""A symbol's identity: the module that declares it and the offset of its name there."""


LONGEST_WORD = len("undo")
"""The longest word that leads somewhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """One thing that has a name; `node` declares it, `owner` is the name of what it belongs to.

    `target` of an alias is what it stands for.
    """

    key: Key
    kind: Kind
    name: str
    span: Span
    node: Node
    type: Type | None = None
    owner: str = ""
    target: Key | None = None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name in the text: what it means, and whether it is declared there."""

    span: Span
    symbol: Key
    declares: bool = False


@dataclass(slots=True)
class Index:
    """All symbols, and their occurrences by module in the order written."""

    symbols: dict[Key, Symbol] = field(default_factory=dict[Key, Symbol])
    by_module: dict[str, list[Occurrence]] = field(default_factory=dict[str, list[Occurrence]])
    by_symbol: dict[Key, list[Occurrence]] = field(default_factory=dict[Key, list[Occurrence]])
    words: dict[str, dict[int, Occurrence]] = field(
        default_factory=dict[str, dict[int, Occurrence]]
    )
    """Words of the language that lead to a symbol without being its name, by where they begin."""

    def declare(self, symbol: Symbol) -> None:
        """Takes a symbol in, with the place where it is declared."""
        self.symbols.setdefault(symbol.key, symbol)
        self.note(Occurrence(symbol.span, symbol.key, True))

    def note(self, occurrence: Occurrence) -> None:
        """Takes an occurrence in."""
        self.by_module.setdefault(occurrence.span.source, []).append(occurrence)
        self.by_symbol.setdefault(occurrence.symbol, []).append(occurrence)

    def lead(self, span: Span, key: Key) -> None:
        """Notes that a word leads to a symbol: it is no use of it, and renaming leaves it."""
        self.words.setdefault(span.source, {})[span.start] = Occurrence(span, key)

    def word(self, module: str, offset: int) -> Occurrence | None:
        """Gives the word at an offset that leads somewhere, also directly behind it."""
        begins = self.words.get(module, {})
        found = (
            begins[at]
            for at in range(offset, max(offset - LONGEST_WORD, 0) - 1, -1)
            if at in begins
        )
        return next((each for each in found if each.span.end >= offset), None)

    def sort(self) -> None:
        """Puts the occurrences in the order written, each once."""
        for name, found in self.by_module.items():
            once = {each.span: each for each in found}
            self.by_module[name] = sorted(once.values(), key=lambda each: each.span.start)

    def at(self, module: str, offset: int) -> Occurrence | None:
        """Gives the occurrence at an offset, also directly behind its last character."""
        found = self.by_module.get(module, [])
        place = bisect_right(found, offset, key=lambda each: each.span.start) - 1
        if place >= 0 and found[place].span.end >= offset:
            return found[place]
        return None

    def meant(self, key: Key) -> Symbol | None:
        """Gives a symbol, of an alias what it stands for."""
        symbol = self.symbols.get(key)
        if symbol is not None and symbol.target is not None:
            return self.symbols.get(symbol.target)
        return symbol

    def of(self, key: Key) -> Iterator[Occurrence]:
        """Gives every occurrence of a symbol, also those by an alias of it."""
        yield from self.by_symbol.get(key, ())
        for symbol in self.symbols.values():
            if symbol.target == key:
                yield from self.by_symbol.get(symbol.key, ())
