"""What names mean where they stand: the statement, item, or input that an expression reads.

A name is looked up in its own body first, then outwards; a called saga sees its own inputs and
statements only. `parallel` and `if` are no bodies of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal as OneOf

from ...runtime.formula import Comprehension, Field, Index, Literal, Name, Node, children
from ...runtime.plan import Each, First, Repeat, SagaCall, Scope
from .graph import Graph
from .spots import Spot

Loop = Each | First | Repeat
_FRAMES = (Each, First, Repeat, SagaCall, Scope)
Kind = OneOf["input", "item", "parameter", "statement"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means.

    `statement`: the statements in `spots`, one of which ran; `item`: the variable of the loop in
    `spots`; `parameter`: an input of the saga that the call in `spots` calls; `input`: one of the
    saga itself, or a word such as `key`.
    """

    kind: Kind
    name: str
    spots: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """A name of an expression with the fields that are taken of it: `order.total`."""

    name: str
    fields: tuple[str, ...] = ()


def meaning(graph: Graph, at: Spot, name: str, *, inside: bool = False) -> Meaning:
    """Gives what a name means in an expression of the statement at a spot.

    `inside`: in one that belongs to its body, such as the `by` of a loop. Cost: the depth.
    """
    here = at
    own = isinstance(at.node, _FRAMES) and inside
    while True:
        if own:
            found = _of_frame(here, name)
            if found is not None:
                return found
        prefix = here.path.rpartition(".")[0]
        spots = graph.named(f"{prefix}.{name}" if prefix else name)
        if spots:
            return Meaning("statement", name, spots)
        frame = next((each for each in here.around() if isinstance(each.node, _FRAMES)), None)
        if frame is None:
            return Meaning("input", name)
        here, own = frame, True


def _of_frame(frame: Spot, name: str) -> Meaning | None:
    match frame.node:
        case Each(variable=variable) | First(variable=variable) | Repeat(variable=variable):
            return Meaning("item", name, (frame,)) if variable == name else None
        case SagaCall():
            return Meaning("parameter", name, (frame,))
        case _:
            return None


def inner(graph: Graph, scope: Spot, name: str) -> tuple[Spot, ...]:
    """Gives the statements behind a field of a scope's value: in its body, and in its `else`."""
    paths = (f"{scope.path}.{name}", f"{scope.path}.else.{name}")
    return tuple(spot for path in paths for spot in graph.named(path))


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
