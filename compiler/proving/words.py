"""Words of messages: names listed, numbers of things, the undoing that a run would do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, takewhile

from .spots import Spot
from .view import View

FEW = 3


def named(names: Sequence[str], count: int = 0) -> str:
    """Lists names as a sentence does, of many the first few; `count` says how many there are.

    >>> named(["a"]), named(["a", "b"]), named(["a", "b", "c", "d"]), named(["a", "b"], count=9)
    ('`a`', '`a` and `b`', '`a`, `b`, `c` and 1 more', '`a`, `b` and 7 more')
    """
    quoted = [f"`{name}`" for name in names[:FEW]]
    more = max(count, len(names)) - len(quoted)
    if more:
        quoted.append(f"{more} more")
    return " and ".join((", ".join(quoted[:-1]), quoted[-1])) if len(quoted) > 1 else quoted[0]


def thing(kind: str) -> str:
    """Writes a kind of resource as a noun.

    >>> thing("gift_card")
    'gift card'
    """
    return kind.replace("_", " ")


def undone_before(view: View, last: Spot) -> str:
    """Says which steps a failure of `last` takes back for certain, newest first; "" for none."""
    close = last.index if last.region is None else last.region.index
    far = bisect_left(view.restorable, close, key=lambda spot: spot.index)
    near = takewhile(lambda spot: spot.index < last.index, islice(view.restorable, far, None))
    found = [spot.path for spot in near if view.graph.precedes(spot, last)][::-1]
    found += [spot.path for spot in view.restorable[max(0, far - FEW) : far][::-1]]
    count = len(found) + max(0, far - FEW)
    if not count:
        return ""
    return f"{named(found, count)} {'is' if count == 1 else 'are'} undone"
