"""What names mean where an expression stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..compiler.typing.types import present
from ..runtime.formula import Type
from .index import Key


@dataclass(frozen=True, slots=True)
class Meaning:
    """A name in scope: its symbol (None for words such as `key`) and its type, if known."""

    key: Key | None
    type: Type | None = None


@dataclass(slots=True)
class Scope:
    """Names, and those of the blocks around them.

    `arguments` are the parameters behind `args.NAME` in a step's block.
    """

    outer: Scope | None = None
    names: dict[str, Meaning] = field(default_factory=dict[str, Meaning])
    arguments: dict[str, Meaning] | None = None

    def find(self, word: str) -> Meaning | None:
        """Gives what a name means: the innermost that is called so."""
        for scope in self.around():
            if word in scope.names:
                return scope.names[word]
        return None

    def around(self) -> Iterator[Scope]:
        """Gives this scope and those around it, from the inside out."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def parameters(self) -> dict[str, Meaning] | None:
        """Gives what `args.NAME` may name here."""
        return next((s.arguments for s in self.around() if s.arguments is not None), None)

    def inner(self, **names: Type | None) -> Scope:
        """Gives a scope inside this one with words that have a type and no declaration."""
        return Scope(self, {word: Meaning(None, given) for word, given in names.items()})

    def type_of(self, word: str) -> Type | None:
        """Gives the type of a name, for typing an expression; what may be none counts as there."""
        found = self.find(word)
        return None if found is None or found.type is None else present(found.type)
