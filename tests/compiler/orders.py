"""A plan gone through in an order that its waits allow, chosen at random; nothing is called.

What is looked at is only which values exist when they are read, and that nothing waits for ever.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import fields

from sagalang.runtime.formula import Formula, names
from sagalang.runtime.plan import (
    Each,
    First,
    If,
    Node,
    Parallel,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Undo,
    Verify,
    blocks,
)

Turn = Iterator[None]
"""Something being done: each turn is a time at which others may come between."""
OWN = frozenset(("key", "result", "it", "args"))


class Frame:
    """One body being gone through: the values that exist in it, and what has settled."""

    def __init__(self, outer: Frame | None, values: set[str]) -> None:
        self.outer = outer
        self.values = values
        self.settled: set[str] = set()

    def knows(self, name: str) -> bool:
        """True when a value exists here or around."""
        if name in self.values:
            return True
        return self.outer is not None and self.outer.knows(name)


class Walk:
    """One way through a plan; raises AssertionError for what no run may do."""

    def __init__(self, plan: Plan, choice: random.Random) -> None:
        self.choice = choice
        frame = Frame(None, {parameter.name for parameter in plan.parameters})
        self._to_the_end(self._block(plan.body, frame))

    def _to_the_end(self, work: Turn) -> None:
        for _ in range(100_000):
            if next(work, self) is self:
                return
        raise AssertionError("something waits for ever")

    def _block(self, body: tuple[Node, ...], frame: Frame) -> Turn:
        for node in body:
            yield from self._node(node, frame)

    def _beside(self, work: list[Turn]) -> Turn:
        while work:
            one = self.choice.choice(work)
            if next(one, self) is self:
                work.remove(one)
            yield

    def _node(self, node: Node, frame: Frame) -> Turn:
        while not set(node.waits) <= frame.settled:
            yield
        for formula, words in _read(node):
            for name in names(formula.tree) - words:
                assert frame.knows(name), f"{node.path} reads {name}, which is not there"
        yield
        match node:
            case If(then=then, otherwise=otherwise):
                taken, left = self.choice.choice([(then, otherwise), (otherwise, then)])
                self._skip(left, frame)
                yield from self._block(taken, frame)
            case Parallel(body=body):
                yield from self._beside([self._node(each, frame) for each in body])
            case Each(body=body, variable=variable, at_once=many):
                items = [
                    self._block(body, Frame(frame, {variable}))
                    for _ in range(self.choice.randint(0, 2))
                ]
                if many > 1:
                    yield from self._beside(items)
                for item in items:
                    yield from item
            case First(body=body, variable=variable) | Repeat(body=body, variable=variable):
                for _ in range(self.choice.randint(1, 2)):
                    yield from self._block(body, Frame(frame, {variable}))
            case Scope(body=body, otherwise=otherwise):
                yield from self._block(body, Frame(frame, set()))
                if otherwise is not None and self.choice.random() < 0.5:
                    yield from self._block(otherwise, Frame(frame, set()))
            case SagaCall(body=body, parameters=parameters):
                yield from self._block(body, Frame(None, {each.name for each in parameters}))
            case _:
                pass
        self._settle(node, frame)

    def _skip(self, body: tuple[Node, ...], frame: Frame) -> None:
        for node in body:
            if isinstance(node, If | Parallel):
                for inner in blocks(node):
                    self._skip(inner, frame)
            self._settle(node, frame)

    def _settle(self, node: Node, frame: Frame) -> None:
        frame.settled.add(node.path)
        frame.values.add(getattr(node, "name", ""))


def _read(node: Node) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yields what a statement itself reads, with the words that mean something of its own there."""
    replaced = node.replaces if isinstance(node, Step) else ("verify", "undo")
    for field in fields(node):
        own = {"by": {getattr(node, "variable", "")}, "until": {"it"}}.get(field.name, set[str]())
        for part, formula in _formulas(getattr(node, field.name)):
            if isinstance(part, Verify | Undo):
                word = "verify" if isinstance(part, Verify) else "undo"
                if word in replaced:
                    yield formula, OWN
            else:
                yield formula, frozenset(own)


def _formulas(part: object, within: object = None) -> Iterator[tuple[object, Formula]]:
    if isinstance(part, Formula):
        yield within, part
    elif isinstance(part, tuple):
        items: tuple[object, ...] = part  # pyright: ignore[reportUnknownVariableType]
        for item in items:
            yield from _formulas(item, within)
    elif isinstance(part, Struct) and not isinstance(part, Node):
        clause = part if isinstance(part, Verify | Undo) else within
        for field in fields(part):
            yield from _formulas(getattr(part, field.name), clause)
