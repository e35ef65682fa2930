"""The types of a saga's named values, each found when first asked for (LANGUAGE.md §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from ...dsl.nodes import (
    Checkpoint,
    Each,
    Expr,
    First,
    Gate,
    If,
    ItemKey,
    Lapse,
    Let,
    Next,
    OnFailure,
    Repeat,
    Requires,
    Return,
    Scope,
    Statement,
    Step,
    Tolerate,
    Until,
    Wait,
    When,
    of,
    within,
)
from ...runtime.formula import Type
from ..names.outline import Area, Body, Outline, Site
from .environment import Environment, Lookup
from .mismatch import T301, none
from .narrowing import NOTHING, Path, proved
from .operations import Typed
from .tooltypes import Clauses
from .types import (
    DECISION,
    KEYS,
    NEVER,
    NONE,
    UNKNOWN,
    coerced,
    inside,
    joined,
    list_of,
    optional,
    present,
    scope_of,
    shown,
)


class Values:
    """The named values of one saga; `types` are those of statements, by the ids of their nodes.

    `items` are the types of what loops go through, by the same ids.
    """

    def __init__(
        self, clauses: Clauses, outline: Outline, saga: str, inputs: Mapping[str, Type]
    ) -> None:
        self.clauses = clauses
        self.outline = outline
        self.saga = saga
        self.inputs = inputs
        self.types: dict[int, Type] = {}
        self.items: dict[int, Type] = {}
        self._open: set[int] = set()
        self._facts: dict[int, Sequence[frozenset[Path]]] = {}

    def environment(self, site: Site) -> Environment:
        """Gives what a statement may read, and what is proved where it stands."""
        return Environment(self.names_at(site), there=self._known(site))

    def names_at(self, site: Site) -> Lookup:
        """Gives the names that a statement may read, with their types."""
        return lambda word: self._lookup(site, word)

    def type(self, site: Site, env: Environment | None = None) -> Type:
        """Gives the type of a named value; `UNKNOWN` while it is being found."""
        known = self.types.get(id(site.statement))
        if known is not None or site.number in self._open:
            return UNKNOWN if known is None else known
        self._open.add(site.number)
        found = self._found(site, env)
        self._open.discard(site.number)
        self.types[id(site.statement)] = found
        return found

    def item(self, site: Site, env: Environment | None = None) -> Type:
        """Gives the type of the item or round of a loop."""
        loop = site.statement
        if id(loop) not in self.items:
            self.items[id(loop)] = UNKNOWN
            env = env or self.environment(site)
            match loop:
                case Each(items=items) | First(items=items):
                    self.items[id(loop)] = self._list_item(items, env)
                case Repeat(start=start):
                    given = self.clauses.value(start, env)
                    self.items[id(loop)] = self._following(loop) if given == NONE else given
                case _:
                    pass
        return self.items[id(loop)]

    def key(self, site: Site, clause: ItemKey, variable: str, env: Environment) -> None:
        """Types the key of an item."""
        env = env.plus(**{variable: self.item(site, env)})
        given = self.clauses.value(clause.key, env)
        if given.kind not in KEYS and given != UNKNOWN:
            self.clauses.inference.report(
                T301(
                    "What identifies an item is one plain value that stays as it is, "
                    f"but this is {shown(given)}.",
                    clause.key.span,
                    shown(given),
                    helps=["Take a text, int, bool, enum or date of it: `by ITEM.id`."],
                )
            )

    def _lookup(self, site: Site, word: str) -> Type | None:
        body = self.outline.variable(site, word)
        if body is not None and body.owner is not None:
            return self.item(body.owner)
        if word in self.inputs:
            return self.inputs[word]
        sites = self.outline.usable(site, word)
        if not sites:
            return UNKNOWN if self.outline.sites_of(site, word) else None
        given = self._together(sites)
        return given if self.outline.always_there(site, sites) else optional(given)

    def _together(self, sites: Sequence[Site]) -> Type:
        """Gives the type of a name that several branches have; that they agree is told apart."""
        given = self.type(sites[0])
        for other in sites[1:]:
            if given == NONE or self.type(other).kind == "optional":
                given = self.type(other)
        return given

    def _found(self, site: Site, env: Environment | None) -> Type:
        statement = site.statement
        match statement:
            case Step():
                return self._step(statement)
            case Let(value=value):
                return self.clauses.value(value, env or self.environment(site))
            case Gate(clauses=clauses):
                may_not = _goes_on(clauses) or of(clauses, When)
                return optional(DECISION) if may_not else DECISION
            case Wait(type=written, clauses=clauses):
                given = self.clauses.catalogue.type(self.clauses.module, written)
                return optional(given) if _goes_on(clauses) else given
            case Each(clauses=clauses):
                given = self._returned(site)
                # `tolerate 0` is a mistake of its own.
                failing = any(clause.limit.value for clause in of(clauses, Tolerate))
                return list_of(optional(given) if failing else given)
            case First():
                return self._returned(site)
            case Repeat():
                return list_of(self._returned(site))
            case Scope():
                return self._scope(site)
            case _:
                return NONE

    def _step(self, step: Step) -> Type:
        declared = self.clauses.callee(step.call)
        given = UNKNOWN if declared is None else self.clauses.interfaces.result(declared)
        if of(step.clauses, Until):
            given = present(given)
        goes_on = any(each.policy == "continue" for each in of(step.clauses, OnFailure))
        return optional(given) if goes_on or of(step.clauses, When) else given

    def _list_item(self, items: Expr, env: Environment) -> Type:
        given = self.clauses.value(items, env)
        if given.kind == "list":
            return inside(given)
        if given.kind == "optional" and present(given).kind == "list":
            self.clauses.inference.report(none(items, self.clauses.text_of(items)))
            return inside(present(given))
        if given != UNKNOWN:
            helps = {
                "map": ["Say `keys(...)` or `values(...)`."],
                "json": ["Say what it is: let a tool give it as a record with a `list[T]`."],
            }
            message = f"Only a list can be gone through, and this is {shown(given)}."
            self.clauses.inference.report(
                T301(message, items.span, shown(given), helps=helps.get(given.kind, ()))
            )
        return UNKNOWN

    def _following(self, loop: Repeat) -> Type:
        """Gives the type of the rounds of a `repeat` that begins with none: what `next` gives.

        The look ahead leaves nothing behind: all is typed anew when the rounds have their type.
        """
        found = [each for each in loop.body.statements if isinstance(each, Next)]
        if not found:
            return NONE
        inference, types, items = self.clauses.inference, dict(self.types), dict(self.items)
        told = len(inference.diagnostics)
        env = self.environment(self.outline.of_statement[id(found[-1])])
        given = inference.typed(found[-1].value, env).type
        del inference.diagnostics[told:]
        self.types, self.items = types, items
        return UNKNOWN if given == UNKNOWN else optional(given)

    def _scope(self, site: Site) -> Type:
        """Gives the record that a scope is outside: what both of its blocks give is there."""
        blocks = [self._names(body) for body in self.outline.held(site)]
        fields: dict[str, Type] = {}
        for word in dict.fromkeys(word for names in blocks for word in names):
            given = [names.get(word, NONE) for names in blocks]
            both = [one for one in given if one != NONE] or [NONE]
            there = all(one.kind != "optional" for one in given) and NONE not in given
            fields[word] = both[0] if there else optional(both[0])
        name = f"scope {self.saga}.{site.path}"
        self.clauses.interfaces.scopes[name] = fields
        return scope_of(name, fields)

    def _names(self, body: Body) -> dict[str, Type]:
        found: dict[str, Type] = {}
        for word, sites in body.by_name.items():
            valued = [site for site in sites if not isinstance(site.statement, Checkpoint)]
            if valued:
                given = self._together(valued)
                there = self.outline.always_in(body, valued)
                found[word] = given if there else optional(given)
        return found

    def _returned(self, site: Site) -> Type:
        """Gives what the body of a loop returns, and types each `return` in it."""
        loop = site.statement
        assert isinstance(loop, Each | First | Repeat)
        made: list[Typed] = []
        for each in of(within(loop.body.statements), Return):
            env = self.environment(self.outline.of_statement[id(each)])
            made.append(self.clauses.inference.typed(each.value, env))
        given = NEVER
        for one in made:
            both = joined(given, one.type)
            if both is None:
                self.clauses.inference.report(
                    T301(
                        "What a block returns has one type: "
                        f"{shown(given)} and {shown(one.type)} do not go together.",
                        one.node.span,
                        shown(one.type),
                        also=[(made[0].node.span, shown(made[0].type))],
                    )
                )
                both = UNKNOWN
            given = both
        for one in made:
            tree = coerced(one.tree, one.type, given)
            whole = replace(one, tree=one.tree if tree is None else tree, type=given)
            self.clauses.formulas[id(one.node)] = self.clauses.interfaces.formula(whole)
        return NONE if given == NEVER else given

    def _known(self, site: Site) -> frozenset[Path]:
        """Gives what is proved where a statement stands, by the `if`s and `requires` around it."""
        there: frozenset[Path] = NOTHING
        for area_number, place in site.trail:
            area = self.outline.areas[area_number]
            if area.body and self.outline.bodies[area.body].kind == "on rollback":
                # A rollback may come before anything has been asked.
                there = NOTHING
            there |= self._required(area)[place]
            if area.branch_of is not None:
                branch = self.outline.sites[area.branch_of].statement
                assert isinstance(branch, If)
                there |= proved(branch.condition, area.members == branch.then.statements)
        return there

    def _required(self, area: Area) -> Sequence[frozenset[Path]]:
        """Gives what the `requires` of a block have proved before each of its statements."""
        if area.number not in self._facts:
            facts = [NOTHING]
            for statement in area.members:
                more = proved(statement.condition) if isinstance(statement, Requires) else NOTHING
                facts.append(facts[-1] | more)
            self._facts[area.number] = facts
        return self._facts[area.number]


def returns(statements: tuple[Statement, ...]) -> bool:
    """True when a block ends with `return`, or with an `if` both of whose branches do."""
    match statements[-1:]:
        case (Return(),):
            return True
        case (If(then=then, otherwise=otherwise),) if otherwise is not None:
            return returns(then.statements) and returns(otherwise.statements)
        case _:
            return False


def _goes_on(clauses: Iterable[object]) -> bool:
    return any(isinstance(each, Lapse) and each.policy == "continue" for each in clauses)
