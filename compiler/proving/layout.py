"""A plan laid out: every statement has its spot, every body its frame and its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    If,
    Node,
    Parallel,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    blocks,
)
from .spots import Frame, Spot

Blocks = tuple[tuple[Spot, ...], ...]
"""The blocks of a statement as `runtime.plan.blocks` gives them, without closing spots."""

BODY = -1
"""The index under which the saga's own blocks are kept: its body, what runs on rollback."""


class Layout(Struct, frozen=True, eq=False):
    """All spots of a plan, closing ones too, the blocks inside each, and who has a path or name.

    Both branches of an `if` may have one path, and so one name. `named` is by the frame in which a
    statement stands.
    """

    moments: tuple[Spot, ...]
    inside: Mapping[int, Blocks]
    by_path: Mapping[str, tuple[Spot, ...]]
    named: Mapping[Frame, Mapping[str, tuple[Spot, ...]]]
    frames: Mapping[tuple[int, int], Frame]
    """Every frame by the index of its owner (`BODY`: the saga) and its side, outer before inner."""

    def blocks(self, spot: Spot) -> Blocks:
        """Gives the blocks of a statement, none for one that holds nothing."""
        return self.inside.get(spot.index, ())

    def closing(self, spot: Spot) -> Spot | None:
        """Gives the spot at which a statement fails when all inside is over, if there is one."""
        last = self.moments[spot.stop - 1]
        return last if last.closing and last.node is spot.node else None


def lay_out(plan: Plan) -> Layout:
    """Gives every statement its spot, in time linear in the plan (times the depth of bodies)."""
    making = _Making()
    body, after = plan.body, plan.on_rollback
    middle = sum(map(making.size, body))
    root = Frame(None, 0, 0, middle)
    last = Frame(None, 1, middle, middle + sum(map(making.size, after)))
    making.frames |= {(BODY, 0): root, (BODY, 1): last}
    making.inside[BODY] = (
        making.block(body, None, root, (), None),
        making.block(after, None, last, (), None),
    )
    return Layout(
        tuple(making.moments),
        making.inside,
        {path: tuple(spots) for path, spots in making.by_path.items()},
        {
            frame: {name: tuple(spots) for name, spots in names.items()}
            for frame, names in making.named.items()
        },
        making.frames,
    )


def closes(node: Node) -> bool:
    """True for a statement that can fail when all inside it is over."""
    match node:
        case First() | Repeat() | AgentCall():
            return True
        case Each(tolerate=tolerate):
            return tolerate > 0
        case _:
            return False


class _Making(Struct, eq=False):
    moments: list[Spot] = msgspec.field(default_factory=list[Spot])
    inside: dict[int, Blocks] = msgspec.field(default_factory=dict[int, Blocks])
    by_path: dict[str, list[Spot]] = msgspec.field(default_factory=dict[str, list[Spot]])
    named: dict[Frame, dict[str, list[Spot]]] = msgspec.field(
        default_factory=dict[Frame, dict[str, list[Spot]]]
    )
    frames: dict[tuple[int, int], Frame] = msgspec.field(
        default_factory=dict[tuple[int, int], Frame]
    )
    sizes: dict[int, int] = msgspec.field(default_factory=dict[int, int])

    def size(self, node: Node) -> int:
        """Gives the number of spots of a statement with all inside it."""
        known = self.sizes.get(id(node))
        if known is None:
            inner = sum(self.size(each) for body in blocks(node) for each in body)
            known = self.sizes[id(node)] = 1 + inner + closes(node)
        return known

    def block(
        self,
        body: Sequence[Node],
        parent: Spot | None,
        frame: Frame,
        branches: tuple[tuple[Spot, int], ...],
        region: Spot | None,
    ) -> tuple[Spot, ...]:
        made: list[Spot] = []
        for node in body:
            index = len(self.moments)
            stop = index + self.size(node)
            spot = Spot(index, stop, node, parent, frame, branches, region)
            self.moments.append(spot)
            made.append(spot)
            self.by_path.setdefault(node.path, []).append(spot)
            name = getattr(node, "name", None)
            if name is not None:
                self.named.setdefault(frame, {}).setdefault(name, []).append(spot)
            self.hold(spot)
            if closes(node):
                end = Spot(stop - 1, stop, node, spot, frame, branches, region, closing=True)
                self.moments.append(end)
        return tuple(made)

    def hold(self, spot: Spot) -> None:
        """Lays out what is inside a statement."""
        bodies, made = blocks(spot.node), list[tuple[Spot, ...]]()
        for side, body in enumerate(bodies):
            frame, region = spot.frame, spot.region
            if isinstance(spot.node, Parallel):
                region = region or spot
            elif not isinstance(spot.node, If):
                start = len(self.moments)
                frame = Frame(spot, 1 if side else 0, start, start + sum(map(self.size, body)))
                self.frames[spot.index, side] = frame
            branches = spot.branches
            if _decides(spot.node, side):
                branches = (*branches, (spot, side))
            made.append(self.block(body, spot, frame, branches, region))
        if made:
            self.inside[spot.index] = tuple(made)


def _decides(node: Node, side: int) -> bool:
    """True when a statement can be over without one of its blocks having been run."""
    match node:
        case If() | Each():
            return True
        case Scope(otherwise=otherwise):
            return otherwise is not None
        case SagaCall(when=when, on_failure=policy):
            return side == 1 or when is not None or policy == "continue"
        case _:
            return False
