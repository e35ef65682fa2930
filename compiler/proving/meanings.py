"""What names mean where they stand: the statement, item, or input that an expression reads.

A name is looked up in its own body first, then outwards; a called saga sees its own inputs and
statements only. `parallel` and `if` are no bodies of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from msgspec import Struct

from ...runtime.formula import Comprehension, Field, Index, Literal, Name, Node, children
from ...runtime.plan import Each, First, Repeat, SagaCall
from .layout import BODY, Layout
from .spots import Frame, Spot

Kind = OneOf["input", "item", "parameter", "statement"]


class Meaning(Struct, frozen=True):
    """What a name means.

    `statement`: the statements in `spots`, one of which ran; `item`: the variable of the loop in
    `spots`; `parameter`: an input of the saga that the call in `spots` calls; `input`: one of the
    saga itself, or a word such as `key`.
    """

    kind: Kind
    name: str
    spots: tuple[Spot, ...] = ()


class Access(Struct, frozen=True):
    """A name of an expression with the fields that are taken of it: `order.total`."""

    name: str
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((self.name, *self.fields))


def meaning(layout: Layout, at: Spot, name: str, *, inside: bool = False) -> Meaning:
    """Gives what a name means in an expression of the statement at a spot.

    `inside`: in one that belongs to its body, such as the `by` of a loop. Cost: the depth.
    """
    frame: Frame | None = layout.frames[at.index, 0] if inside else at.frame
    while frame is not None:
        spots = layout.named.get(frame, {}).get(name)
        if spots:
            return Meaning("statement", name, spots)
        owner = frame.owner
        if frame.side == 1 and frame.aftermath and (owner is None or _calls(owner)):
            # What runs on rollback sees the names of the body before it.
            frame = layout.frames[BODY if owner is None else owner.index, 0]
            continue
        if owner is None:
            break
        match owner.node:
            case Each(variable=variable) | First(variable=variable) | Repeat(variable=variable):
                if variable == name:
                    return Meaning("item", name, (owner,))
            case SagaCall():
                return Meaning("parameter", name, (owner,))
            case _:
                pass
        frame = frame.outer
    return Meaning("input", name)


def _calls(spot: Spot) -> bool:
    return isinstance(spot.node, SagaCall)


def inner(layout: Layout, scope: Spot, name: str) -> tuple[Spot, ...]:
    """Gives the statements behind a field of a scope's value: in its body, and in its `else`."""
    frames = (layout.frames.get((scope.index, side)) for side in (0, 1))
    return tuple(
        spot
        for frame in frames
        if frame is not None
        for spot in layout.named.get(frame, {}).get(name, ())
    )


def accesses(tree: Node, bound: frozenset[str] = frozenset()) -> Iterator[Access]:
    """Gives the names that an expression reads from outside itself, with their fields."""
    match tree:
        case Name(name=name):
            if name not in bound:
                yield Access(name)
        case Field() | Index():
            found = _access(tree)
            if found is None:
                for child in children(tree):
                    yield from accesses(child, bound)
            elif found.name not in bound:
                yield found
        case Comprehension(value=value, name=name, of=of, condition=condition):
            yield from accesses(of, bound)
            for part in (value,) if condition is None else (value, condition):
                yield from accesses(part, bound | {name})
        case _:
            for child in children(tree):
                yield from accesses(child, bound)


def _access(tree: Node) -> Access | None:
    fields: list[str] = []
    while True:
        match tree:
            case Field(of=of, name=name) | Index(of=of, index=Literal(value=str(name))):
                fields.append(name)
                tree = of
            case Name(name=name):
                return Access(name, tuple(reversed(fields)))
            case _:
                return None
