"""What people see of a saga: statements as nodes, what must settle first as edges.

A statement with a body of its own is a node too, around the nodes of that body: edges never lead
out of a body, because what its inside waits for the whole waits for.
"""

from __future__ import annotations

from typing import Literal as OneOf, NamedTuple

Look = OneOf[
    "start", "end", "next", "branch", "fork", "read", "reversible", "compensatable", "irreversible",
    "accepted", "restoring", "gate", "wait", "sleep", "checkpoint", "requires", "let", "each",
    "first", "repeat", "scope", "saga", "agent", "after", "undo",
    "final",
]  # fmt: skip
"""How a node looks; for a step it is the class that `saga check` prints.

*final* is what is irreversible and no pivot, because everything else is over.
"""


class Edge(NamedTuple):
    """What must have settled (an index of a node) before what; the label says when it is taken."""

    source: int
    target: int
    label: str = ""


class Panel(NamedTuple):
    """A body: the nodes that stand directly in it, and the edges between them.

    `caption` says when it runs where that is not plain; a body that is `free` has no order.
    """

    caption: str
    nodes: tuple[int, ...]
    edges: tuple[Edge, ...] = ()
    free: bool = False


class Node(NamedTuple):
    """One statement: what it is called, what it does, and what else there is to say.

    `branches` are the choices that lead to it: the path of each `if` around it in its body, and its
    side. `panels` are its bodies. What has no path has no state in a run.
    """

    look: Look
    path: str
    title: str
    subtitle: str = ""
    notes: tuple[str, ...] = ()
    doc: str = ""
    branches: tuple[tuple[str, str], ...] = ()
    panels: tuple[Panel, ...] = ()


class Diagram(NamedTuple):
    """The nodes in the order written, outer before inner, and the bodies of the saga itself."""

    nodes: tuple[Node, ...]
    panels: tuple[Panel, ...]
