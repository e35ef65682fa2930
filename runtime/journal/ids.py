"""Ids of runs: given by a user, or made so that they sort by time."""

from __future__ import annotations

import secrets
import time
import unicodedata
from uuid import UUID

from .errors import BadRunId

LONGEST = 200


def run_id(text: str) -> str:
    """Gives the id in the form in which ids are compared (NFC); raises BadRunId."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRunId("a run id may not hold half of a surrogate pair") from None
    found = unicodedata.normalize("NFC", text)
    if not found or len(found) > LONGEST:
        raise BadRunId(f"a run id has 1 to {LONGEST} characters, not {len(found)}")
    for character in found:
        if character.isspace() or unicodedata.category(character) in ("Cc", "Cf", "Zs"):
            raise BadRunId(
                f"run id {found!r} holds {character!r}: blanks and invisible characters are refused"
            )
    return found


def new_run_id() -> str:
    """Makes a UUID of version 7 (RFC 9562): 48 bits of milliseconds, then 74 random ones."""
    moment = time.time_ns() // 1_000_000
    number = (moment & (1 << 48) - 1) << 80 | secrets.randbits(80)
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=number))
