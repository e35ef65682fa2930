"""Fixes that keep the meaning, made in a file: of syntax first, then of what is seen after it."""

from __future__ import annotations

from pathlib import Path

from .programs import compiled
from .writing import write_text

ROUNDS = 20
"""Most rounds of fixes and a new look; each must leave fewer than the one before."""


def mend(path: str) -> bool:
    """Makes the safe fixes in one file, not in what it imports; False when there was none."""
    from ..dsl.fixes import apply

    made = False
    for _ in range(ROUNDS):
        seen = compiled(path)
        source = seen.sources.get(path)
        if source is None:
            return made
        fixes = [
            d.fix
            for d in seen.diagnostics
            if d.fix and d.fix.applicability == "safe"
            and all(edit.source == source.name for edit in d.fix.edits)
        ]  # fmt: skip
        text = apply(source, fixes)
        if text == source.text:
            return made
        made = True
        _rewrite(Path(path), text)
    return made


def _rewrite(path: Path, text: str) -> None:
    """Writes a text with the line ends and the mark at its head that the file had."""
    raw = path.read_bytes().decode("utf-8")
    if "\r\n" in raw:
        text = text.replace("\n", "\r\n")
    write_text(path, "\ufeff" + text if raw.startswith("\ufeff") else text)
