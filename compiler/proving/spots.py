"""The statements of a plan numbered in the order written, each knowing what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...runtime.plan import If, Node, Parallel, Plan, statements


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a statement stands: `index` in the order written, `stop` behind all that is inside it.

    An `if` stands at its spot for its condition; nothing of a `parallel` happens at its own.
    `branches` are the `if`s around it, outermost first, each with the branch it stands in (0 is
    `then`); `region` is the outermost `parallel` around it.
    """

    index: int
    stop: int
    node: Node
    parent: Spot | None
    branches: tuple[tuple[Spot, int], ...] = ()
    region: Spot | None = None

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


Blocks = tuple[tuple[Spot, ...], ...]
"""The blocks of a statement: then and otherwise of an `if`, one of a `parallel`."""

BODY = -1
"""The index under which the saga's own block is kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """All spots of a plan, the blocks inside each, and who has a path (both branches may)."""

    spots: tuple[Spot, ...]
    inside: Mapping[int, Blocks]
    by_path: Mapping[str, tuple[Spot, ...]]

    def blocks(self, spot: Spot) -> Blocks:
        """Gives the blocks of a statement, none for one that holds nothing."""
        return self.inside.get(spot.index, ())


def lay_out(plan: Plan) -> Layout:
    """Gives every statement its spot."""
    spots: list[Spot] = []
    inside: dict[int, Blocks] = {}
    by_path: dict[str, list[Spot]] = {}

    def block(
        body: Sequence[Node],
        parent: Spot | None,
        branches: tuple[tuple[Spot, int], ...],
        region: Spot | None,
    ) -> tuple[Spot, ...]:
        made: list[Spot] = []
        for node in body:
            size = sum(1 for _ in statements((node,)))
            spot = Spot(len(spots), len(spots) + size, node, parent, branches, region)
            spots.append(spot)
            made.append(spot)
            by_path.setdefault(node.path, []).append(spot)
            match node:
                case If(then=then, otherwise=otherwise):
                    inside[spot.index] = (
                        block(then, spot, (*branches, (spot, 0)), region),
                        block(otherwise, spot, (*branches, (spot, 1)), region),
                    )
                case Parallel(body=members):
                    inside[spot.index] = (block(members, spot, branches, region or spot),)
                case _:
                    pass
        return tuple(made)

    inside[BODY] = (block(plan.body, None, (), None),)
    return Layout(tuple(spots), inside, {path: tuple(each) for path, each in by_path.items()})
