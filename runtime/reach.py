"""What has happened, or may have, when a run stands at a statement: sets of statements as bits.

Sequences are linear; inside a `parallel` what a statement waits for has settled, what waits for it
has not begun, and of all else nobody knows. O(n) sets of n bits for n statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from .plan import Each, First, If, Node, Parallel, Plan, Repeat, SagaCall, Scope

Key = tuple[str, int]
"""A path, and how often it stood before: both branches of an `if` may hold the same path."""


class Moment(NamedTuple):
    """When a statement is called: what has settled, what may have happened beside it.

    `around` are the statements it is in; `looped` whatever runs again with it.
    """

    before: int = 0
    maybe: int = 0
    around: int = 0
    looped: int = 0


class Reach:
    """The moments of all statements of a plan, by their numbers."""

    def __init__(self, plan: Plan, numbers: Mapping[Key, int]) -> None:
        self.moments: dict[int, Moment] = {}
        self._number = {id(node): numbers[key] for key, node in keyed(plan.body).items()}
        self._spans: dict[int, int] = {}
        self._sequence(plan.body, Moment(), {})

    def _sequence(self, body: Iterable[Node], now: Moment, known: dict[str, int]) -> None:
        for node in body:
            self._visit(node, now, known)
            now = now._replace(before=now.before | self._span(node))

    def _visit(self, node: Node, now: Moment, known: dict[str, int]) -> None:
        """Notes a statement and what is in it; `known` has, by path, what settles with a wait."""
        for path in node.waits:
            now = now._replace(before=now.before | known.get(path, 0))
        number = self._number[id(node)]
        self.moments[number] = now._replace(maybe=now.maybe & ~now.before)
        inside = now._replace(around=now.around | 1 << number)
        match node:
            case If(then=then, otherwise=otherwise):
                self._sequence(then, inside, known)
                self._sequence(otherwise, inside, known)
            case Parallel(body=body):
                self._parallel(body, inside, known)
            case Each(body=body) | First(body=body) | Repeat(body=body):
                again = self._spans_of(body)
                inside = inside._replace(maybe=now.maybe | again, looped=now.looped | again)
                self._sequence(body, inside, {})
            case Scope(body=body, otherwise=otherwise):
                self._sequence(body, inside, {})
                tried = inside._replace(maybe=now.maybe | self._spans_of(body))
                self._sequence(otherwise or (), tried, {})
            case SagaCall(body=body):
                self._sequence(body, inside, {})
            case _:
                pass
        known[node.path] = known.get(node.path, 0) | self.moments[number].before | self._span(node)

    def _parallel(self, body: tuple[Node, ...], now: Moment, known: dict[str, int]) -> None:
        homes = {inner.path: at for at, node in enumerate(body) for inner in transparent((node,))}
        needs = [{homes[path] for path in node.waits if path in homes} - {at}
                 for at, node in enumerate(body)]  # fmt: skip
        order = _ordered(needs)
        before: dict[int, set[int]] = {}
        for at in order:
            before[at] = set(needs[at]).union(*(before.get(need, ()) for need in needs[at]))
        for at in order:
            beside = (
                other
                for other in range(len(body))
                if other != at and other not in before[at] and at not in before[other]
            )
            unknown = self._spans_of(body[other] for other in beside)
            self._visit(body[at], now._replace(maybe=now.maybe | unknown), known)

    def _spans_of(self, body: Iterable[Node]) -> int:
        spans = 0
        for node in body:
            spans |= self._span(node)
        return spans

    def _span(self, node: Node) -> int:
        """Gives a statement and all that is in it."""
        found = self._spans.get(id(node))
        if found is None:
            found = 1 << self._number[id(node)]
            for body in inside(node):
                found |= self._spans_of(body)
            self._spans[id(node)] = found
        return found


class Version(NamedTuple):
    """The statements of a plan by key, in the order written, and their moments."""

    nodes: dict[Key, Node]
    reach: Reach


class Versions(NamedTuple):
    """Two plans whose statements have the same numbers where they have the same keys."""

    old: Version
    new: Version
    numbers: dict[Key, int]
    paths: list[str]

    @classmethod
    def of(cls, old: Plan, new: Plan) -> Versions:
        """Looks at two plans together."""
        was, now = keyed(old.body), keyed(new.body)
        numbers = {key: number for number, key in enumerate({**was, **now})}
        versions = Version(was, Reach(old, numbers)), Version(now, Reach(new, numbers))
        return cls(*versions, numbers, [path for path, _ in numbers])

    def named(self, these: int) -> list[str]:
        """Gives the paths of statements, in the order written."""
        return [self.paths[number] for number in bits(these)]

    def last(self, these: int) -> str:
        """Names the last of some statements, and says how many more there are."""
        *others, last = self.named(these)
        more = len(set(others) - {last})
        return f"`{last}`" + (f" and {more} more" if more else "")


def bits(number: int) -> Iterator[int]:
    """Gives the numbers of a set, the lowest first."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def keyed(body: Iterable[Node]) -> dict[Key, Node]:
    """Gives all statements of a body by key, outer before inner, in the order written."""
    found: dict[Key, Node] = {}
    todo = [iter(body)]
    seen: dict[str, int] = {}
    while todo:
        node = next(todo[-1], None)
        if node is None:
            todo.pop()
            continue
        number = seen.get(node.path, 0)
        seen[node.path] = number + 1
        found[node.path, number] = node
        todo += [iter(inner) for inner in reversed(inside(node))]
    return found


def inside(node: Node) -> tuple[tuple[Node, ...], ...]:
    """Gives the bodies that a run going forward passes through: no `on rollback`."""
    match node:
        case If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Scope(body=body, otherwise=otherwise):
            return (body, otherwise or ())
        case Parallel(body=body) | Each(body=body) | First(body=body) | Repeat(body=body):
            return (body,)
        case SagaCall(body=body):
            return (body,)
        case _:
            return ()


def transparent(body: Iterable[Node]) -> Iterator[Node]:
    """Gives the statements that are of one body, also those in its `if` and `parallel`."""
    for node in body:
        yield node
        if isinstance(node, If | Parallel):
            for inner in inside(node):
                yield from transparent(inner)


def _ordered(needs: list[set[int]]) -> list[int]:
    """Gives the statements of a `parallel`, each after what it waits for."""
    order: list[int] = []
    placed: set[int] = set()
    todo = list(range(len(needs)))
    while todo:
        ready = [at for at in todo if needs[at] <= placed] or todo[:1]
        order += ready
        placed.update(ready)
        todo = [at for at in todo if at not in placed]
    return order
