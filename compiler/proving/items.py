"""How many items a loop has at most, and what that says of it as a whole."""

from __future__ import annotations

from typing import cast

from ...runtime.formula import Apply, Choice, Comprehension, ListOf, Literal, Node as Tree
from ...runtime.plan import Each, First, Node, Repeat


def most(loop: Each | First | Repeat) -> int | None:
    """Gives how many items or rounds a loop has at most; None where only the run knows.

    A list that is written out has its length, and so has what is sorted or chosen from it.
    """
    return loop.limit if isinstance(loop, Repeat) else _length(loop.items.tree)


def turns(loop: Each | First | Repeat) -> int | None:
    """Gives how many items of a loop run one after another at most; None as `most` does."""
    count = most(loop)
    return count if count is None or not isinstance(loop, Each) else -(-count // loop.at_once)


def exceeds(loop: Each) -> bool:
    """True when more items of a loop may fail than it tolerates."""
    count = most(loop)
    return count is None or count > loop.tolerate


def none_stands(node: Node) -> bool:
    """True for a loop that fails as a whole only when each of its items has failed alone.

    That is a `first`, and an `each` of at most one item more than it tolerates.
    """
    match node:
        case First():
            return True
        case Each(tolerate=tolerate) if tolerate:
            count = most(node)
            return count is not None and count <= tolerate + 1
        case _:
            return False


def _length(tree: Tree) -> int | None:
    match tree:
        case ListOf(items=items):
            return len(items)
        case Literal(value=list()):
            return len(cast(list[object], tree.value))
        case Apply(function="sorted" | "unique", args=(of, *_)) | Comprehension(of=of):
            return _length(of)
        case Choice(then=then, otherwise=otherwise):
            lengths = (_length(then), _length(otherwise))
            known = [length for length in lengths if length is not None]
            return max(known) if len(known) == 2 else None
        case _:
            return None
