"""What an expression may read where it stands, with types, and what is known of it there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from ...runtime.formula import Type
from .narrowing import NOTHING, Path
from .types import present

Lookup = Callable[[str], Type | None]


class Environment(Struct, frozen=True):
    """Names by `lookup` (of a saga) or in `local`, and the values that conditions have proved.

    `arguments` are the types behind `args.NAME` where a step's block names its call. `written` is
    true in a scenario, where a text may stand for a date or a time: it can compute none.
    """

    lookup: Lookup | None = None
    local: Mapping[str, Type] = field(default_factory=dict[str, Type])
    there: frozenset[Path] = NOTHING
    arguments: Mapping[str, Type] | None = None
    written: bool = False

    def type_of(self, word: str) -> Type | None:
        """Gives the type of a name, narrowed; None when there is no such value."""
        found = self.local.get(word)
        if found is None and self.lookup is not None:
            found = self.lookup(word)
        return found if found is None else self.narrowed((word,), found)

    def narrowed(self, path: Path | None, given: Type) -> Type:
        """Gives a type without its `?` when the value is known to be there."""
        return present(given) if path in self.there else given

    def knowing(self, there: Iterable[Path]) -> Environment:
        """Gives the environment in which more values are known to be there."""
        more = frozenset(there)
        return replace(self, there=self.there | more) if more else self

    def plus(self, /, **names: Type) -> Environment:
        """Gives the environment with further names."""
        return replace(self, local={**self.local, **names})
