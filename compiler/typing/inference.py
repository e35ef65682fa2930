"""Expressions typed: each becomes the tree that the plan carries, or a diagnostic says why not.

A type wanted is passed down, so that `{ sku: "a" }` becomes a record and `5` a decimal where these
are wanted (bidirectional typing: Pierce and Turner, Local Type Inference, 2000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    Argument,
    Arithmetic,
    Call,
    Comparison,
    Comprehension,
    Conditional,
    Enum,
    Expr,
    Field,
    Index,
    Interpolation,
    ListLiteral,
    Logical,
    MapLiteral,
    Name,
    Negate,
    Not,
    Reference,
    TextLiteral,
)
from ...runtime import formula as f
from ...runtime.formula import Type
from ..codes import declare
from ..names.catalogue import Catalogue, Declared, spelled
from .constants import constant, written
from .environment import Environment
from .functions import FUNCTIONS
from .mismatch import T301, VALUE, Role, mismatch, none
from .narrowing import path_of, proved
from .nofield import T304, no_else, no_fields, unknown_field
from .operations import Typed, applied, arithmetic, comparison
from .secrecy import in_text, stored
from .types import (
    BOOL,
    DECISION,
    INT,
    JSON,
    NEVER,
    NUMBERS,
    STR,
    UNKNOWN,
    coerced,
    holds_secret,
    inside,
    joined,
    list_of,
    map_of,
    optional,
    present,
    shown,
)

T303 = declare("T303", "error", "argument not known or twice")

DECIDED: Mapping[str, Type] = {"approved": BOOL, "by": list_of(STR), "note": STR}
"""The fields of what a gate gives."""


class Declarations(Protocol):
    """What inference asks about records: their fields, and how arguments become fields."""

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue of all declarations."""
        ...

    @property
    def scopes(self) -> Mapping[str, Mapping[str, Type]]:
        """The fields of the records that scopes are outside, by the names of their types."""
        ...

    def fields(self, declared: Declared) -> Mapping[str, Type]:
        """Gives the fields of a record with their types."""
        ...

    def record(
        self, inference: Inference, declared: Declared, node: Expr, env: Environment,
        arguments: Sequence[Argument],
    ) -> tuple[tuple[str, f.Node], ...]:  # fmt: skip
        """Types the fields given to a record and fills in its defaults."""
        ...


