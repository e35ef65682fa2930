"""Plans of any shape and any content, whether or not a source could say them.

They are drawn from the types of the plan's own classes: whatever a plan may hold one day is drawn
too.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from sagalang.runtime.formula import Formula, Literal, Name, Place, Type, TypeKind
from sagalang.runtime.plan import Enum, Let, Parameter, Plan, Record, Step, Tool

from .modules import NASTY

NAMES = [
    "a", "A", "b", "order", "class", "None_", "match", "type", "_", "__init__", "__name__", "print",
    "self", "str", "Plan", "Step", "step", "saga", "main", "f", "at", "get", "T", "D", "Source",
    "part", "Literal", "dataclass", "field", "Decimal", "dt", "Any", "annotations", "__file__",
]  # fmt: skip
TEXTS = [*NASTY, "", "x", "order.a", "self"]
NUMBERS = [0, 1, 2, 200, 1_000, 60_000, 90_000, 3_600_000, 90 * 86_400_000, -1, 2**70]
STORED: list[Any] = [
    None, True, False, 0, 1, -7, 1.0, -0.5, 1e300, [], {}, [1, "a"], {"$decimal": "0.10"},
    {"$decimal": "1", "b": [None]}, {"a": {"b": '"'}}, *NASTY,
]  # fmt: skip
FILES = ["", "a.saga", "lib/a.saga", "class.saga", '"\n.saga']
WRAPPERS: list[TypeKind] = ["list", "map", "optional", "secret"]
NAMED: list[TypeKind] = ["record", "enum"]
SIMPLE: list[TypeKind] = ["str", "int", "decimal", "json", "none", "list"]
UNIQUE: tuple[type, ...] = (Tool, Record, Enum, Parameter)
"""Of these a plan holds one of a name in one place."""


class Maker:
    """Makes values of the plan's types from a source of chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._tools: dict[str, Tool] = {}

    def plan(self) -> Plan:
        """A plan whose steps call its tools, for the most part."""
        tools = self._several(Tool, 3)
        self._tools = {tool.name: tool for tool in tools}
        made: Plan = self._struct(Plan, 5)
        ordered = tuple(sorted(tools, key=lambda tool: tool.name))
        return msgspec.structs.replace(made, tools=ordered)

    def _several(self, cls: type[msgspec.Struct], most: int) -> tuple[Any, ...]:
        return tuple(_by_name(self._struct(cls, 3) for _ in range(self._chance.randint(0, most))))

    def _struct(self, cls: type[msgspec.Struct], depth: int) -> Any:
        if cls is Literal:
            return Literal(self._chance.choice(STORED))
        if cls is Place:
            return self._place()
        if cls is Type:
            return self._type(self._chance.randint(0, 2))
        if cls is Enum:
            members = tuple(dict.fromkeys(self._chance.choices(NAMES, k=3)))
            return Enum(name=self._chance.choice(NAMES), members=members, at=self._place())
        made = cls(**{f.encode_name: self._value(f, depth - 1) for f in _fields(cls)})
        match made:
            case Formula(tree=Name(name=name)) if self._chance.random() < 0.5:
                # What a compiler makes: the text is the path, and has its length.
                at = msgspec.structs.replace(made.at, end=made.at.start + len(name))
                return msgspec.structs.replace(made, source=name, at=at)
            case Step() if self._tools and self._chance.random() < 0.8:
                tool = self._chance.choice(list(self._tools.values()))
                taken = {
                    name: getattr(tool, name)
                    for name in ("timeout", "settle", "retry", "verify", "undos")
                    if self._chance.random() < 0.7
                }
                return msgspec.structs.replace(made, tool=tool.name, **taken)
            case _:
                return made

    def _value(self, field: inspect.Field, depth: int) -> Any:
        names = field.encode_name in ("name", "saga", "path", "tool", "record", "function", "since")
        return self._of(field.type, depth, NAMES if names else TEXTS)

    def _of(self, kind: inspect.Type, depth: int, texts: list[str]) -> Any:
        match kind:
            case inspect.StructType(cls=cls):
                return self._struct(cls, depth)
            case inspect.UnionType(types=types):
                # Where it is deep enough, what has no parts ends it.
                ends = [t for t in types if depth > 0 or _ends(t)] or [types[0]]
                return self._of(self._chance.choice(ends), depth, texts)
            case inspect.VarTupleType(item_type=item):
                several = range(self._chance.randint(0, 2) if depth > 0 else 0)
                found = [self._of(item, depth - 1, texts) for _ in several]
                return tuple(_by_name(found) if isinstance(found and found[0], UNIQUE) else found)
            case inspect.TupleType(item_types=items):
                return tuple(self._of(item, depth, NAMES) for item in items)
            case inspect.LiteralType(values=values):
                return self._chance.choice(values)
            case inspect.StrType():
                return self._chance.choice(texts)
            case inspect.IntType():
                return self._chance.choice(NUMBERS)
            case inspect.BoolType():
                return self._chance.random() < 0.5
            case inspect.NoneType():
                return None
            case _:
                raise TypeError(kind)

    def _place(self) -> Place:
        if self._chance.random() < 0.3:
            return Place()
        line, column = self._chance.randint(0, 4), self._chance.randint(0, 9)
        start = line * 100 + column if self._chance.random() < 0.8 else self._chance.randint(0, 99)
        return Place(
            self._chance.choice(FILES), start, start + self._chance.randint(0, 9), line, column
        )

    def _type(self, depth: int) -> Type:
        if depth:
            wrapper = self._chance.choice(WRAPPERS)
            return Type(wrapper, of=self._type(depth - 1))
        if self._chance.random() < 0.4:
            named = self._chance.choice(NAMED)
            return Type(named, name=self._chance.choice([*NAMES, '"\n']))
        return Type(self._chance.choice(SIMPLE))


@cache
def _fields(cls: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    found = inspect.type_info(cls)
    assert isinstance(found, inspect.StructType)
    return found.fields


def _ends(kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.StructType):
        return kind.cls in (Literal, Name, Let)
    return not isinstance(kind, inspect.VarTupleType)


def _by_name(parts: Any) -> list[Any]:
    return list({part.name: part for part in parts}.values())


def any_plans() -> st.SearchStrategy[Plan]:
    """Any plan at all."""
    return st.integers(0, 2**32).map(lambda seed: Maker(Random(seed)).plan())
