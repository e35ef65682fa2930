"""What the compiler believes of functions and operators is what the runtime does."""

from __future__ import annotations

import re
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from sagalang.runtime.expressions import STARTED_AT, Failed, evaluate
from sagalang.runtime.formula import Apply, Binary, Literal, Node, Type, TypeKind
from sagalang.runtime.functions import FUNCTIONS as CARRIED_OUT
from sagalang.runtime.shapes import Schema, conform
from sagalang.runtime.signatures import FUNCTIONS, NUMBERS, OPERATORS, ORDERED, Row
from sagalang.runtime.values import encode

SCHEMA = Schema()

plain: dict[TypeKind, st.SearchStrategy[Any]] = {
    "str": st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.just("12"),
    "int": st.integers(-20, 20) | st.sampled_from([-(10**30), 2**80]),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "decimal": st.decimals(allow_nan=False, allow_infinity=False, min_value=-999, max_value=999),
    "bool": st.booleans(),
    "bytes": st.binary(max_size=4),
    "date": st.dates(),
    "datetime": st.datetimes(timezones=st.just(UTC)),
    "duration": st.timedeltas(),
}


def typed(pattern: str, variables: dict[str, str]) -> Type:
    """The type that a pattern of a signature stands for, its variables chosen."""
    if pattern.endswith("?"):
        return Type("optional", of=typed(pattern[:-1], variables))
    if found := re.fullmatch(r"(list|map)\[(.*)\]", pattern):
        return Type("list" if found[1] == "list" else "map", of=typed(found[2], variables))
    kind = variables.get(pattern, pattern)
    for known in plain:
        if kind == known:
            return Type(known)
    raise AssertionError(pattern)


def of(type: Type) -> st.SearchStrategy[Any]:
    match type.kind, type.of:
        case "optional", Type() as inner:
            return st.none() | of(inner)
        case "list", Type() as inner:
            return st.lists(of(inner), max_size=4)
        case "map", Type() as inner:
            return st.dictionaries(st.sampled_from("abc"), of(inner), max_size=3)
        case kind, _:
            return plain[kind]


ROWS = [
    (name, row) for table in (FUNCTIONS, OPERATORS) for name, rows in table.items() for row in rows
]


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{n}({', '.join(r.takes)})" for n, r in ROWS])
@settings(max_examples=8)
@given(data=st.data())
def test_a_signature_keeps_its_word(name: str, row: Row, data: st.DataObject) -> None:
    variables = {
        "T": data.draw(st.sampled_from(list(plain))),
        "N": data.draw(st.sampled_from(NUMBERS)),
        "O": data.draw(st.sampled_from(ORDERED)),
    }
    takes = [
        typed(pattern.removesuffix("..."), variables)
        for pattern in row.takes
        for _ in range(data.draw(st.integers(1, 3)) if pattern.endswith("...") else 1)
    ]
    gives = typed(row.gives, variables)
    values = [data.draw(of(take)) for take in takes]
    args: tuple[Node, ...] = tuple(Literal(encode(value)) for value in values)
    tree: Node = Apply(name, args)
    if name in OPERATORS:
        tree = Binary(name, *args)  # type: ignore[arg-type]
    elif name == "sum" and not values[0]:
        return  # Without items the sum is the int 0, whatever they would have been.
    names = {STARTED_AT: data.draw(plain["datetime"])}
    try:
        value = evaluate(tree, names, SCHEMA)
    except Failed:
        assert row.can_fail, "the compiler believes that this cannot fail"
    else:
        assert encode(conform(value, gives, SCHEMA)) == encode(value)


def test_every_function_has_a_signature_and_is_carried_out() -> None:
    assert set(CARRIED_OUT) | {"started_at"} == set(FUNCTIONS)
