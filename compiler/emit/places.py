"""Where the parts of plans stand: a table of the lines of each file, so that a place is `14:23`.

A place has five numbers, and a module says tens of thousands of them. Line and column are what
people read; with the offset at which each line begins, and the length, they give back the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from msgspec import Struct

from ...runtime.formula import Place


class Places:
    """The files that some plans come from, in the order met, and where their lines begin."""

    def __init__(self, plans: Iterable[Struct]) -> None:
        self.files: dict[str, dict[int, int]] = {}
        seen: set[int] = set()
        for plan in plans:
            self._visit(plan, seen)

    def _visit(self, plan: Struct, seen: set[int]) -> None:
        todo: list[object] = [plan]
        while todo:
            part = todo.pop()
            if isinstance(part, Place):
                if part.line > 0:
                    self.files.setdefault(part.file, {}).setdefault(part.line, _begin(part))
            elif isinstance(part, tuple):
                todo.extend(reversed(cast(tuple[object, ...], part)))
            elif isinstance(part, Struct) and id(part) not in seen:
                # Steps share what they take over from their tools: once is enough.
                seen.add(id(part))
                todo.extend(getattr(part, name) for name in reversed(part.__struct_fields__))

    def spot(self, place: Place) -> str | None:
        """Gives `line:column` of a place, or None where the table does not give back its offset."""
        begin = self.files.get(place.file, {}).get(place.line)
        return None if begin is None or begin != _begin(place) else f"{place.line}:{place.column}"

    def table(self, file: str) -> str:
        """Gives the lines of a file in which something stands, each with its first offset."""
        return " ".join(f"{line}:{begin}" for line, begin in sorted(self.files[file].items()))


def _begin(place: Place) -> int:
    return place.start - place.column + 1
