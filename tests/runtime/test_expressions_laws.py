"""Laws of all expressions: total, without effect, and the same when bound in several goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, get_args, get_type_hints
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings, strategies as st

from sagalang.runtime.binding import needs
from sagalang.runtime.expressions import STARTED_AT, Failed, bind, evaluate
from sagalang.runtime.formula import (
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
)
from sagalang.runtime.shapes import Schema, Shape
from sagalang.runtime.signatures import FUNCTIONS as SIGNATURES
from sagalang.runtime.values import Record, Secret, digest, encode

SCHEMA = Schema(
    {
        "Item": {
            "sku": Shape(Type("str")),
            "qty": Shape(Type("int"), True, 1),
            "price": Shape(Type("decimal"), True, {"$decimal": "0"}),
        }
    }
)
HOUR = timedelta(hours=1)
BERLIN = ZoneInfo("Europe/Berlin")


def lit(value: object) -> Literal:
    return Literal(encode(value))


def D(text: str) -> Decimal:
    return Decimal(text)


plain: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from([0.0, 0.5, float("nan"), float("inf"), D("0.10"), D("-2"), D("9E6000")])
    | st.sampled_from(["", "a", "b c", "12", "sku", "{x}"])
    | st.sampled_from([HOUR, date(2026, 1, 31), datetime.max, datetime(2026, 1, 1, tzinfo=UTC)])
    | st.sampled_from([b"x", Secret("env:KEY")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "sku", "$int"]), inner, max_size=2)
        | inner.map(lambda value: Record("Item", {"sku": value}))
    ),
    max_leaves=4,
)
NAMES = ("a", "b", "x", "result", STARTED_AT)
environments = st.fixed_dictionaries(dict.fromkeys(NAMES, plain))
FUNCTIONS = sorted(
    name for name, rows in SIGNATURES.items() if any(len(r.takes) == 1 for r in rows)
)


def operators(of: type[Any]) -> tuple[Any, ...]:
    return get_args(get_type_hints(of)["operator"])


def item(sku: Node) -> Node:
    return RecordOf("Item", (("sku", sku),))


def apply(function: str, *args: Node) -> Node:
    return Apply(function, args)


def branches(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    two = st.lists(inner, max_size=2).map(tuple)
    loop = st.sampled_from(["x", "y"])
    return st.one_of(
        st.builds(Field, inner, st.sampled_from(["a", "sku"])),
        st.builds(Index, inner, inner),
        st.builds(Unary, st.sampled_from(operators(Unary)), inner),
        st.builds(Binary, st.sampled_from(operators(Binary)), inner, inner),
        st.builds(Compare, st.sampled_from(operators(Compare)), inner, inner),
        st.builds(Logic, st.sampled_from(operators(Logic)), inner, inner),
        st.builds(Choice, inner, inner, inner),
        st.builds(ListOf, two),
        st.builds(MapOf, st.lists(st.tuples(st.sampled_from("ab"), inner), max_size=2).map(tuple)),
        st.builds(item, inner),
        st.builds(Comprehension, inner, loop, inner, st.none() | inner),
        st.builds(apply, st.sampled_from(FUNCTIONS), inner),
        st.builds(
            apply,
            st.sampled_from(["round", "split", "join", "default", "range", "chunks", "max"]),
            inner,
            inner,
        ),
        st.builds(Text, two),
    )


trees = st.recursive(
    st.builds(lit, plain)
    | st.sampled_from([Name(name) for name in ("a", "b", "x", "y", "result")])
    | st.just(Apply("started_at", ())),
    branches,
    max_leaves=12,
)


def outcome(compute: Callable[[], Any]) -> str:
    """What comes of an evaluation: the digest of its value, or that it failed."""
    try:
        value = compute()
    except Failed as failed:
        assert str(failed)
        return "failed"
    return digest(encode(value))


@settings(max_examples=40)
@given(trees, environments)
def test_an_expression_has_a_value_or_fails_and_never_does_anything_else(
    tree: Node, names: dict[str, Any]
) -> None:
    before = digest(encode(names))
    outcome(lambda: evaluate(tree, names, SCHEMA))
    assert digest(encode(names)) == before


@settings(max_examples=40)
@given(trees, environments, st.sets(st.sampled_from(NAMES)))
@example(
    Logic("and", Name("result"), Binary("/", lit(1), lit(0))),
    {"result": False, "a": 1, "b": 2, "x": 3, STARTED_AT: None},
    {"a", "b", "x"},
)
def test_binding_what_is_known_changes_no_outcome(
    tree: Node, names: dict[str, Any], known: set[str]
) -> None:
    """Even in several goes: intent first, outcome later."""
    whole = outcome(lambda: evaluate(tree, names, SCHEMA))

    def in_two_goes() -> Any:
        bound = bind(tree, {name: names[name] for name in known}, SCHEMA)
        assert not needs(bound) & known
        return evaluate(bound, {name: names[name] for name in names.keys() - known}, SCHEMA)

    assert outcome(in_two_goes) == whole


@settings(max_examples=40)
@given(trees, environments)
def test_binding_everything_leaves_a_literal_or_fails(tree: Node, names: dict[str, Any]) -> None:
    everything = {**names, "y": 1}
    whole = outcome(lambda: evaluate(tree, everything, SCHEMA))
    try:
        bound = bind(tree, everything, SCHEMA)
    except Failed:
        assert whole == "failed"
    else:
        assert isinstance(bound, Literal)
        assert digest(bound.value) == whole


def test_an_undo_is_bound_before_its_result_is_known() -> None:
    undo = RecordOf("Item", (("sku", Field(Name("result"), "id")), ("qty", Name("n"))))
    intent = bind(undo, {"n": 3}, SCHEMA)
    assert intent == RecordOf("Item", (("sku", Field(Name("result"), "id")), ("qty", Literal(3))))
    outcome = bind(intent, {"result": {"id": "r-1"}}, SCHEMA)
    assert outcome == lit(Record("Item", {"sku": "r-1", "qty": 3, "price": Decimal(0)}))


def test_what_may_never_be_needed_does_not_fail_an_undo() -> None:
    division = Binary("/", Name("n"), Name("zero"))
    tree = Choice(Field(Name("result"), "ok"), division, lit(0))
    bound = bind(tree, {"n": 1, "zero": 0}, SCHEMA)
    assert evaluate(bound, {"result": {"ok": False}}, SCHEMA) == 0
    with pytest.raises(Failed, match="division by zero: 1 / 0"):
        bind(ListOf((Name("result"), division)), {"n": 1, "zero": 0}, SCHEMA)
