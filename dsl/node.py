"""What all nodes have in common: spans, names, documentation, and walking without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from .span import Span


class Node(Struct, frozen=True):
    """A part of the tree with the range of text that it was made from.

    Two nodes are equal only at the same place; tables about nodes are best keyed by `id(node)`.
    """

    span: Span


class Name(Node, frozen=True):
    """A word that the author chose, or the word that refers to it, as it is spelled."""

    text: str


class Doc(Node, frozen=True):
    """Documentation in Markdown: common indentation and blank lines around it taken away."""

    text: str


def children(node: Node) -> list[Node]:
    """Return the nodes directly below a node, in the order of its fields."""
    found: list[Node] = []
    # A span comes first, and is a tuple without nodes: every pass walks, and would look into it.
    for value in astuple(node)[1:]:
        if isinstance(value, Node):
            found.append(value)
        elif value.__class__ is tuple:
            found += [item for item in value if isinstance(item, Node)]
    return found


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, parents first, without recursion."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += children(current)[::-1]


Kind = TypeVar("Kind", bound=Node)


def of(nodes: Iterable[Node], kind: type[Kind]) -> tuple[Kind, ...]:
    """Return the nodes of one kind, in order: `of(tool.clauses, Undo)`."""
    return tuple(node for node in nodes if isinstance(node, kind))
