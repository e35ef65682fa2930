"""Words of messages: names listed, numbers of things, the undoing that a run would do."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, takewhile

from .spots import Spot, catch
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
    """Says which steps a failure of `last` takes back for certain, newest first; "" for none.

    Takes the logarithm of the number of steps for each decision around it, and as long as the part
    of its own outermost `parallel` before it.
    """
    by = catch(last.frame)
    close = last.index if last.region is None else last.region.index
    found: list[Spot] = []
    count = 0
    for depth in range(len(last.branches) + 1):
        spots = view.restorable.get(last.branches[:depth], ())
        first = bisect_left(spots, by.start, key=_index)
        far = max(first, bisect_left(spots, close, key=_index))
        near = takewhile(lambda spot: spot.index < last.index, islice(spots, far, None))
        here = [spot for spot in near if view.graph.precedes(spot, last)]
        found += (*here, *spots[max(first, far - FEW) : far])
        count += len(here) + far - first
    if not count:
        return ""
    found.sort(key=_index, reverse=True)
    paths = [spot.path for spot in found]
    short = [path.rpartition(".")[2] for path in paths]
    # As a run is told, by names; by paths where two have one name.
    names = named(short if len(set(short)) == len(short) else paths, count)
    return f"{names} {'is' if count == 1 else 'are'} undone"


def _index(spot: Spot) -> int:
    return spot.index
