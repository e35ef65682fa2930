"""The lightest states of each block of a saga, for one guess of the least readiness.

Going forward a block has `part`, the lightest of all states that it can be in, and `full`, the
lightest in which it is over. What a failure leaves is weighed in the same way, with the effects
that a rollback lets stand alone: those of accepted steps. There a pivot is never passed, because a
boundary in which one has landed does not go on, and `lost` is the lightest state in which something
fails that is caught further out. (`timelines` says why it is not this with times for weights.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import accumulate

from msgspec import Struct, field
from msgspec.structs import replace

from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Parallel,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Wait,
)
from .choices import lightest, lightest_loss
from .cutting import Cutting
from .failures import refusal
from .spots import Spot
from .undos import trouble
from .view import Called, View
from .weights import (
    EMPTY,
    Measure,
    State,
    add,
    below_nothing,
    both,
    lighter,
    lightest_of,
    times,
)


class Stake(Struct, frozen=True):
    """Of the impact of a call: what can be taken back, all of it, and what a rollback leaves.

    `final` is true for a pivot, behind which nothing is rolled back to go on; `undoable` is what
    its classes let be taken back, whether or not an undo of its own can be called.
    """

    kept: int
    whole: int
    undoable: int = 0
    left: int = 0
    final: bool = False


Stakes = Mapping[int, Sequence[tuple[Called, Stake]]]
"""What is at stake at each spot: one call, or one of each tool of an agent."""


class Weighing(Struct, eq=False):
    """One pass over a saga: `weigh` gives the weight of what is kept and the whole of an impact.

    `many` gives the lightest of any number of the same. `left` is the pass over what failures
    leave, None in that pass itself. Nothing at the indices `until` happens. `reached` are the
    indices looked at. Takes time linear in the statements, beside what is cut where statements of a
    `parallel` wait for each other.
    """

    view: View
    weigh: Callable[[int, int], int]
    stakes: Stakes
    until: frozenset[int]
    many: Callable[[State | None], State]
    left: Weighing | None
    reached: set[int] = field(default_factory=set[int])
    known: dict[int, Measure] = field(default_factory=dict[int, Measure])

    def sequence(self, spots: Sequence[Spot]) -> Measure:
        """Weighs a block whose statements run one after another."""
        best, done = EMPTY, EMPTY
        lost: State | None = None
        for spot in spots:
            each = self.statement(spot)
            best = lighter(best, add(done, each.part))
            lost = lightest_of(lost, both(done, each.lost))
            if each.full is None:
                return Measure(best, None, lost)
            done = add(done, each.full)
        return Measure(best, done, lost)

    def statement(self, spot: Spot) -> Measure:
        """Weighs one statement with all that is inside it."""
        self.reached.add(spot.index)
        if spot.index not in self.known:
            self.known[spot.index] = self._statement(spot)
        return self.known[spot.index]

    def _statement(self, spot: Spot) -> Measure:
        match spot.node:
            case Step(when=when, on_failure=policy) | Gate(when=when, otherwise=policy):
                return self._leaf(spot, when is not None or policy == "continue")
            case Wait(otherwise=policy):
                return self._leaf(spot, policy == "continue")
            case AgentCall(agent=agent):
                return self._agent(spot, self.view.agents[agent].at_most)
            case If():
                return self._branches(spot)
            case Parallel():
                return self._parallel(spot)
            case Scope():
                return self._scope(spot)
            case SagaCall():
                return self._called(spot, spot.node)
            case Each():
                return self._each(spot, spot.node)
            case First():
                return self._first(spot)
            case Repeat():
                return self._repeat(spot, spot.node)
            case _:
                return self._leaf(spot, False)

    def _blocks(self, spot: Spot) -> tuple[tuple[Spot, ...], ...]:
        return self.view.graph.blocks(spot)

    def _fails(self, spot: Spot | None) -> State | None:
        """Gives the state in which a statement itself fails, nothing of it having landed."""
        failing = self.left is None and spot is not None and spot.index in self.view.failures
        return EMPTY if failing else None

    def _lost(self, spot: Spot, body: Measure) -> State | None:
        """Gives the lightest that a failure caught by a statement's body leaves standing."""
        return body.lost if self.left is None else self.left.sequence(self._blocks(spot)[0]).lost

    def _leaf(self, spot: Spot, maybe: bool) -> Measure:
        lost = self._fails(spot)
        landed, possible = EMPTY, spot.index not in self.until
        for called, stake in self.stakes.get(spot.index, ()):
            landed = self._landed(called, stake)
            possible = possible and not (stake.final and self.left is None)
        if not possible:
            return Measure(EMPTY, EMPTY if maybe else None, lost)
        part = lighter(EMPTY, landed)
        return Measure(part, part if maybe else landed, lost)

    def _landed(self, called: Called, stake: Stake) -> State:
        kept, whole = (0, stake.left) if self.left is None else (stake.kept, stake.whole)
        return State(self.weigh(kept, whole), kept, whole, called) if whole else EMPTY

    def _agent(self, spot: Spot, limit: int | None) -> Measure:
        """Weighs any number of the effects of an agent's tools, none of them sure to be made."""
        lost = lightest_of(self._fails(spot), self._fails(self.view.layout.closing(spot)))
        best = EMPTY
        if spot.index not in self.until:
            for called, stake in self.stakes.get(spot.index, ()):
                landed = self._landed(called, stake)
                many = self.many(landed) if limit is None else below_nothing(landed, limit)
                best = lighter(best, many)
        return Measure(best, best, lost)

    def _branches(self, spot: Spot) -> Measure:
        then, otherwise = map(self.sequence, self._blocks(spot))
        return Measure(
            lighter(then.part, otherwise.part),
            lightest_of(then.full, otherwise.full),
            lightest_of(self._fails(spot), then.lost, otherwise.lost),
        )

    def _scope(self, spot: Spot) -> Measure:
        """Weighs a body, or what is left of it with the else that then runs."""
        blocks = self._blocks(spot)
        body = self.sequence(blocks[0])
        if len(blocks) == 1:
            return body
        left = self._lost(spot, body)
        if left is None:
            return Measure(body.part, body.full)
        other = self.sequence(blocks[1])
        return Measure(
            lighter(body.part, add(left, other.part)),
            lightest_of(body.full, add(left, other.full) if other.full else None),
            both(left, other.lost),
        )

    def _called(self, spot: Spot, call: SagaCall) -> Measure:
        """Weighs a called saga, which goes on like a scope with an empty else, or fails outwards.

        Its deadline may lapse at any call in it: all that has landed then may be what is left.
        """
        inside = self._blocks(spot)[0]
        body = self.sequence(inside)
        left = self._lost(spot, body)
        if call.deadline is not None:
            left = lighter(EMPTY, (self.left or self).sequence(inside).part)
        over = self._over(spot, call, body)
        part = lightest_of(body.part, over) or EMPTY
        full = lightest_of(over, None if call.when is None else EMPTY)
        refused = EMPTY if refusal(self.view, spot) is not None else None
        match call.on_failure:
            case "continue":
                full = lightest_of(full, left, refused)
                return Measure(lightest_of(part, left) or EMPTY, full)
            case "rollback" if self.left is None:
                return Measure(part, full, lightest_of(left, refused))
            case _:
                return Measure(part, full)

    def _over(self, spot: Spot, call: SagaCall, body: Measure) -> State | None:
        """Gives the lightest state of a saga that is over: undos of the call replace its own."""
        if not call.undos:
            return body.full
        sure = any(trouble(self.view, spot, call, undo) is None for undo in call.undos)
        inside = {
            index: [
                (called, replace(stake, kept=stake.undoable if sure else 0))
                for called, stake in self.stakes[index]
            ]
            for index in range(spot.index, spot.stop)
            if index in self.stakes
        }
        stakes = {**self.stakes, **inside}
        done = Weighing(self.view, self.weigh, stakes, self.until, self.many, self.left)
        return done.sequence(self._blocks(spot)[0]).full

    def _each(self, spot: Spot, loop: Each) -> Measure:
        """Weighs any number of items over, some beside each other, some failed and tolerated."""
        item = self.sequence(self._blocks(spot)[0])
        done = self.many(item.full)
        beside = times(item.part, loop.at_once - 1)
        lost = self._fails(spot)
        if self.left is None and item.lost is not None:
            fallen = add(times(item.lost, loop.tolerate + 1), beside)
            lost = lightest_of(lost, add(done, fallen))
        if loop.tolerate:
            done = add(done, below_nothing(self._lost(spot, item), loop.tolerate))
        return Measure(add(add(done, item.part), beside), done, lost)

    def _first(self, spot: Spot) -> Measure:
        """Weighs what any number of failed items leave, and one more."""
        item = self.sequence(self._blocks(spot)[0])
        tried = self.many(self._lost(spot, item))
        lost = tried if self.left is None else None
        return Measure(add(tried, item.part), both(tried, item.full), lost)

    def _repeat(self, spot: Spot, loop: Repeat) -> Measure:
        """Weighs rounds up to the limit, at least one."""
        item = self.sequence(self._blocks(spot)[0])
        if item.full is None:
            return Measure(item.part, None, lightest_of(self._fails(spot), item.lost))
        before = below_nothing(item.full, loop.limit - 1)
        lost = None
        if self.left is None:
            closing = times(item.full, loop.limit)
            lost = lightest_of(self._fails(spot), both(before, item.lost), closing)
        return Measure(add(before, item.part), add(before, item.full), lost)

    def _parallel(self, spot: Spot) -> Measure:
        measures = [self.statement(each) for each in self._blocks(spot)[0]]
        full: State | None = EMPTY
        for each in measures:
            full = both(full, each.full)
        edges = tuple(self.view.graph.edges(spot))
        if edges:
            cutting = Cutting(self.view.graph, spot, edges, self.statement, self._decided)
            lost = lightest_loss(cutting.pieces) if self.left is None else None
            return Measure(lightest(cutting.pieces), full, lost)
        parts = [each.part for each in measures]
        part = reduce(add, parts, EMPTY)
        if self.left is not None:
            return Measure(part, full)
        ahead = list(accumulate(parts, add, initial=EMPTY))
        behind = list(accumulate(reversed(parts), add, initial=EMPTY))[::-1]
        failing = (
            both(add(ahead[number], behind[number + 1]), each.lost)
            for number, each in enumerate(measures)
        )
        return Measure(part, full, lightest_of(*failing))

    def _decided(self, spot: Spot) -> Measure:
        """Weighs an `if` whose branches are weighed by themselves."""
        return Measure(EMPTY, EMPTY, self._fails(spot))
