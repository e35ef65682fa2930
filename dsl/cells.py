"""How wide text is in a terminal, and how characters that cannot be seen are shown."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

TAB = "    "
# Cc control, Cf format (bidi marks among them), Cs surrogates, Zl and Zp line breaks.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


@lru_cache(maxsize=1024)
def shown(character: str) -> str:
    """Return what stands for a character on the screen: itself, spaces for a tab, or `<U+202E>`."""
    if character == "\t":
        return TAB
    if character in _JOINERS:
        return character
    if unicodedata.category(character) in _UNSEEN:
        return f"<U+{ord(character):04X}>"
    return character


def printable(text: str) -> str:
    """Return a text that cannot move the cursor, colour or reorder anything; line ends stay."""
    return "".join(character if character == "\n" else shown(character) for character in text)


def width(text: str) -> int:
    """Return the number of terminal cells that a printable text takes."""
    return sum(_cells(character) for character in text)


@lru_cache(maxsize=1024)
def _cells(character: str) -> int:
    if character in _JOINERS or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