class Inference:
    """Types the expressions of one module and collects what is wrong with them."""

    def __init__(self, declarations: Declarations, module: str, text: str) -> None:
        self.declarations = declarations
        self.catalogue = declarations.catalogue
        self.module = module
        self.text = text
        self.diagnostics: list[Diagnostic] = []

    def report(self, diagnostic: Diagnostic) -> None:
        """Keeps a diagnostic."""
        self.diagnostics.append(diagnostic)

    def typed(
        self, expr: Expr, env: Environment, wanted: Type | None = None, role: Role = VALUE
    ) -> Typed:
        """Types an expression; with a type wanted, the tree's value is one of that type."""
        tree, given = self._tree(expr, env, wanted)
        text = self.text[expr.span.start : expr.span.end]
        if wanted is None:
            return Typed(tree, given, expr, text)
        moment = written(expr, present(wanted)) if env.written else None
        if moment is not None:
            return Typed(moment, wanted, expr, text)
        made = coerced(tree, given, wanted)
        if made is None:
            self.report(mismatch(self.catalogue, self.module, expr, text, given, wanted, role))
            made = tree
        return Typed(made, wanted, expr, text)

    def condition(self, expr: Expr, env: Environment, role: Role) -> Typed:
        """Types an expression that must be true or false; reports T306."""
        return self.typed(expr, env, BOOL, role)

    def _tree(self, expr: Expr, env: Environment, wanted: Type | None) -> tuple[f.Node, Type]:
        match expr:
            case TextLiteral(parts=parts) if expr.plain is None:
                return f.Text(tuple(self._part(part, env) for part in parts)), STR
            case ListLiteral():
                return self._list(expr, env, wanted)
            case MapLiteral():
                return self._map(expr, env, wanted)
            case Reference(name=name):
                return f.Name(name.text), self._value(expr, env)
            case Field():
                return self._field(expr, env)
            case Index():
                return self._index(expr, env)
            case Call():
                return self._call(expr, env)
            case Negate(operand=operand):
                return self._negated(operand, env)
            case Not(operand=operand):
                role = Role("What `not` turns round")
                return f.Unary("not", self.condition(operand, env, role).tree), BOOL
            case Arithmetic(left=left, right=right):
                return arithmetic(expr, self.typed(left, env), self.typed(right, env), self.report)
            case Comparison(left=left, right=right):
                sides = self.typed(left, env), self.typed(right, env)
                return comparison(self.catalogue, self.module, expr, *sides, self.report)
            case Logical(operator=operator, left=left, right=right):
                role = Role(f"Each side of `{operator}`")
                one = self.condition(left, env, role)
                known = env.knowing(proved(left, operator == "and"))
                return f.Logic(operator, one.tree, self.condition(right, known, role).tree), BOOL
            case Conditional():
                return self._conditional(expr, env, wanted)
            case Comprehension():
                return self._comprehension(expr, env, wanted)
            case _:
                made = constant(expr)
                return (f.Literal(None), UNKNOWN) if made is None else made

    def _part(self, part: object, env: Environment) -> f.Node:
        if not isinstance(part, Interpolation):
            return f.Literal(getattr(part, "value", ""))
        made = self.typed(part.value, env)
        if holds_secret(made.type):
            self.report(in_text(part.span, made.type))
        return made.tree

    def _list(
        self, expr: ListLiteral, env: Environment, wanted: Type | None
    ) -> tuple[f.Node, Type]:
        target = None if wanted is None else present(wanted)
        if target is not None and target.kind == "list":
            role = Role("An item of this list")
            items = [self.typed(item, env, inside(target), role) for item in expr.items]
            self._leaks(items, "a list")
            return f.ListOf(tuple(item.tree for item in items)), target
        items = [self.typed(item, env) for item in expr.items]
        leaks = self._leaks(items, "a list")
        item = UNKNOWN if leaks else self._joined(items, "The items of a list")
        return f.ListOf(self._as(items, item)), list_of(item)

    def _map(self, expr: MapLiteral, env: Environment, wanted: Type | None) -> tuple[f.Node, Type]:
        target = JSON if wanted is None else present(wanted)
        declared = self.catalogue.of_type(target)
        if declared is not None and declared.noun == "record":
            given = [Argument(e.span, e.key, e.value) for e in expr.entries]
            fields = self.declarations.record(self, declared, expr, env, given)
            return f.RecordOf(target.name, fields), target
        seen: set[str] = set()
        for entry in expr.entries:
            if entry.key.text in seen:
                self.report(T303(f"The key {spelled(entry.key)} stands twice.", entry.key.span))
            seen.add(entry.key.text)
        keys = [entry.key.text for entry in expr.entries]
        item = inside(target) if target.kind == "map" else None
        role = Role("A value of this map")
        values = [self.typed(entry.value, env, item, role) for entry in expr.entries]
        if self._leaks(values, "a map"):
            item = UNKNOWN
        item = self._joined(values, "The values of a map", JSON) if item is None else item
        trees = self._as(values, item)
        return f.MapOf(tuple(zip(keys, trees, strict=True))), map_of(item)

    def _leaks(self, parts: Sequence[Typed], what: str) -> bool:
        """Reports secrets among what is put together; true when there are any."""
        secrets = [part for part in parts if holds_secret(part.type)]
        for part in secrets:
            self.report(stored(what, part.node.span, part.type))
        return bool(secrets)

    def _joined(self, parts: Sequence[Typed], what: str, mixed: Type | None = None) -> Type:
        """Gives the one type of several values; without one that is `mixed`, or T301."""
        item, first = NEVER, parts[:1]
        for part in parts:
            both = joined(item, part.type)
            if both is None and mixed is not None and not any(map(holds_secret, (item, part.type))):
                both = mixed
            if both is None:
                pair = f"{shown(item)} and {shown(part.type)}"
                message = f"{what} have one type: {pair} do not go together."
                also = [(one.node.span, shown(one.type)) for one in first]
                self.report(T301(message, part.node.span, shown(part.type), also=also))
                return UNKNOWN
            item = both
        return item

    def _as(self, parts: Sequence[Typed], item: Type) -> tuple[f.Node, ...]:
        made = [(part.tree, coerced(part.tree, part.type, item)) for part in parts]
        return tuple(tree if better is None else better for tree, better in made)

    def _value(self, expr: Reference, env: Environment) -> Type:
        if expr.name.text == "args" and env.arguments is not None:
            message = "`args` is not one value: it holds the arguments of the call."
            self.report(T304(message, expr.span, helps=["Say which: `args.NAME`."]))
        # A name that is not known was told by `resolve`.
        return env.type_of(expr.name.text) or UNKNOWN

    def _field(self, expr: Field, env: Environment) -> tuple[f.Node, Type]:
        base, name = expr.value, expr.name
        if isinstance(base, Reference):
            if base.name.text == "args" and env.arguments is not None:
                tree = f.Field(f.Name("args"), name.text)
                known = self._known(name, env.arguments, "the call")
                return tree, env.narrowed(path_of(expr), known)
            found = self.catalogue.find(self.module, base.name.text)
            if found and isinstance(found.node, Enum) and env.type_of(base.name.text) is None:
                return self._member(found, found.node, name)
        made = self.typed(base, env)
        tree = f.Field(made.tree, name.text)
        given = present(made.type)
        if given in (JSON, UNKNOWN):
            return tree, given
        if given.kind == "map":
            # A key that is not there gives none, as with `[...]`.
            return f.Index(made.tree, f.Literal(name.text)), env.narrowed(
                path_of(expr), optional(inside(given))
            )
        declared = self.catalogue.of_type(given)
        fields = DECIDED if given == DECISION else self.declarations.scopes.get(given.name)
        if declared is not None and declared.noun == "record":
            fields = self.declarations.fields(declared)
        if fields is None:
            self.report(no_fields(given, name, base.span, made.text))
            return tree, UNKNOWN
        if given.name in self.declarations.scopes and name.text == "else":
            self.report(no_else(name, fields, made.text))
            return tree, UNKNOWN
        known = self._known(name, fields, shown(given), declared)
        if made.type.kind == "optional":
            self.report(none(base, made.text, then=f", and then it has no `.{name.text}`"))
            return tree, UNKNOWN
        return tree, env.narrowed(path_of(expr), known)

    def _known(
        self, name: Name, fields: Mapping[str, Type], of: str, declared: Declared | None = None
    ) -> Type:
        if name.text in fields:
            return fields[name.text]
        self.report(unknown_field(name, fields, of, declared))
        return UNKNOWN

    def _member(self, found: Declared, enum: Enum, name: Name) -> tuple[f.Node, Type]:
        members = {member.text: JSON for member in enum.members}
        if name.text not in members:
            self._known(name, members, f"the enum `{enum.name.text}`", found)
        return f.Literal(name.text), Type("enum", name=found.plan_name)

    def _index(self, expr: Index, env: Environment) -> tuple[f.Node, Type]:
        base = self.typed(expr.value, env)
        given = present(base.type)
        keys = {"list": INT, "map": STR}
        role = Role("A key of a map" if given.kind == "map" else "An index of a list")
        index = self.typed(expr.index, env, keys.get(given.kind), role)
        tree = f.Index(base.tree, index.tree)
        if given in (JSON, UNKNOWN):
            return tree, JSON
        if given.kind not in keys:
            self.report(T301(f"{shown(given)} has no items.", expr.value.span, shown(given)))
            return tree, UNKNOWN
        if base.type.kind == "optional":
            self.report(none(expr.value, base.text, then=", and then it has no items"))
        return tree, optional(inside(given))

    def _call(self, expr: Call, env: Environment) -> tuple[f.Node, Type]:
        name = expr.callee.text
        found = self.catalogue.find(self.module, name)
        if found is not None and found.noun == "record":
            fields = self.declarations.record(self, found, expr, env, expr.arguments)
            return f.RecordOf(found.plan_name, fields), Type("record", name=found.plan_name)
        args = [self.typed(argument.value, env) for argument in expr.arguments]
        if name not in FUNCTIONS:
            return f.Literal(None), UNKNOWN
        for argument in expr.arguments:
            if argument.name is not None:
                message = f"`{name}` takes its arguments in order, without names."
                self.report(T303(message, argument.name.span, helps=["Leave the name out."]))
        return applied(expr, args, self.report)

    def _negated(self, operand: Expr, env: Environment) -> tuple[f.Node, Type]:
        made = self.typed(operand, env)
        tree = f.Unary("-", made.tree)
        if made.type in (JSON, UNKNOWN) or made.type.kind in (*NUMBERS, "duration"):
            return tree, made.type
        if made.type.kind == "optional":
            self.report(none(operand, made.text))
        else:
            message = f"`-` turns a number or a duration round, not {shown(made.type)}."
            self.report(T301(message, operand.span, shown(made.type)))
        return tree, UNKNOWN

    def _conditional(
        self, expr: Conditional, env: Environment, wanted: Type | None
    ) -> tuple[f.Node, Type]:
        condition = self.condition(expr.condition, env, Role("The condition of an `if`"))
        then = self.typed(expr.then, env.knowing(proved(expr.condition)), wanted)
        other = self.typed(expr.otherwise, env.knowing(proved(expr.condition, False)), wanted)
        item = (
            wanted if wanted is not None else self._joined((then, other), "Both sides of an `if`")
        )
        trees = self._as((then, other), item)
        return f.Choice(condition.tree, trees[0], trees[1]), item

    def _comprehension(
        self, expr: Comprehension, env: Environment, wanted: Type | None
    ) -> tuple[f.Node, Type]:
        items = self.typed(expr.items, env)
        given = items.type
        if given.kind == "optional":
            self.report(none(expr.items, items.text))
            given = present(given)
        if given.kind != "list" and given not in (JSON, UNKNOWN):
            helps = ["Say `keys(...)` or `values(...)`."] if given.kind == "map" else ()
            message = f"Only a list can be gone through, and this is {shown(given)}."
            self.report(T301(message, expr.items.span, shown(given), helps=helps))
        item = inside(given) if given.kind == "list" else JSON
        inner = env.plus(**{expr.variable.text: item})
        condition = None
        if expr.condition is not None:
            role = Role("The condition of a comprehension")
            condition = self.condition(expr.condition, inner, role).tree
            inner = inner.knowing(proved(expr.condition))
        target = None if wanted is None else present(wanted)
        value_type = inside(target) if target is not None and target.kind == "list" else None
        value = self.typed(expr.value, inner, value_type, Role("A value of this list"))
        given = UNKNOWN if self._leaks((value,), "a list") else value.type
        tree = f.Comprehension(value.tree, expr.variable.text, items.tree, condition)
        return tree, list_of(given)
