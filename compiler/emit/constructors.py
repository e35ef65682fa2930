"""Plans as Python: the constructors that give back exactly the plan, written for people.

Whatever has its default is left out, as in the plan's JSON. An expression shows its own text and
place first; its tree follows where it is more than a dotted path. What a step takes over from its
tool is not said again. All else is written by one general rule, so that a plan with new kinds of
parts needs no change here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, cast, get_args

import msgspec
from msgspec import Struct

from ...runtime.formula import Field, Formula, Literal, Name, Node, Place, Tree, Type, TypeKind
from ...runtime.plan import (
    Argument,
    Each,
    First,
    Node as Statement,
    Part,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Tool,
)
from .code import Document, Group, Named, Words, call, number, quote, several
from .places import Places

UNITS = (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1_000))
TIMES = frozenset([
    "consistent_after", "deadline", "every", "high", "lifetime", "low", "settle", "timeout",
    "within",
])  # fmt: skip
"""Fields that hold milliseconds."""
INHERITED = ("timeout", "settle", "retry", "verify", "undos")
"""What a step takes over from its tool unless its block replaces it."""
FIRST = ("path", "kind", "saga", "name", "doc")
LAST = ("body", "otherwise", "on_rollback", "tools", "records", "enums", "at")
BODIES = {"body": "", "otherwise": "_else", "on_rollback": "_on_rollback"}
"""Fields that hold bodies, and what is added to the name of a statement for each."""
SHORT = 40
"""Texts up to this length stay in one piece."""
KINDS: frozenset[str] = frozenset(get_args(TypeKind))

Items = list[tuple[str, Document]]


class Constructors:
    """Writes parts of plans as documents.

    `word` gives the module's spelling of a name of `sagalang.runtime.module`; `forms` are, by file,
    the module's functions for an expression and for a place; `tools` are, by name in the plan, the
    tools and the module's names of them.
    """

    def __init__(
        self,
        word: Callable[[str], str],
        places: Places,
        forms: Mapping[str, tuple[str, str]],
        tools: Mapping[str, tuple[Tool, str]],
    ) -> None:
        self._word = word
        self._places = places
        self._forms = forms
        self._tools = tools
        self._depth = 0

    def write(self, value: object) -> Document:
        """Gives the document of any part of a plan."""
        match value:
            case Formula():
                return self._formula(value)
            case Place():
                return self._place(value)
            case Type():
                return self._type(value)
            case Argument(name=name, value=given, at=at, doc=""):
                parts = [quote(name), self.write(given)]
                if at != given.at:
                    parts.append(self.write(at))
                return call(self._word("arg"), [("", part) for part in parts])
            case Field() if (path := dotted(value)) is not None:
                return call(self._word("get"), [("", quote(path))])
            case Literal(value={"$decimal": str(digits), **rest}) if not rest:
                return call(self._word("D"), [("", quote(digits))])
            case Literal(value=stored):
                return call(self._word("Literal"), [("", plain(stored))])
            case Step(tool=name) if name in self._tools:
                return self._step(value, *self._tools[name])
            case Each() | First() | Repeat() | Scope() | SagaCall():
                return self._with_bodies(value)
            case Tree():
                parts = [getattr(value, name) for name in value.__struct_fields__]
                return call(self._word(type(value).__name__), [("", self.write(p)) for p in parts])
            case Struct():
                return self.construct(type(value).__name__, self.fields(value))
            case tuple():
                return several(map(self.write, cast(tuple[object, ...], value)))
            case str():
                return text(value)
            case None | bool():
                return repr(value)
            case int():
                return number(value)
            case _:
                raise TypeError(f"a plan holds no {type(value).__name__}")

    def construct(self, function: str, items: Items) -> Group:
        """Gives the document of a call of one of the runtime's names with keyword arguments."""
        return call(self._word(function), [(f"{name}=", item) for name, item in items])

    def fields(self, value: Struct, without: Collection[str] = ()) -> Items:
        """Gives the keyword arguments of a part: those that differ from their defaults."""
        return [
            (name, self.field(name, held))
            for name, default in order(type(value))
            if name not in without and (held := getattr(value, name)) != default
        ]

    def _step(self, step: Step, tool: Tool, variable: str) -> Group:
        same = [name for name in INHERITED if getattr(step, name) == getattr(tool, name)]
        items = [
            (name, self.field(name, held))
            for name, default in order(Step)
            if name != "tool" and name not in same
            if (held := getattr(step, name)) != default or name in INHERITED
        ]
        prefixed = [(f"{name}=", item) for name, item in items]
        return call(self._word("step"), [("", variable), *prefixed])

    def _with_bodies(self, statement: Each | First | Repeat | Scope | SagaCall) -> Group:
        """Writes a statement around others; bodies inside of bodies get names of their own."""
        self._depth += 1
        deep = self._depth > 1
        items = [
            (name, self._body(statement, name, item) if deep and name in BODIES else item)
            for name, item in self.fields(statement)
        ]
        self._depth -= 1
        return self.construct(type(statement).__name__, items)

    def _body(self, statement: Statement, name: str, document: Document) -> Document:
        path = re.sub(r"\W+", "_", statement.path.replace("[*]", ""))
        return Named(path + BODIES[name], document)

    def field(self, name: str, value: Any) -> Document:
        """Gives the document of a field; times are written in the largest unit that fits."""
        if name not in TIMES or not isinstance(value, int):
            return self.write(value)
        for unit, size in UNITS:
            if value == size:
                return self._word(unit)
            if value and value % size == 0:
                return f"{number(value // size)} * {self._word(unit)}"
        return number(value)

    def _formula(self, formula: Formula) -> Document:
        at, source = formula.at, formula.source
        spot = self._places.spot(at)
        if spot is None or at.end - at.start != len(source):
            names = ("source", "at", "type", "tree")
            return self.construct("Formula", [(n, self.write(getattr(formula, n))) for n in names])
        kind = shown(formula.type)
        items: list[Document] = [text(source), quote(spot)]
        items.append(self.write(formula.type) if kind is None else quote(kind))
        if dotted(formula.tree) != source:
            items.append(self.write(formula.tree))
        return call(self._forms[at.file][0], [("", item) for item in items])

    def _place(self, place: Place) -> Document:
        spot = self._places.spot(place)
        if spot is None:
            numbers = (place.file, place.start, place.end, place.line, place.column)
            return call(self._word("Place"), [("", self.write(held)) for held in numbers])
        return call(self._forms[place.file][1], [("", quote(f"{spot}+{place.end - place.start}"))])

    def _type(self, kind: Type) -> Document:
        spelled = shown(kind)
        if spelled is None:
            return self.construct("Type", self.fields(kind))
        return call(self._word("T"), [("", quote(spelled))])


