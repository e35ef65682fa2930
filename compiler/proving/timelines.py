"""When statements begin and end at the latest: longest paths through a saga, all in milliseconds.

Two lines are drawn: one of *declared* times (gates, waits, sleeps, polling, as they are written),
one of the *worst case* (attempts with their timeouts, pauses and settle times as well). The longest
path is found in one pass in the order of the graph (Kelley and Walker, "Critical-Path Planning and
Scheduling", 1959); a loop of a known number of items takes the time of its first that many times.

`weighing` goes through the same blocks and is another thing. Here all of a block happens, and what
is asked of each statement is when: a sum along what waits for what, a maximum where ways meet, for
every statement one number. There any part of a block may have happened, and what is asked is the
lightest such state of a whole block: a prefix of a sequence, a cut through a `parallel`, with what
failures leave. What they have in common is which kinds of statements there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile
from typing import Literal as OneOf

from msgspec import Struct

from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    If,
    Node,
    Parallel,
    Repeat,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Undo,
    Wait,
)
from .durations import longest
from .items import turns
from .layout import BODY
from .precedence import targets
from .spots import Frame, Spot
from .view import View

Kind = OneOf["declared", "worst"]


def declared(spot: Spot) -> int | None:
    """Gives how long a statement itself may wait as it is written; None is for ever."""
    match spot.node:
        case Gate(within=within) | Wait(within=within):
            return within
        case Sleep(length=length):
            return length
        case Step(until=until) if until is not None:
            return until.within
        case _:
            return 0


def worst(view: View, spot: Spot) -> int | None:
    """Gives how long a statement itself may take at worst; None is for ever.

    A call that may not be repeated at once waits before each further attempt until an *absent*
    proves something: its settle time, and then what reads lag behind.
    """
    node = spot.node
    match node:
        case Step():
            tool = view.tools[node.tool]
            reads = [longest(view.tools[e.tool].retry, view.tools[e.tool].timeout)
                     for e in tool.remember]  # fmt: skip
            if node.until is not None:
                return node.until.within + node.timeout
            lag = node.verify.consistent_after if node.verify is not None else 0
            settling = node.settle + lag if tool.effects else 0
            apart = settling if tool.idempotent is None else 0
            calls = longest(node.retry, node.timeout + apart)
            parts = [calls, *reads, settling if not apart else 0]
            return None if None in parts else sum(part for part in parts if part is not None)
        case AgentCall():
            return longest(node.retry, node.timeout)
        case _:
            return declared(spot)


def undoing(view: View, undo: Undo) -> int | None:
    """Gives how long an undo may take at worst; None is for ever."""
    for saga in view.plan.undo_sagas:
        if saga.name == undo.tool:
            return _through(view, saga.body)
    tool = view.tools[undo.tool]
    timeout = tool.timeout if undo.timeout is None else undo.timeout
    settle = tool.settle if undo.settle is None else undo.settle
    calls = longest(undo.retry or tool.retry, timeout)
    return None if calls is None else calls + settle


def _through(view: View, body: tuple[Node, ...]) -> int | None:
    """Gives how long the calls of a saga that is an undo may take, one after another.

    Of a loop whose items are not known before, one counts.
    """
    total = 0
    for node in body:
        match node:
            case Step(until=until) if until is not None:
                own: int | None = until.within + node.timeout
            case Step():
                own = longest(node.retry, node.timeout)
                if own is not None and not view.tools[node.tool].is_read:
                    own += node.settle
            case If(then=then, otherwise=otherwise):
                ways = (_through(view, then), _through(view, otherwise))
                own = None if None in ways else max(way for way in ways if way is not None)
            case Each(body=inner) | Repeat(body=inner):
                own = _through(view, inner)
                own = None if own is None else own * (turns(node) or 1)
            case Parallel(body=inner) | SagaCall(body=inner):
                own = _through(view, inner)
            case _:
                own = 0
        if own is None:
            return None
        total += own
    return total


class Part(Struct, frozen=True):
    """A statement of a line, with what of it has passed by index."""

    line: Timeline
    of: Spot
    passed: Collection[int]


def around_in(frame: Frame, spot: Spot) -> Iterator[Spot]:
    """Gives the statements of a frame that a spot is inside, innermost first."""
    return takewhile(lambda each: each is not frame.owner, spot.around())


class Timeline:
    """The latest beginning and end of each statement, by index, in the first item of its loops.

    Of a loop whose items are not known before, and of what may wait for ever, what is known of its
    length counts. With `part`, the part of another line is drawn anew: only that statement is gone
    through, from 0, and what is `passed` takes no time, but in the further items of loops.
    """

    def __init__(
        self,
        view: View,
        lengths: Mapping[int, int],
        part: Part | None = None,
    ) -> None:
        self.layout = view.layout
        self.lengths = lengths
        self.part = part
        self.begin: dict[int, int] = {}
        self.end: dict[int, int] = {}
        self.more: dict[int, int] = {}
        """How much longer a loop takes than its first item, by the index of the loop."""
        self.items: dict[int, int] = {}
        """How long one item of a loop takes, by the index of the loop."""
        self._late = False
        if part is None:
            self._block(self.layout.inside[BODY][0], 0)
        else:
            self._place(part.of, 0)

    def last(self, spot: Spot, frame: Frame) -> int:
        """Gives the end of a statement in the last item of the loops around it in a frame."""
        around = around_in(frame, spot)
        if spot.closing:
            # It stands at the end of all items of its own loop.
            next(around)
        return self.end[spot.index] + sum(self.more.get(each.index, 0) for each in around)

    def _block(self, spots: tuple[Spot, ...], start: int) -> int:
        for spot in spots:
            start = self._place(spot, start)
        return start

    def _place(self, spot: Spot, start: int) -> int:
        node = spot.node
        if spot.region is not None and node.waits:
            for target in targets(self.layout, spot):
                known = self.end.get(target.index)
                self._late |= known is None
                start = max(start, known or 0)
        self.begin[spot.index] = start
        blocks = self.layout.blocks(spot)
        match node:
            case Parallel():
                end = self._beside(spot, start)
            case If():
                end = max(self._block(block, start) for block in blocks)
            case Scope():
                end = self._block(blocks[0], start)
                if len(blocks) > 1:
                    end = self._block(blocks[1], end)
            case Each() | First() | Repeat():
                first = item = self._block(blocks[0], start) - start
                if self.part is not None:
                    item = self.part.line.items[spot.index]
                self.items[spot.index] = item
                self.more[spot.index] = ((turns(node) or 1) - 1) * item
                end = start + first + self.more[spot.index]
            case SagaCall():
                end = self._block(blocks[0], start)
            case _:
                passed = self.part is not None and spot.index in self.part.passed
                own = 0 if passed else self.lengths.get(spot.index, 0)
                end = start + own
        self.end[spot.index] = end
        closing = self.layout.closing(spot)
        if closing is not None:
            self.begin[closing.index] = self.end[closing.index] = end
        return end

    def _beside(self, whole: Spot, start: int) -> int:
        """Goes through a `parallel`, an outermost one again while a wait is on what comes below."""
        members = self.layout.blocks(whole)[0]
        before = -1
        while True:
            self._late = self._late and whole.region is not None
            end = max((self._place(member, start) for member in members), default=start)
            if whole.region is not None or (not self._late and before < 0):
                return end
            total = sum(self.end.get(index, 0) for index in range(whole.index + 1, whole.stop))
            if not self._late and total == before:
                return end
            before = total
