"""Words of messages: names listed, numbers of things, the undoing that a run would do."""

from __future__ import annotations

from collections.abc import Sequence

from .failures import certain
from .spots import Spot
from .tables import undoable
from .view import View

FEW = 3


def named(names: Sequence[str], few: int = FEW) -> str:
    """Lists names as a sentence does; of many only the first few.

    >>> named(["a"]), named(["a", "b"]), named(["a", "b", "c", "d"], few=2)
    ('`a`', '`a` and `b`', '`a`, `b` and 2 more')
    """
    quoted = [f"`{name}`" for name in names[:few]]
    if len(names) > few:
        quoted.append(f"{len(names) - few} more")
    return " and ".join((", ".join(quoted[:-1]), quoted[-1])) if len(quoted) > 1 else quoted[0]


def thing(kind: str) -> str:
    """Writes a kind of resource as a noun.

    >>> thing("gift_card")
    'gift card'
    """
    return kind.replace("_", " ")


def undone_before(view: View, last: Spot) -> list[str]:
    """Gives the steps that a failure of `last` takes back for certain, newest first."""
    return [
        spot.path
        for spot, step, tool in reversed(view.steps)
        if step.undos
        and any(map(undoable, tool.effects))
        and not spot.branches
        and certain(step)
        and view.graph.precedes(spot, last)
    ]
