"""The outline of a saga: where each statement stands, its path, and what settles before it.

`parallel` and `if` are transparent: names inside them are the saga's. A statement's trail is the
chain of (block, place in it) from the saga's body down; where two trails part decides everything
about order: in a sequence by place, in a `parallel` not at all, in two branches never both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...dsl.nodes import (
    Block,
    Checkpoint,
    Each,
    First,
    Gate,
    If,
    Let,
    Name,
    Parallel,
    Repeat,
    Requires,
    Return,
    Saga,
    Scope,
    Statement,
    Step,
    Wait,
)

Named = Step | Let | Gate | Wait | Each | First | Repeat | Scope | Checkpoint
NAMED = (Step, Let, Gate, Wait, Each, First, Repeat, Scope, Checkpoint)
WORDS: dict[type[Statement], str] = {
    If: "if",
    Parallel: "parallel",
    Requires: "requires",
    Return: "return",
}

Trail = tuple[tuple[int, int], ...]
Relation = Literal["before", "later", "beside", "other branch", "same", "inside"]


@dataclass(frozen=True, slots=True)
class Area:
    """A block: whether its members run beside one another, and the `if` whose branch it is."""

    number: int
    parallel: bool
    branch_of: int | None
    members: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """A statement in its place. `number` counts statements in the order written."""

    number: int
    statement: Statement
    path: str
    trail: Trail

    @property
    def name(self) -> Name | None:
        """The name that its author gave it."""
        return self.statement.name if isinstance(self.statement, NAMED) else None

    @property
    def area(self) -> int:
        """The number of the block that it stands in."""
        return self.trail[-1][0]


@dataclass(frozen=True, slots=True)
class Outline:
    """All statements of a saga in the order written, all blocks, and the sites of each name."""

    sites: tuple[Site, ...]
    areas: tuple[Area, ...]
    by_name: dict[str, tuple[Site, ...]]
    of_statement: dict[int, Site]

    def relation(self, user: Site, other: Site) -> Relation:
        """Gives when `other` happens, seen from `user`."""
        for mine, theirs in zip(user.trail, other.trail, strict=False):
            if mine == theirs:
                continue
            if mine[0] != theirs[0]:
                return "other branch"
            if self.areas[mine[0]].parallel:
                return "beside"
            return "before" if theirs[1] < mine[1] else "later"
        return "same" if len(user.trail) == len(other.trail) else "inside"

    def ends(self, site: Site) -> bool:
        """True for the last statement of the saga, or of a branch of a last `if`."""
        return all(
            not self.areas[area].parallel and place == len(self.areas[area].members) - 1
            for area, place in site.trail
        )

    def usable(self, user: Site, word: str) -> tuple[Site, ...]:
        """Gives the sites of a name that `user` may read: they settle before it is called."""
        sites = self.by_name.get(word, ())
        return tuple(s for s in sites if self.relation(user, s) in ("before", "beside"))

    def always_there(self, user: Site, sites: Sequence[Site]) -> bool:
        """True when in every run that reaches `user` one of the sites was in the branch taken."""
        if not sites:
            return False
        shared = min(_shared(user.trail, site.trail) for site in sites)
        return self._covered(sites, shared + 1)

    def _covered(self, sites: Sequence[Site], depth: int) -> bool:
        if any(len(site.trail) <= depth for site in sites):
            return True
        groups: dict[int, list[Site]] = {}
        for site in sites:
            groups.setdefault(site.trail[depth][0], []).append(site)
        area = self.areas[next(iter(groups))]
        if area.branch_of is not None and len(groups) < 2:
            return False
        return all(self._covered(group, depth + 1) for group in groups.values())


def outline(saga: Saga) -> Outline:
    """Builds the outline; what is not carried out yet has a site but nothing inside."""
    sites: list[Site] = []
    areas: list[Area] = []
    counts: dict[str, int] = {}

    def enter(block: Block, trail: Trail, parallel: bool, branch_of: int | None) -> None:
        number = len(areas)
        areas.append(Area(number, parallel, branch_of, block.statements))
        for place, statement in enumerate(block.statements):
            here = (*trail, (number, place))
            site = Site(len(sites), statement, path(statement), here)
            sites.append(site)
            match statement:
                case If(then=then, otherwise=otherwise):
                    enter(then, here, False, site.number)
                    if otherwise is not None:
                        enter(otherwise, here, False, site.number)
                case Parallel(body=body):
                    enter(body, here, True, None)
                case _:
                    pass

    def path(statement: Statement) -> str:
        if isinstance(statement, NAMED):
            return statement.name.text
        word = WORDS.get(type(statement), type(statement).__name__.lower())
        counts[word] = counts.get(word, 0) + 1
        return f"{word}#{counts[word]}"

    enter(saga.body, (), False, None)
    return Outline(tuple(sites), tuple(areas), _by_name(sites), {id(s.statement): s for s in sites})


def _by_name(sites: Iterable[Site]) -> dict[str, tuple[Site, ...]]:
    found: dict[str, tuple[Site, ...]] = {}
    for site in sites:
        if site.name is not None:
            found[site.name.text] = (*found.get(site.name.text, ()), site)
    return found


def _shared(one: Trail, other: Trail) -> int:
    """Gives how many blocks two trails enter together, by the place at which they part."""
    for depth, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return depth
    return min(len(one), len(other))
