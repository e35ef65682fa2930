"""What the compiler calls total has a value, whatever its names stand for."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from sagalang.compiler.proving.partial import reasons
from sagalang.runtime.expressions import Failed, evaluate
from sagalang.runtime.formula import (
    Apply,
    Binary,
    Choice,
    Compare,
    Comprehension,
    Index,
    ListOf,
    Literal,
    Name,
    Node,
    Text,
    Type,
    Unary,
)
from sagalang.runtime.shapes import Schema

INT, DECIMAL, STR, BOOL = Type("int"), Type("decimal"), Type("str"), Type("bool")
INTS, STRS = Type("list", INT), Type("list", STR)
TYPES = {
    "int": INT, "decimal": DECIMAL, "str": STR, "bool": BOOL, "float": Type("float"),
    "duration": Type("duration"), "ints": INTS, "strs": STRS, "any": Type("json"),
}  # fmt: skip
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-3, 3),
    "decimal": st.decimals(-3, 3, places=1),
    "str": st.sampled_from(("", "x", "12", " 1 ")),
    "bool": st.booleans(),
    "float": st.floats(),
    "duration": st.builds(timedelta, seconds=st.integers(-2, 2)),
    "ints": st.lists(st.integers(-2, 2), max_size=2),
    "strs": st.lists(st.sampled_from(("", "a")), max_size=2),
    "any": st.none() | st.integers(0, 1) | st.just("x") | st.just({"a": 1}) | st.just([1]),
}
NUMBERS = ("int", "decimal", "float")


def named(kind: str) -> st.SearchStrategy[Node]:
    return st.builds(Name, st.just(kind))


def applied(function: str, *parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.builds(Apply, st.just(function), st.tuples(*parts))


def literal(kind: str) -> st.SearchStrategy[Node]:
    wire: dict[str, st.SearchStrategy[Any]] = {
        "int": st.integers(-1, 2),
        "decimal": st.sampled_from(({"$decimal": "0.0"}, {"$decimal": "1.5"})),
        "str": st.sampled_from(("", ",")),
        "bool": st.booleans(),
        "float": st.sampled_from((0.0, 2.5)),
        "duration": st.sampled_from(({"$duration": 0}, {"$duration": 10})),
    }
    return st.builds(Literal, wire[kind]) if kind in wire else named(kind)


@cache
def trees(kind: str, depth: int) -> st.SearchStrategy[Node]:
    """Expressions of one kind; each may have a value or not."""
    leaf = named(kind) | literal(kind)
    if not depth:
        return leaf

    def inner(other: str) -> st.SearchStrategy[Node]:
        return trees(other, depth - 1)

    def binary(*operators: str) -> st.SearchStrategy[Node]:
        return st.builds(Binary, st.sampled_from(operators), inner(kind), inner(kind))

    choice = st.builds(Choice, inner("bool"), inner(kind), inner(kind))
    found: list[st.SearchStrategy[Node]] = [leaf, choice]
    match kind:
        case "int":
            found += [
                binary("+", "-", "*", "//", "%"),
                applied("len", inner("strs")),
                applied("int", inner("str")),
                applied("int", inner("float")),
                applied("int", inner("decimal")),
                applied("round", inner("float")),
                applied("max", inner("int"), inner("int")),
                applied("sum", inner("ints")),
                st.builds(Unary, st.just("-"), inner("int")),
            ]
        case "decimal":
            found += [
                binary("+", "-", "*", "/", "//", "%"),
                st.builds(Binary, st.just("/"), inner("int"), inner("int")),
                st.builds(Binary, st.just("/"), inner("duration"), inner("duration")),
                applied("decimal", inner("int")),
                applied("decimal", inner("float")),
                applied("decimal", inner("str")),
            ]
        case "float":
            found += [binary("/", "//", "%"), applied("float", inner("str"))]
        case "duration":
            found.append(binary("+", "-"))
        case "bool":
            orders = st.sampled_from(("<", "<=", ">", ">="))
            equal = st.sampled_from(("==", "!="))
            for other in (*NUMBERS, "str", "duration"):
                found.append(st.builds(Compare, orders, inner(other), inner(other)))
            for other in ("any", "ints", "bool"):
                found.append(st.builds(Compare, equal, inner(other), inner(other)))
            found.append(st.builds(Compare, st.just("in"), inner("str"), inner("strs")))
            found.append(st.builds(Compare, st.just("in"), inner("str"), named("any")))
        case "str":
            found += [
                applied("join", inner("strs"), inner("str")),
                applied("str", inner("any")),
                st.builds(Text, st.tuples(inner("int"), inner("str"))),
            ]
        case "ints":
            item = st.just("item")
            value = st.just(Binary("//", Literal(1), Name("item"))) | st.just(Name("item"))
            found += [
                st.builds(Comprehension, value, item, inner("ints"), st.none()),
                applied("sorted", inner("ints")),
                applied("unique", inner("ints")),
                st.builds(ListOf, st.tuples(inner("int"), inner("int"))),
            ]
        case "strs":
            found += [
                applied("split", inner("str"), inner("str")),
                st.builds(ListOf, st.tuples(inner("str"))),
            ]
        case _:
            found.append(st.builds(Index, named("any"), inner("int")))
    return st.one_of(found)


def check(tree: Node, names: dict[str, Any]) -> None:
    if next(reasons(tree, TYPES, {}), None) is None:
        try:
            evaluate(tree, names, Schema({}, {}))
        except Failed as failed:
            pytest.fail(f"{tree} was called total, and failed: {failed}")


ANY_TREE = st.one_of([trees(kind, 2) for kind in sorted(TYPES)])


@settings(max_examples=150)
@given(ANY_TREE, st.fixed_dictionaries(VALUES))
def test_what_is_total_has_a_value(tree: Node, names: dict[str, Any]) -> None:
    check(tree, names)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(ANY_TREE, st.fixed_dictionaries(VALUES))
def test_what_is_total_has_a_value_in_thousands_of_cases(tree: Node, names: dict[str, Any]) -> None:
    check(tree, names)


TOTAL = {
    "a sum": Binary("+", Name("int"), Literal(1)),
    "a division by what is not zero": Binary("/", Name("int"), Literal(100)),
    "a negative divisor": Binary("//", Name("int"), Unary("-", Literal(2))),
    "an int where a decimal is wanted": Apply("decimal", (Name("int"),)),
    "the greatest of a list of ints": Apply("max", (Name("ints"),)),
    "splitting at a comma": Apply("split", (Name("str"), Literal(","))),
    "the text of anything": Apply("str", (Name("any"),)),
    "chunks of three": Apply("chunks", (Name("ints"), Literal(3))),
}
PARTIAL = {
    "a division": (Binary("/", Name("int"), Name("int")), "division by zero"),
    "a division by zero": (Binary("%", Name("int"), Literal(0)), "division by zero"),
    "a conversion": (Apply("int", (Name("str"),)), "a conversion with `int()`"),
    "an order of floats": (Compare("<", Name("float"), Name("float")), "values without an order"),
    "chunks of any size": (Apply("chunks", (Name("ints"), Name("int"))), "chunks of no size"),
    "a field of anything": (Index(Name("any"), Literal("a")), "what it reads has no declared type"),
}


@pytest.mark.parametrize("tree", TOTAL.values(), ids=TOTAL)
def test_total(tree: Node) -> None:
    assert list(reasons(tree, TYPES, {})) == []


@pytest.mark.parametrize(("tree", "reason"), PARTIAL.values(), ids=PARTIAL)
def test_partial(tree: Node, reason: str) -> None:
    assert list(reasons(tree, TYPES, {})) == [reason]
