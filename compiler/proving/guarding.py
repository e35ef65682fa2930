"""Who looks before something is done: the gates that show a value, the `requires` that name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from ...runtime.formula import (
    Field,
    Index,
    ListOf,
    MapOf,
    Name,
    Node,
    RecordOf,
    Text,
    children,
)
from ...runtime.plan import Gate, Requires
from .conditions import Conditions
from .meanings import Access, accesses
from .origins import Origins, Value
from .spots import Spot
from .view import View


def approved(
    conditions: Conditions, at: Spot, gates: Iterable[Spot], since: Spot | None = None
) -> bool:
    """True when every run that calls `at` has been told yes at one of these gates before.

    With `since` only runs that have that statement are meant.
    """
    view = conditions.view
    asked = [gate for gate in gates if _asked(conditions, at, gate)]
    if since is not None:
        taken = {*at.branches, *since.branches}
        if any(taken.issuperset(gate.branches) and view.graph.precedes(gate, at) for gate in asked):
            return True
    return view.graph.certain(at, asked)


def plain(spot: Spot) -> bool:
    """True for what is always asked, and passed with a yes only."""
    gate = spot.node
    return not isinstance(gate, Gate) or (gate.when is None and gate.otherwise != "continue")


def _asked(conditions: Conditions, at: Spot, spot: Spot) -> bool:
    if plain(spot) or not isinstance(spot.node, Gate):
        return isinstance(spot.node, Gate)
    return conditions.view.graph.precedes(spot, at) and conditions.asks(spot, at)


class _Guard(Struct, frozen=True):
    """A gate or `requires` with the fields of a value that it shows or names."""

    spot: Spot
    fields: tuple[str, ...]


class Guards:
    """The guards of one saga by the values that they look at."""

    def __init__(self, view: View, origins: Origins) -> None:
        self.view = view
        self.origins = origins
        self.conditions = Conditions(view)
        self._by_name: dict[str, list[_Guard]] = defaultdict(list)
        for spot in view.graph.spots:
            for value in self._looked_at(spot):
                self._by_name[value.name].append(_Guard(spot, value.fields))
        guards = [spot for spot in view.graph.spots if isinstance(spot.node, Gate | Requires)]
        self.indices = [spot.index for spot in guards]
        self.plain = all(map(plain, guards))

    def guarded(self, value: Value, at: Spot) -> bool:
        """True when, in every run that calls `at`, somebody or something has looked at a value."""
        guards = (each for each in self._by_name.get(value.name, ()) if _covers(each, value))
        return self.view.graph.certain(
            at,
            (
                each.spot
                for each in guards
                if isinstance(each.spot.node, Requires) or _asked(self.conditions, at, each.spot)
            ),
        )

    def _looked_at(self, spot: Spot) -> Iterator[Value]:
        match spot.node:
            case Gate(shows=shows):
                start = [access for each in shows for access in _whole(each.value.tree)]
                yield from self._followed(start, spot, _whole)
            case Requires(test=test):
                yield from self._followed(accesses(test.tree), spot, accesses)
            case _:
                pass

    def _followed(
        self, start: Iterable[Access], at: Spot, parts: Callable[[Node], Iterable[Access]]
    ) -> Iterator[Value]:
        """Gives what is looked at, and what that is made of: people see it, a condition counts it.

        One item is not the list that it is taken from.
        """
        seen: set[tuple[str, tuple[str, ...]]] = set()
        todo = [self.origins.value(access, at) for access in start]
        while todo:
            value = todo.pop()
            if value.key in seen:
                continue
            seen.add(value.key)
            yield value
            for made in self.origins.made_of(value) if value.meaning.kind != "item" else ():
                if isinstance(made, Value):
                    todo.append(made)
                else:
                    todo += [self.origins.value(each, made.at) for each in parts(made.tree)]


def _whole(tree: Node) -> Iterator[Access]:
    """Gives the names that are shown whole where the value of an expression is."""
    match tree:
        case Text() | ListOf() | MapOf() | RecordOf():
            for child in children(tree):
                yield from _whole(child)
        case Name() | Field() | Index():
            found = list(accesses(tree))
            if len(found) == 1:
                yield found[0]
        case _:
            pass


def _covers(guard: _Guard, value: Value) -> bool:
    """True when a guard looks at all of a value; a condition on a part of it is a look as well."""
    shorter = min(len(guard.fields), len(value.fields))
    alike = guard.fields[:shorter] == value.fields[:shorter]
    return alike and (isinstance(guard.spot.node, Requires) or len(guard.fields) == shorter)
