"""What all nodes have in common: spans, names, documentation, and walking without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

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


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below a node, in the order of its fields."""
    for name in node.__struct_fields__:
        value: object = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                if isinstance(item, Node):
                    yield item


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, parents first, without recursion."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(list(children(current))))


Kind = TypeVar("Kind", bound=Node)


def of(nodes: Iterable[Node], kind: type[Kind]) -> tuple[Kind, ...]:
    """Return the nodes of one kind, in order: `of(tool.clauses, Undo)`."""
    return tuple(node for node in nodes if isinstance(node, kind))
