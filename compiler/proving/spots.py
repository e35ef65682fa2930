"""The statements of a plan numbered in the order written, each knowing what is around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from msgspec import Struct

from ...runtime.plan import Each, First, Node, Repeat, SagaCall, Scope


class Frame(Struct, frozen=True, eq=False):
    """One body as it is run: the saga's, a scope's, one item's of a loop, a called saga's.

    `owner` is the statement that holds it, None for the saga; `side` is 1 for the else of a scope
    and for what runs on rollback. Its statements have the indices `start` to `stop`, without the
    last.
    """

    owner: Spot | None
    side: OneOf[0, 1]
    start: int
    stop: int

    @property
    def outer(self) -> Frame | None:
        """The frame that holds this one, None for the saga's own."""
        return None if self.owner is None else self.owner.frame

    @property
    def loop(self) -> bool:
        """True when a run may have many: an item of `each` or `first`, a round of `repeat`."""
        match None if self.owner is None else self.owner.node:
            case Each() | First():
                return True
            case Repeat(limit=limit):
                return limit > 1
            case _:
                return False

    @property
    def goes_on(self) -> bool:
        """True when the run goes on after a failure in it, or when there is nothing outside."""
        if self.owner is None:
            return True
        match self.owner.node:
            case Scope(otherwise=otherwise):
                return self.side == 0 and otherwise is not None
            case SagaCall(on_failure=policy):
                return self.side == 0 and policy != "rollback"
            case Each(tolerate=tolerate):
                return tolerate > 0
            case First():
                return True
            case _:
                return False

    @property
    def aftermath(self) -> bool:
        """True inside what runs on rollback, which neither fails anything nor has a pivot."""
        frame: Frame | None = self
        while frame is not None:
            if frame.side == 1 and not (frame.owner and isinstance(frame.owner.node, Scope)):
                return True
            frame = frame.outer
        return False

    def around(self) -> Iterator[Frame]:
        """Gives this frame and all that hold it, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer

    def holds(self, spot: Spot) -> bool:
        """True for a statement anywhere inside."""
        return self.start <= spot.index < self.stop


class Spot(Struct, frozen=True, eq=False):
    """Where a statement stands: `index` in the order written, `stop` behind all that is inside it.

    An `if` stands at its spot for its condition, a scope or a loop for its beginning; nothing of a
    `parallel` happens at its own. What can fail only when all inside is over has a second spot at
    the end of its inside, the `closing` one: `first` when all failed, `each` when more failed than
    it tolerates, `repeat` at its limit, an agent that gives up.

    `branches` are the decisions around it, outermost first, each with what it took: a branch of an
    `if` (0 is `then`), the body (0) or the else of a scope that has one, the body of what need not
    run at all. `region` is the outermost `parallel` around it.
    """

    index: int
    stop: int
    node: Node
    parent: Spot | None
    frame: Frame
    branches: tuple[tuple[Spot, int], ...] = ()
    region: Spot | None = None
    closing: bool = False

    @property
    def path(self) -> str:
        """The statement's path."""
        return self.node.path

    def holds(self, other: Spot) -> bool:
        """True when another spot is inside this one; a spot is not inside itself."""
        return self.index < other.index < self.stop

    def around(self) -> Iterator[Spot]:
        """Gives the statements that this one is inside, innermost first."""
        outer = self.parent
        while outer is not None:
            yield outer
            outer = outer.parent


def catch(frame: Frame) -> Frame:
    """Gives the catch of what fails in a frame: the nearest around it that goes on, or the saga.

    catch(x) of the language is `catch(x.frame)`: a scope with an else (its body, not its else), an
    item of `first`, a tolerated item, a called saga whose call goes on.
    """
    return next(each for each in frame.around() if each.goes_on)


def visible(frame: Frame) -> Iterator[Frame]:
    """Gives the frames whose names a frame sees, its own first: outwards up to a called saga's."""
    for each in frame.around():
        yield each
        if each.owner is not None and isinstance(each.owner.node, SagaCall):
            return


def loops(a: Spot, b: Spot) -> Iterator[Frame]:
    """Gives the loops that hold both of two statements, by their bodies, innermost first."""
    return (frame for frame in a.frame.around() if frame.loop and frame.holds(b))


def in_turn(loop: Frame) -> bool:
    """True for a loop that begins an item when the one before it is over."""
    return not (
        loop.owner is not None and isinstance(loop.owner.node, Each) and loop.owner.node.at_once > 1
    )
