"""Secrets: found by reference when a call needs them, and masked in everything that is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Unresolved(Exception):
    """A secret cannot be found where its reference says."""


def resolve(reference: str) -> str:
    """Gives the secret that a reference (`env:NAME`) leads to. Raises `Unresolved`."""
    raise Unresolved(reference)


class Mask:
    """Replaces known secrets, by reference, in texts and stored values.

    `short` lists the references of secrets too short to be masked within other texts.
    """

    short: tuple[str, ...] = ()

    def __init__(self, secrets: Mapping[str, str]) -> None:
        pass

    def text(self, text: str) -> str:
        """Gives a text without the secrets."""
        return text

    def wire(self, wire: Any) -> Any:
        """Gives a stored value without the secrets."""
        return wire

    def cut(self, text: str, limit: int) -> str:
        """Masks a text, and then cuts it to at most `limit` characters."""
        return self.text(text)[:limit]
