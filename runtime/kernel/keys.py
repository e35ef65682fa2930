"""Idempotency keys: the identity of one logical operation, equal in every process and attempt."""

from __future__ import annotations

import hashlib
from functools import lru_cache


def forward_key(run_id: str, path: str, generation: int) -> str:
    """Gives the key of a step's action: 64 hexadecimal digits.

    It hashes the length-prefixed run id, path (item keys included) and generation; never arguments
    or time, so that it is equal in every attempt, process and machine.
    """
    return hashlib.sha256(_sized(run_id) + _sized(path) + _sized(str(generation))).hexdigest()


@lru_cache(maxsize=4096)
def _sized(text: str) -> bytes:
    """Gives a text behind its length; runs and steps come again and again."""
    encoded = text.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(8, "big") + encoded


def undo_key(action_key: str, ordinal: int) -> str:
    """Gives the key of an undo, whoever executes it; the first declared undo has no suffix."""
    return f"COMP-{action_key}" if ordinal == 0 else f"COMP-{action_key}-{ordinal}"


def corrective_key(action_key: str, ordinal: int) -> str:
    """Gives the key of the corrective of one effect of an action."""
    return f"CORR-{action_key}-{ordinal}"
