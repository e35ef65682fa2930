"""What the graph says of order is what every run shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from itertools import product

import pytest
from hypothesis import given, note, reject, settings, strategies as st

from sagalang.compiler.proving.graph import closure, graph
from sagalang.compiler.proving.lapses import lapsing
from sagalang.compiler.proving.spots import Spot, catch, loops
from sagalang.compiler.proving.view import view
from sagalang.runtime.plan import (
    AgentCall,
    Each,
    First,
    Parallel,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    Step,
    blocks,
)

from .handmade import checkpoint, either, parallel, plan
from .runs import Now, Place, Runs, failing, finals
from .shapes_of_plans import braids, plans, told, wholes


class Played:
    """A plan with every state in which a statement can be called, and what can be called later."""

    def __init__(self, given: Plan) -> None:
        self.view = view(given)
        self.graph = self.view.graph
        self.runs = Runs(given, (), failing(self.view), finals(self.view), many=800)
        try:
            states = self.runs.states()
        except OverflowError:
            reject()
        self.spots = [s for s in self.graph.spots if not isinstance(s.node, SILENT)]
        by_node = {id(spot.node): spot for spot in self.spots}
        self.called: dict[Spot, list[tuple[Place, Now]]] = {}
        for now in states:
            for place, closing in self.runs.turns(now):
                if not closing:
                    spot = by_node[id(self.runs.node(place))]
                    self.called.setdefault(spot, []).append((place, now))
        self.later: dict[Now, frozenset[tuple[Spot, Place]]] = {}
        for now in self.ordered():
            found = {
                (by_node[id(self.runs.node(place))], place)
                for place, closing in self.runs.turns(now)
                if not closing
            }
            self.later[now] = frozenset(found).union(
                *(self.later[each] for each in self.runs.following[now])
            )

    def ordered(self) -> Iterable[Now]:
        """Every state behind all that it leads to."""
        return TopologicalSorter(self.runs.following).static_order()

    def pairs(self) -> Iterator[tuple[Spot, Spot]]:
        """Pairs of statements that some run has."""
        for a, b in product(self.called, self.called):
            if a is not b:
                yield a, b

    def same_items(self, a: Spot, at: Place, b: Spot, beside: Place) -> bool:
        """True when two places of statements agree in the items of all loops around both."""
        common = sum(1 for _ in loops(a, b))
        return self.items(a, at)[:common] == self.items(b, beside)[:common]

    def items(self, spot: Spot, place: Place) -> list[int]:
        """The items that a statement is in, outermost first."""
        lengths = range(2, len(place), 2)
        return [
            place[length]
            for length in lengths
            if isinstance(self.runs.node(place[:length]), Each | First | Repeat)
        ]

    def is_called_after(self, a: Spot, b: Spot) -> bool:
        """True when some run calls a at or after the moment in which b can be called."""
        return any(
            self.same_items(a, place, b, at)
            for at, now in self.called[b]
            for other, place in self.later[now]
            if other is a
        )

    def is_called_with(self, a: Spot, b: Spot) -> bool:
        """True when some run calls both."""
        return self.is_called_after(a, b) or self.is_called_after(b, a)


SILENT = (Parallel, Scope)
"""Statements that nothing happens at."""


@settings(max_examples=60)
@given(plans() | braids() | wholes())
def test_what_excludes_each_other_never_stands_together(given: Plan) -> None:
    note(told(given))
    played = Played(given)
    for a, b in played.pairs():
        if played.graph.excl(a, b):
            for at, now in played.called[b]:
                settled = {place for place in now.settled if played.runs.node(place) is a.node}
                assert not any(played.same_items(a, place, b, at) for place in settled)


@settings(max_examples=60)
@given(plans() | braids() | wholes())
def test_what_precedes_is_never_called_at_or_after_the_other(given: Plan) -> None:
    note(told(given))
    played = Played(given)
    for a, b in played.pairs():
        if not played.graph.excl(a, b) and played.is_called_with(a, b):
            said = played.graph.precedes(a, b)
            assert said == (not played.is_called_after(a, b)), (a.path, b.path)


@settings(max_examples=60)
@given(wholes())
def test_an_item_precedes_a_later_one_where_they_take_turns(given: Plan) -> None:
    note(told(given))
    played = Played(given)
    for a, b in product(played.called, played.called):
        for depth, loop in enumerate(list(loops(a, b))[::-1]):
            later = any(
                played.items(a, place)[:depth] == played.items(b, at)[:depth]
                and played.items(a, place)[depth] < played.items(b, at)[depth]
                for at, now in played.called[b]
                for other, place in played.later[now]
                if other is a
            )
            if played.graph.precedes(a, b, across=loop):
                assert not later, (a.path, b.path)


@settings(max_examples=60)
@given(plans() | braids() | wholes(), st.sets(st.integers(0, 20)), st.integers(1, 3))
def test_open_are_the_marked_that_can_fail_when_it_has_landed(
    given: Plan, chosen: set[int], few: int
) -> None:
    """The definition of the language, pair by pair."""
    order = view(given).graph
    marks = order.mark(lambda spot: spot.index in chosen)

    def is_open(x: Spot, at: Spot) -> bool:
        by = catch(x.frame)
        if not by.holds(at):
            return False
        if any(by in list(loop.around())[1:] for loop in loops(x, at)):
            return True
        own = x.closing and isinstance(x.node, First) and x.parent and x.parent.holds(at)
        return x is not at and not own and not order.precedes(x, at) and not order.excl(x, at)

    for at in order.spots:
        if not isinstance(at.node, Parallel):
            expected = [x for x in order.moments if x.index in chosen and is_open(x, at)]
            found = order.open(marks, at, few)
            assert (list(found.first), found.count) == (expected[:few], len(expected))


@settings(max_examples=60)
@given(plans() | braids() | wholes(), st.sets(st.integers(0, 20)))
def test_certain_is_what_every_run_has_done(given: Plan, chosen: set[int]) -> None:
    note(told(given))
    played = Played(given)
    among = [spot for spot in played.spots if spot.index in chosen and not blocks(spot.node)]
    nodes = {id(spot.node) for spot in among}
    for at, calls in played.called.items():
        if played.graph.certain(at, among):
            for _, now in calls:
                assert any(id(played.runs.node(place)) in nodes for place in now.settled), at.path


@settings(max_examples=100)
@given(plans() | braids() | wholes(), st.sets(st.integers(0, 20)))
def test_a_deadline_lapses_at_calls_before_which_no_pivot_is_sure(
    given: Plan, chosen: set[int]
) -> None:
    order = view(given).graph
    calls = [spot for spot in order.spots if isinstance(spot.node, Step | AgentCall)]
    pivots = [spot for spot in calls if spot.index in chosen]
    for (_, side), frame in order.layout.frames.items():
        if side == 0 and (frame.owner is None or isinstance(frame.owner.node, SagaCall)):
            inside = [spot for spot in pivots if catch(frame).holds(spot)]
            expected = [
                spot for spot in calls if frame.holds(spot) and not order.certain(spot, inside)
            ]
            assert list(lapsing(order, frame, pivots)) == expected


def test_both_branches_make_it_certain_and_one_does_not() -> None:
    """What stands in each branch, under one path or two, has been done behind the `if`."""
    both = graph(plan(either(1, (checkpoint("a"),), (checkpoint("b"),)), checkpoint("c")))
    a, b, c = (both.named(path)[0] for path in "abc")
    assert both.certain(c, [a, b])
    assert not both.certain(c, [a])
    one = graph(plan(either(1, (checkpoint("a"),)), checkpoint("c")))
    assert not one.certain(one.named("c")[0], one.named("a"))
    assert one.precedes(one.named("a")[0], one.named("c")[0])


def test_long_sagas_cost_what_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of `parallel` nothing but two numbers is compared."""
    long = graph(plan(*(checkpoint(f"c{n}") for n in range(2_000))))
    monkeypatch.setattr("sagalang.compiler.proving.graph.settled_before", None)
    marks = long.mark(lambda spot: spot.index % 2 == 0)
    assert [long.open(marks, spot).count for spot in long.spots[:4]] == [999, 999, 998, 998]
    wide = graph(plan(parallel(1, *(checkpoint(f"c{n}") for n in range(3)))))
    with pytest.raises(TypeError):
        wide.precedes(wide.spots[1], wide.spots[2])


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    size = draw(st.integers(1, 7))
    node = st.integers(0, size - 1)
    weights = draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size))
    needs = draw(st.lists(st.tuples(node, node), max_size=10))
    return weights, needs, draw(st.lists(node, max_size=1))


@settings(max_examples=150)
@given(networks())
def test_a_closure_is_the_lightest_and_of_those_the_smallest(
    network: tuple[list[int], list[tuple[int, int]], list[int]],
) -> None:
    weights, needs, never = network
    sets = [
        {node for node in range(len(weights)) if mask >> node & 1}
        for mask in range(1 << len(weights))
    ]
    closed = [
        each
        for each in sets
        if not each & set(never) and all(b in each for a, b in needs if a in each)
    ]
    found = closure(weights, needs, never)
    least = min(sum(weights[node] for node in each) for each in closed)
    lightest = [each for each in closed if sum(weights[node] for node in each) == least]
    assert found in lightest
    assert all(found <= each for each in lightest)
