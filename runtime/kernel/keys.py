"""Idempotency keys: the identity of one logical operation, equal in every process and attempt."""

from __future__ import annotations

import hashlib


def forward_key(run_id: str, path: str, generation: int) -> str:
    """Gives the key of a step's action: 64 hexadecimal digits.

    It hashes the length-prefixed run id, path (item keys included) and generation; never arguments
    or time, so that it is equal in every attempt, process and machine.
    """
    run = run_id.encode("utf-8", "surrogatepass")
    place = path.encode("utf-8", "surrogatepass")
    count = b"%d" % generation
    sizes = (
        len(run).to_bytes(8, "big"),
        len(place).to_bytes(8, "big"),
        len(count).to_bytes(8, "big"),
    )
    prefixed = b"%b%b%b%b%b%b" % (sizes[0], run, sizes[1], place, sizes[2], count)
    return hashlib.sha256(prefixed).hexdigest()


def undo_key(action_key: str, ordinal: int) -> str:
    """Gives the key of an undo, whoever executes it; the first declared undo has no suffix."""
    return f"COMP-{action_key}" if ordinal == 0 else f"COMP-{action_key}-{ordinal}"


def corrective_key(action_key: str, ordinal: int) -> str:
    """Gives the key of the corrective of one effect of an action."""
    return f"CORR-{action_key}-{ordinal}"
