"""The paths that scenarios name, spelled as the log spells them."""

from __future__ import annotations

from ..display import quote, show
from ..expressions import evaluate
from ..scenario import Spot
from ..shapes import Schema


def spelled(spot: Spot, schema: Schema) -> str:
    """Gives a path with the keys of its items: `picks["a"].pick`. Raises `Failed`."""
    parts: list[str] = []
    for segment in spot.segments:
        if segment.key is None:
            parts.append(segment.name)
            continue
        key = evaluate(segment.key.tree, {}, schema)
        parts.append(f"{segment.name}[{quote(key) if isinstance(key, str) else show(key)}]")
    return ".".join(parts)


def within(path: str, outer: str) -> bool:
    """True for the path `outer` itself and for all that is inside it."""
    return path == outer or path.startswith((f"{outer}.", f"{outer}["))
