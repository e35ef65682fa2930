"""Failure points: names for every place around a write or a call where a process may die."""

from __future__ import annotations

from collections.abc import Callable

listener: Callable[[str], None] | None = None
"""Called with the name of each point that is reached; tests put a function here that kills."""


def reach(name: str) -> None:
    """Tells the listener, when there is one, that this point is reached."""
    if listener is not None:
        listener(name)
