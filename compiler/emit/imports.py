"""What a generated module imports: only what it uses, under names that are its own."""

from __future__ import annotations

from collections.abc import Callable

from .code import WIDTH

RUNTIME = "sagalang.runtime.module"
STANDARD = {
    "Any": "typing",
    "Decimal": "decimal",
    "StrEnum": "enum",
    "dataclass": "dataclasses",
    "field": "dataclasses",
}


class Imports:
    """The imports of one module; `give` makes names that nothing else in it has."""

    def __init__(self, give: Callable[[str], str]) -> None:
        self._give = give
        self._words: dict[str, str] = {}
        self._used: set[str] = set()

    def word(self, name: str) -> str:
        """Gives the module's spelling of an imported name, and notes that it is used."""
        self._used.add(name)
        return self.spelling(name)

    def spelling(self, name: str) -> str:
        """Gives the spelling that an imported name has, or would have."""
        if name not in self._words:
            self._words[name] = self._give(name)
        return self._words[name]

    def text(self) -> str:
        """Gives the import statements, sorted as ruff does."""
        froms: dict[str, list[str]] = {}
        for name in sorted(self._used, key=_rank):
            if name != "dt":
                froms.setdefault(STANDARD.get(name, RUNTIME), []).append(name)
        lines = [self._line(module, names) for module, names in sorted(froms.items())]
        own = [line for line in lines if line.startswith(f"from {RUNTIME}")]
        standard = [line for line in lines if line not in own]
        if "dt" in self._used:
            standard.insert(0, f"import datetime as {self._words['dt']}")
        return "\n\n".join("\n".join(group) for group in (standard, own) if group)

    def _line(self, module: str, names: list[str]) -> str:
        parts = [n if self._words[n] == n else f"{n} as {self._words[n]}" for n in names]
        line = f"from {module} import {', '.join(parts)}"
        if len(line) <= WIDTH:
            return line
        return f"from {module} import (\n" + "".join(f"    {part},\n" for part in parts) + ")"


def _rank(name: str) -> tuple[int, str]:
    """Orders constants before classes before functions."""
    if name.isupper() and len(name) > 1:
        return 0, name
    return (1, name) if name[0].isupper() else (2, name)
