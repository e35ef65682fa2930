"""The meaning of a plan: what counts in its identity, and what is for people alone."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from .formula import Literal


def definition(plan: Struct) -> str:
    """Gives the identity of a plan's meaning: 64 hexadecimal digits, equal for equal meaning."""
    # Loaded only here: a check gives no identities, and it is one of the slower modules.
    import hashlib

    said = msgspec.json.encode(meaning(plan), order="deterministic")
    return hashlib.sha256(said).hexdigest()


def meaning(part: object) -> Any:
    """Gives what a part of a plan means, without what is for people alone, to be compared."""
    return _meaning(part, {})


def _meaning(part: Any, known: dict[int, Any]) -> Any:
    # msgspec leaves out what *is* a default, not what equals one: 30_000 counted out at run time
    # would be another meaning than 30_000 in a source. So the defaults are left out here.
    if isinstance(part, Literal):
        return {"op": "literal", "value": part.value}
    if isinstance(part, Struct):
        # Steps share what they take over from their tools: it is told once.
        if id(part) in known:
            return known[id(part)]
        config = part.__struct_config__
        said = {} if config.tag_field is None else {config.tag_field: config.tag}
        for name, default in _fields(type(part)):
            value = getattr(part, name)
            if value != default:
                said[name] = _meaning(value, known)
        known[id(part)] = said
        return said
    if isinstance(part, tuple):
        items: tuple[Any, ...] = part  # pyright: ignore[reportUnknownVariableType]
        return [_meaning(item, known) for item in items]
    return part


@cache
def _fields(part: type[Struct]) -> tuple[tuple[str, object], ...]:
    return tuple(
        (field.name, field.default)
        for field in msgspec.structs.fields(part)
        if field.name not in ("at", "doc", "source")
    )