@cache
def order(part: type[Struct]) -> tuple[tuple[str, object], ...]:
    """Gives the fields of a class of the plan, with defaults, in the order people read them."""
    fields = {field.name: field.default for field in msgspec.structs.fields(part)}
    first = [name for name in FIRST if name in fields]
    last = [name for name in LAST if name in fields] if issubclass(part, Part) else []
    middle = [name for name in fields if name not in (*first, *last)]
    return tuple((name, fields[name]) for name in (*first, *middle, *last))


def dotted(tree: Node) -> str | None:
    """Gives the path that a tree spells (`order.total`), or None when it is anything else."""
    parts: list[str] = []
    while isinstance(tree, Field):
        parts.append(tree.name)
        tree = tree.of
    if not isinstance(tree, Name):
        return None
    parts.append(tree.name)
    return ".".join(reversed(parts)) if all(map(_word, parts)) else None


def shown(kind: Type) -> str | None:
    """Gives the text of a type as modules spell it: enums are marked; None when it has none."""
    match kind:
        case Type(kind="optional", of=Type() as of):
            return None if (inner := shown(of)) is None else f"{inner}?"
        case Type(kind="list" | "map" | "secret" as of_kind, of=Type() as of):
            return None if (inner := shown(of)) is None else f"{of_kind}[{inner}]"
        case Type(kind="record" | "enum" as named, of=None, name=name):
            # A record may have the name of a type; only its kind tells them apart then.
            if not _word(name) or name in KINDS:
                return None
            return name if named == "record" else f"enum {name}"
        case Type(kind=simple, of=None, name=""):
            return simple
        case _:
            return None


def plain(stored: Any) -> Document:
    """Gives the document of a stored value: what JSON can hold."""
    match stored:
        case str():
            return text(stored)
        case dict():
            held = cast(dict[str, Any], stored)
            pairs = [(f"{quote(key)}: ", plain(value)) for key, value in held.items()]
            return Group("{", pairs, "}")
        case list():
            items = cast("list[object]", stored)
            return Group("[", [("", plain(item)) for item in items], "]")
        case bool() | None | float():
            return repr(stored)
        case int():
            return number(stored)
        case _:
            raise TypeError(f"a stored value holds no {type(stored).__name__}")


def text(value: str) -> Document:
    """Gives the document of a text, which may be broken when it is long."""
    return Words(value) if len(value) > SHORT else quote(value)


def _word(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) is not None
