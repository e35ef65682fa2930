"""The outline of a saga: where each statement stands, its path, and what settles before it.

A *body* is what has names of its own: the saga's, and each that a scope, its `else`, an `each`,
`first`, `repeat` or `on rollback` holds. `parallel` and `if` are transparent: names inside them are
the body's. A statement's trail is the chain of (block, place in it) from the saga's body down;
where two trails part decides everything about order: in a sequence by place, in a `parallel` not
at all, in two branches never both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from ...dsl.nodes import (
    Block,
    Checkpoint,
    Each,
    First,
    Gate,
    If,
    Let,
    Name,
    OnRollback,
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
COMPOUND = (Each, First, Repeat, Scope)
"""Statements that hold bodies of their own and wait for what these read from outside."""
WORDS: dict[type[Statement], str] = {
    If: "if",
    Parallel: "parallel",
    Requires: "requires",
    Return: "return",
}

Trail = tuple[tuple[int, int], ...]
Relation = Literal["before", "later", "beside", "other branch", "same", "inside", "around"]
BodyKind = Literal["saga", "scope", "else", "each", "first", "repeat", "on rollback"]


class Area(Struct, frozen=True):
    """A block: whether its members run beside one another, and the `if` whose branch it is."""

    number: int
    parallel: bool
    branch_of: int | None
    members: tuple[Statement, ...]
    body: int


class Site(Struct, frozen=True):
    """A statement in its place. `number` counts statements in the order written."""

    number: int
    statement: Statement
    path: str
    trail: Trail
    body: int

    @property
    def name(self) -> Name | None:
        """The name that its author gave it."""
        return self.statement.name if isinstance(self.statement, NAMED) else None

    @property
    def area(self) -> int:
        """The number of the block that it stands in."""
        return self.trail[-1][0]


class Body(Struct, frozen=True):
    """What has names of its own: whose it is (None: the saga's), and its sites by name.

    `variable` is the name of the item or round. The paths inside begin with `prefix`.
    """

    number: int
    kind: BodyKind
    owner: Site | None
    variable: Name | None
    prefix: str
    by_name: dict[str, list[Site]] = msgspec.field(default_factory=dict[str, list[Site]])

    def names(self) -> dict[str, Name]:
        """Gives the names of its statements, and of its item or round."""
        found = {word: site.name for word, (site, *_) in self.by_name.items() if site.name}
        if self.variable is not None:
            found[self.variable.text] = self.variable
        return found


class Outline(Struct, frozen=True):
    """All statements of a saga in the order written, all blocks and all bodies."""

    sites: tuple[Site, ...]
    areas: tuple[Area, ...]
    bodies: tuple[Body, ...]
    of_statement: dict[int, Site]
    _held: dict[int, tuple[Body, ...]]

    def body(self, site: Site) -> Body:
        """Gives the body that a statement stands in."""
        return self.bodies[site.body]

    def around(self, body: Body) -> Iterator[Body]:
        """Gives a body and those that it stands in, from the inside out."""
        yield body
        while body.owner is not None:
            body = self.bodies[body.owner.body]
            yield body

    def held(self, site: Site) -> tuple[Body, ...]:
        """Gives the bodies that a statement holds, in the order written."""
        return self._held.get(site.number, ())

    def sites_of(self, user: Site, word: str) -> Sequence[Site]:
        """Gives the sites of a name as `user` knows it: those of the nearest body that has it."""
        for body in self.around(self.body(user)):
            if word in body.by_name:
                return body.by_name[word]
        return ()

    def variable(self, user: Site, word: str) -> Body | None:
        """Gives the body around `user` whose item or round is called by a word."""
        for body in self.around(self.body(user)):
            if body.variable is not None and body.variable.text == word:
                return body
        return None

    def visible(self, body: Body) -> dict[str, Name]:
        """Gives the names of all statements and variables that a body and those around it have."""
        found: dict[str, Name] = {}
        for each in self.around(body):
            found = {**each.names(), **found}
        return found

    def owners(self, site: Site) -> Iterator[Site]:
        """Gives the statements whose bodies a statement stands in, from the inside out."""
        for body in self.around(self.body(site)):
            if body.owner is not None:
                yield body.owner

    def lifted(self, site: Site, body: int) -> Site:
        """Gives the statement of a body that is `site` or holds it."""
        return next(each for each in (site, *self.owners(site)) if each.body == body)

    def relation(self, user: Site, other: Site) -> Relation:
        """Gives when `other` happens, seen from `user`."""
        for mine, theirs in zip(user.trail, other.trail, strict=False):
            if mine == theirs:
                continue
            if mine[0] != theirs[0]:
                return "other branch"
            if self.areas[mine[0]].parallel:
                return "beside"
            # What runs on a rollback runs when all else is over.
            late = isinstance(self.areas[mine[0]].members[mine[1]], OnRollback)
            return "before" if late or theirs[1] < mine[1] else "later"
        if len(user.trail) == len(other.trail):
            return "same"
        return "inside" if len(user.trail) < len(other.trail) else "around"

    def ends(self, site: Site) -> bool:
        """True for the last statement of its body, or of a branch of a last `if` of it."""
        return all(
            not self.areas[area].parallel and place == len(self.areas[area].members) - 1
            for area, place in site.trail
            if self.areas[area].body == site.body
        )

    def usable(self, user: Site, word: str) -> tuple[Site, ...]:
        """Gives the sites of a name that `user` may read: they settle before it is called."""
        sites = self.sites_of(user, word)
        return tuple(s for s in sites if self.relation(user, s) in ("before", "beside"))

    def always_there(self, user: Site, sites: Sequence[Site]) -> bool:
        """True when in every run that reaches `user` one of the sites was in the branch taken."""
        if not sites or self.on_rollback(user) is not self.on_rollback(sites[0]):
            return False
        shared = min(_shared(user.trail, site.trail) for site in sites)
        return self._covered(sites, shared + 1)

    def always_in(self, body: Body, sites: Sequence[Site]) -> bool:
        """True when in every run that completes a body one of these sites of it was in it."""
        depth = 0 if body.owner is None else len(body.owner.trail)
        return self._covered(sites, depth + 1)

    def on_rollback(self, site: Site) -> Body | None:
        """Gives the `on rollback` that a statement stands in."""
        found = (b for b in self.around(self.body(site)) if b.kind == "on rollback")
        return next(found, None)

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
    """Builds the outline of a saga with every body in it."""
    builder = _Builder()
    builder.enter(saga.body, (), builder.opened("saga", None, None, ""))
    held: dict[int, tuple[Body, ...]] = {}
    for body in builder.bodies:
        if body.owner is not None:
            held[body.owner.number] = (*held.get(body.owner.number, ()), body)
    return Outline(
        tuple(builder.sites),
        tuple(builder.areas),
        tuple(builder.bodies),
        {id(site.statement): site for site in builder.sites},
        held,
    )


class _Builder:
    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.areas: list[Area] = []
        self.bodies: list[Body] = []
        self._counts: dict[tuple[int, str], int] = {}

    def opened(
        self, kind: BodyKind, owner: Site | None, variable: Name | None, prefix: str
    ) -> Body:
        self.bodies.append(Body(len(self.bodies), kind, owner, variable, prefix))
        return self.bodies[-1]

    def enter(
        self,
        block: Block,
        trail: Trail,
        body: Body,
        parallel: bool = False,
        branch_of: int | None = None,
    ) -> None:
        number = len(self.areas)
        self.areas.append(Area(number, parallel, branch_of, block.statements, body.number))
        for place, statement in enumerate(block.statements):
            here = (*trail, (number, place))
            path = self._path(statement, body)
            site = Site(len(self.sites), statement, path, here, body.number)
            self.sites.append(site)
            if site.name is not None:
                body.by_name.setdefault(site.name.text, []).append(site)
            self._inside(site, body)

    def _inside(self, site: Site, body: Body) -> None:
        trail = site.trail
        match site.statement:
            case If(then=then, otherwise=otherwise):
                self.enter(then, trail, body, branch_of=site.number)
                if otherwise is not None:
                    self.enter(otherwise, trail, body, branch_of=site.number)
            case Parallel(body=block):
                self.enter(block, trail, body, parallel=True)
            case Scope(body=block, otherwise=otherwise):
                self.enter(block, trail, self.opened("scope", site, None, f"{site.path}."))
                if otherwise is not None:
                    inner = self.opened("else", site, None, f"{site.path}.else.")
                    self.enter(otherwise, trail, inner)
            case Each(variable=variable, body=block):
                inner = self.opened("each", site, variable, f"{site.path}[*].")
                self.enter(block, trail, inner)
            case First(variable=variable, body=block):
                inner = self.opened("first", site, variable, f"{site.path}[*].")
                self.enter(block, trail, inner)
            case Repeat(variable=variable, body=block):
                inner = self.opened("repeat", site, variable, f"{site.path}[*].")
                self.enter(block, trail, inner)
            case OnRollback(body=block):
                # Its steps stand beside the others as the log and people see them.
                self.enter(block, trail, self.opened("on rollback", site, None, body.prefix))
            case _:
                pass

    def _path(self, statement: Statement, body: Body) -> str:
        if isinstance(statement, NAMED):
            return f"{body.prefix}{statement.name.text}"
        word = WORDS.get(type(statement), type(statement).__name__.lower())
        count = self._counts[body.number, word] = self._counts.get((body.number, word), 0) + 1
        return f"{body.prefix}{word}#{count}"


def _shared(one: Trail, other: Trail) -> int:
    """Gives how many blocks two trails enter together, by the place at which they part."""
    for depth, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return depth
    return min(len(one), len(other))
