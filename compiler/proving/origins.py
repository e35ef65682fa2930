"""Where values come from: which statements' answers reach an expression, and by which names.

Values flow through `let`, the variables and values of loops, scopes, and the inputs and results of
called sagas. What a tool answers is its own, whatever it was given.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from ...runtime.formula import Formula, Node, RecordOf
from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Repeat,
    Return,
    SagaCall,
    Scope,
    Step,
    Wait,
)
from .meanings import Access, Meaning, accesses, inner, meaning
from .spots import Spot
from .view import View

Key = tuple[str, tuple[str, ...]]
"""What tells one value from others: its name and fields."""


class Value(Struct, frozen=True):
    """One value with the fields that are taken of it; `name` is the same wherever it is read."""

    name: str
    meaning: Meaning
    fields: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """What tells it from others."""
        return self.name, self.fields


class Written(Struct, frozen=True):
    """An expression with the statement in which it stands; `inside`: in its body."""

    tree: Node
    at: Spot
    inside: bool = False


class Origins:
    """The origins of all values of one saga."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.layout = view.layout

    def values(self, written: Written) -> Iterator[Value]:
        """Gives what an expression reads."""
        for access in accesses(written.tree):
            yield self.value(access, written.at, inside=written.inside)

    def value(self, access: Access, at: Spot, *, inside: bool = False) -> Value:
        """Gives what a name with its fields means at a statement."""
        found = meaning(self.layout, at, access.name, inside=inside)
        return self._value(found, access.fields)

    def _value(self, found: Meaning, fields: tuple[str, ...]) -> Value:
        while found.kind == "statement" and isinstance(found.spots[0].node, Scope) and fields:
            spots = inner(self.layout, found.spots[0], fields[0])
            if not spots:
                break
            found, fields = Meaning("statement", fields[0], spots), fields[1:]
        match found.kind:
            case "input":
                return Value(found.name, found, fields)
            case "statement":
                return Value(f"#{found.spots[0].path}", found, fields)
            case "item":
                return Value(f"#{found.spots[0].path}[*]", found, fields)
            case "parameter":
                return Value(f"#{found.spots[0].path}#{found.name}", found, fields)

    def made_of(self, value: Value) -> Iterator[Written | Value]:
        """Gives what a value is made of, nothing for an input or an answer from outside."""
        for spot in value.meaning.spots:
            match value.meaning.kind:
                case "item":
                    yield from self._item(spot)
                case "parameter":
                    yield from self._argument(spot, value.name.rpartition("#")[2])
                case _:
                    yield from self._statement(spot, value.fields)

    def _statement(self, spot: Spot, fields: tuple[str, ...]) -> Iterator[Written | Value]:
        match spot.node:
            case Let(value=formula):
                tree = formula.tree
                given = dict(tree.fields) if isinstance(tree, RecordOf) else {}
                yield Written(given.get(fields[0], tree) if fields else tree, spot)
            case Each() | First() | Repeat() | SagaCall():
                for each in self.ends.get(spot.index, ()):
                    if isinstance(each.node, Return):
                        yield Written(each.node.value.tree, each)
            case Scope():
                for side in (0, 1):
                    frame = self.layout.frames.get((spot.index, side))
                    if frame is not None:
                        for name, spots in self.layout.named.get(frame, {}).items():
                            yield self._value(Meaning("statement", name, spots), ())
            case _:
                pass

    def _item(self, loop: Spot) -> Iterator[Written]:
        match loop.node:
            case Each(items=items) | First(items=items):
                yield Written(items.tree, loop)
            case Repeat(start=start):
                yield Written(start.tree, loop)
                for each in self.ends.get(loop.index, ()):
                    if isinstance(each.node, Next):
                        yield Written(each.node.value.tree, each)
            case _:
                pass

    def _argument(self, call: Spot, name: str) -> Iterator[Written]:
        assert isinstance(call.node, SagaCall)
        for argument in call.node.args:
            if argument.name == name:
                yield Written(argument.value.tree, call)

    @cached_property
    def ends(self) -> dict[int, list[Spot]]:
        """What ends the bodies of loops and called sagas, by the index of these."""
        found: dict[int, list[Spot]] = {}
        for spot in self.view.graph.spots:
            if isinstance(spot.node, Return | Next) and spot.frame.owner is not None:
                found.setdefault(spot.frame.owner.index, []).append(spot)
        return found

    def reached(self, source: Callable[[Spot], bool]) -> frozenset[str]:
        """Gives the names of all values that the answers of some statements reach.

        Every expression of the saga is looked at once.
        """
        makes: dict[str, set[str]] = {}
        found: set[str] = set()
        for value in self._all():
            spots = value.meaning.spots
            if value.meaning.kind == "statement" and any(map(source, spots)):
                found.add(value.name)
            for part in self.made_of(value):
                for each in self._each(part):
                    makes.setdefault(each.name, set()).add(value.name)
        todo = list(found)
        while todo:
            for name in makes.get(todo.pop(), ()):
                if name not in found:
                    found.add(name)
                    todo.append(name)
        return frozenset(found)

    def _all(self) -> Iterator[Value]:
        for names in self.layout.named.values():
            for name, spots in names.items():
                yield self._value(Meaning("statement", name, spots), ())
        for spot in self.view.graph.spots:
            match spot.node:
                case Each() | First() | Repeat():
                    yield self._value(Meaning("item", "", (spot,)), ())
                case SagaCall(args=args):
                    for argument in args:
                        yield self._value(Meaning("parameter", argument.name, (spot,)), ())
                case _:
                    pass

    def decisions(self, spot: Spot) -> Iterator[tuple[Formula, Spot]]:
        """Gives the expressions that decide whether and how often a step is called, inner first."""
        if isinstance(spot.node, Step | SagaCall) and spot.node.when is not None:
            yield spot.node.when, spot
        for outer in spot.around():
            match outer.node:
                case If(condition=condition):
                    yield condition, outer
                case Each(items=items) | First(items=items):
                    yield items, outer
                case Repeat():
                    for each in self.ends.get(outer.index, ()):
                        if isinstance(each.node, Next):
                            yield each.node.value, each
                case SagaCall(when=when) if when is not None:
                    yield when, outer
                case _:
                    pass

    def first(
        self,
        start: Value,
        known: Callable[[Value], bool],
        wanted: Callable[[Spot], bool],
        memory: dict[Key, Spot | None],
    ) -> Spot | None:
        """Gives an answer that is wanted and reaches a value; None for none.

        What is made of a value for which `known` holds is passed over. `memory` keeps what was
        found for each value, so that many searches on the same terms look at each value once.
        """
        from_: dict[Key, Key] = {}
        todo: list[tuple[Value, Key | None]] = [(start, None)]
        while todo:
            value, parent = todo.pop()
            if value.key in from_ or (value.key == start.key and parent is not None):
                continue
            if parent is not None:
                from_[value.key] = parent
            found = memory.get(value.key)
            if value.key in memory and found is None:
                continue
            if found is None and known(value):
                memory[value.key] = None
                continue
            if found is None and value.meaning.kind == "statement":
                found = next((spot for spot in value.meaning.spots if _answers(spot, wanted)), None)
            if found is not None:
                self._remember(value.key, from_, found, memory)
                return found
            parts = [each for part in self.made_of(value) for each in self._each(part)]
            todo += [(part, value.key) for part in reversed(parts)]
        memory[start.key] = None
        memory.update((key, None) for key in from_)
        return None

    @staticmethod
    def _remember(
        key: Key, from_: dict[Key, Key], found: Spot, memory: dict[Key, Spot | None]
    ) -> None:
        """What leads to an answer leads to it from everywhere on the way."""
        memory[key] = found
        while key in from_:
            key = from_[key]
            memory[key] = found

    def _each(self, part: Written | Value) -> Iterable[Value]:
        return (part,) if isinstance(part, Value) else self.values(part)


def _answers(spot: Spot, wanted: Callable[[Spot], bool]) -> bool:
    return isinstance(spot.node, Step | Wait | AgentCall | Gate) and wanted(spot)


def terms(view: View, at: Spot, indices: Sequence[int], plain: bool) -> Hashable:
    """Gives what searches for two calls must have in common to be on the same terms.

    That is what has settled before them, of the statements with these indices. When these are not
    `plain`, it also counts what is known at the call.
    """
    region = None if at.region is None else (at.region.index, view.graph.before(at))
    return at.branches, region, bisect_left(indices, at.index), None if plain else at.index
