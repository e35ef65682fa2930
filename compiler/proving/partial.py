"""Which expressions can fail, and why: division by zero, a conversion, values without an order.

Everything else is total. Numbers, texts and lists that outgrow their bounds are left out: sums and
products of what services send do not come near them, and a rule that suspected each `+` would
teach people to look away. What an expression gives, `runtime.expressions` says; a property test
holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...runtime.formula import (
    Apply,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Field,
    Index,
    ListOf,
    Literal,
    Logic,
    MapOf,
    Name,
    Node,
    RecordOf,
    Text,
    Type,
    Unary,
    children,
)
from ...runtime.plan import Record

Types = Mapping[str, Type]

_STR, _INT, _FLOAT, _DECIMAL = Type("str"), Type("int"), Type("float"), Type("decimal")
_BOOL, _JSON = Type("bool"), Type("json")
_GIVES: Mapping[str, Type] = {
    "len": _INT,
    "int": _INT,
    "decimal": _DECIMAL,
    "float": _FLOAT,
    "str": _STR,
    "lower": _STR,
    "upper": _STR,
    "trim": _STR,
    "join": _STR,
    "split": Type("list", _STR),
    "keys": Type("list", _STR),
    "any": _BOOL,
    "all": _BOOL,
    "range": Type("list", _INT),
    "started_at": Type("datetime"),
}
_EXACT = frozenset(("int", "decimal"))
_ORDERED = _EXACT | {"str", "date", "duration"}
"""What compares whatever its value is. Floats may be no number, times may lack a zone."""


UNTYPED = "what it reads has no declared type"
"""The reason that only a declared type takes away."""


def reasons(tree: Node, names: Types, records: Mapping[str, Record]) -> Iterator[str]:
    """Gives each reason why an expression may have no value, in words; none when it is total."""
    inner = names
    rest: tuple[Node, ...]
    if isinstance(tree, Comprehension):
        yield from reasons(tree.of, names, records)
        inner = {**names, tree.name: _item(kind(tree.of, names, records))}
        rest = (tree.value,) if tree.condition is None else (tree.value, tree.condition)
    else:
        rest = children(tree)
    for child in rest:
        yield from reasons(child, inner, records)
    if any(kind(part, names, records).kind == "json" for part in _typed(tree)):
        yield UNTYPED
        return
    match tree:
        case Binary(operator="/" | "//" | "%", right=right) if not _nonzero(right):
            yield "division by zero"
        case Binary(operator="+" | "-", left=left, right=right):
            both = {kind(left, names, records).kind, kind(right, names, records).kind}
            if "datetime" in both or both == {"date", "duration"}:
                yield "times that do not fit together"
        case Compare(operator="<" | "<=" | ">" | ">=", left=left, right=right):
            for side in (left, right):
                if kind(side, names, records).kind not in _ORDERED:
                    yield "values without an order"
                    break
        case Apply(function=function, args=args):
            yield from _applied(function, args, [kind(arg, names, records) for arg in args])
        case _:
            pass


def _typed(tree: Node) -> tuple[Node, ...]:
    """Gives the parts of a node that must be of some type for it to have a value."""
    match tree:
        case Field(of=Name(name="args")):
            return ()
        case Compare(operator="==" | "!="):
            return ()
        case Compare(operator="in" | "not in", right=right):
            return (right,)
        case Choice(condition=condition):
            return (condition,)
        case Comprehension(of=of):
            return (of,)
        case Apply(function="str" | "default"):
            return ()
        case Field() | Index() | Unary() | Binary() | Compare() | Logic() | Apply():
            return children(tree)
        case _:
            return ()


def _applied(function: str, args: tuple[Node, ...], types: list[Type]) -> Iterator[str]:
    match function:
        case "int" | "decimal" if types[0].kind not in _EXACT:
            yield f"a conversion with `{function}()`"
        case "float" if types[0].kind not in _EXACT | {"float"}:
            yield "a conversion with `float()`"
        case "round" if types[0].kind not in _EXACT:
            yield "rounding what is not finite"
        case "sum" if _item(types[0]).kind not in _EXACT | {"float"}:
            yield "a sum of what are not numbers"
        case "sorted":
            if _item(types[0]).kind not in _ORDERED:
                yield "values without an order"
        case "min" | "max":
            items = [_item(types[0])] if len(types) == 1 else types
            if any(each.kind not in _ORDERED for each in items):
                yield "values without an order"
        case "split" if not all(map(_truthy, args[1:])):
            yield "splitting at nothing"
        case "chunks" if not all(map(_positive, args[1:])):
            yield "chunks of no size"
        case _:
            pass


def kind(tree: Node, names: Types, records: Mapping[str, Record]) -> Type:
    """Gives the type of a part of an expression, without `?`; `json` when it is not known."""
    return _present(_kind(tree, names, records))


def _kind(tree: Node, names: Types, records: Mapping[str, Record]) -> Type:
    match tree:
        case Literal(value=value):
            return _literal(value)
        case Name(name=name):
            return names.get(name, _JSON)
        case Field(of=Name(name="args"), name=name) if "args" not in names:
            return names.get(f"args.{name}", _JSON)
        case Field(of=of, name=name):
            outer = kind(of, names, records)
            if outer.kind == "map":
                return _item(outer)
            record = records.get(outer.name)
            fields = record.fields if record is not None else ()
            return next((each.type for each in fields if each.name == name), _JSON)
        case Index(of=of):
            return _item(kind(of, names, records))
        case Unary(operator="-", of=of):
            return kind(of, names, records)
        case Unary() | Compare() | Logic():
            return _BOOL
        case Binary(operator=operator, left=left, right=right):
            return _computed(operator, kind(left, names, records), kind(right, names, records))
        case Choice(then=then, otherwise=otherwise):
            one, two = kind(then, names, records), kind(otherwise, names, records)
            return two if one.kind == "none" else one if two.kind in ("none", one.kind) else _JSON
        case ListOf(items=items):
            found = {kind(item, names, records) for item in items}
            return Type("list", found.pop() if len(found) == 1 else _JSON)
        case MapOf():
            return Type("map", _JSON)
        case RecordOf(record=record):
            return Type("record", name=record)
        case Comprehension(value=value, name=name, of=of):
            inner = {**names, name: _item(kind(of, names, records))}
            return Type("list", kind(value, inner, records))
        case Text():
            return _STR
        case Apply(function=function, args=args):
            return _given(function, [kind(arg, names, records) for arg in args])


def _given(function: str, types: list[Type]) -> Type:
    if function in _GIVES:
        return _GIVES[function]
    match function:
        case "sum":
            return _item(types[0])
        case "min" | "max":
            return _item(types[0]) if len(types) == 1 else types[0]
        case "round":
            return types[0] if len(types) > 1 else _INT
        case "values":
            return Type("list", _item(types[0]))
        case "chunks":
            return Type("list", types[0])
        case _:
            return types[0]


def _computed(operator: str, left: Type, right: Type) -> Type:
    kinds = {left.kind, right.kind}
    if "json" in kinds:
        return _JSON
    if "float" in kinds:
        return _FLOAT
    if "decimal" in kinds or (operator == "/" and kinds <= {"int", "duration"}):
        return _DECIMAL
    if kinds in ({"datetime"}, {"date"}):
        return Type("duration")
    for moment in ("datetime", "date"):
        if moment in kinds:
            return right if right.kind == moment else left
    if kinds == {"duration"} and operator == "//":
        return _INT
    return right if right.kind == "duration" else left


def _literal(value: Any) -> Type:
    match value:
        case bool():
            return _BOOL
        case int():
            return _INT
        case float():
            return _FLOAT
        case str():
            return _STR
        case None:
            return Type("none")
        case {"$int": _}:
            return _INT
        case {"$decimal": _}:
            return _DECIMAL
        case {"$duration": _}:
            return Type("duration")
        case _:
            return _JSON


def _nonzero(tree: Node) -> bool:
    match tree:
        case Literal(value=bool() | None):
            return False
        case Literal(value=int() | float() as value):
            return value != 0
        case Literal(value={"$decimal": str(digits)}):
            return any(digit in "123456789" for digit in digits)
        case Literal(value={"$duration": int(length)}):
            return length != 0
        case Unary(operator="-", of=of) | Apply(function="decimal" | "float", args=(of,)):
            return _nonzero(of)
        case _:
            return False


def _truthy(tree: Node) -> bool:
    return isinstance(tree, Literal) and bool(tree.value)


def _positive(tree: Node) -> bool:
    return isinstance(tree, Literal) and isinstance(tree.value, int) and tree.value > 0


def _item(given: Type) -> Type:
    return _present(given.of) if given.of is not None and given.kind in ("list", "map") else _JSON


def _present(given: Type) -> Type:
    return given.of if given.kind == "optional" and given.of is not None else given
