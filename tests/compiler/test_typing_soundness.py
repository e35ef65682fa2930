"""The law of typing: what a well-typed expression gives is a value of its type, or a told failure.

Expressions are put together at random; those that the compiler accepts are evaluated by the
evaluator of the runtime, and their values are held against the types that the compiler gave. (What
comes out of a `json` is left out: it is checked where it is passed on, not before.)
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.runtime.expressions import STARTED_AT, Failed, evaluate
from sagalang.runtime.plan import Let
from sagalang.runtime.shapes import Mismatch, Schema, conform
from sagalang.runtime.values import Record

from .programs import compiled

HEAD = """edition 2026
enum Speed { slow, fast }
record Item { sku: str, qty: int = 1, price: decimal? = none }
saga s(
  i: int, j: int?, f: float, d: decimal, e: decimal?, b: bool, t: str, u: str?,
  xs: list[int], ys: list[str?], ds: list[decimal], its: list[Item], m: map[int], k: Item?,
  it1: Item, sp: Speed, day: date, at: datetime, len1: duration
) {
"""

VALUES: dict[str, list[Any]] = {
    "i": [0, 3, -7],
    "j": [None, 5],
    "f": [0.5, -2.0],
    "d": [Decimal("1.50"), Decimal(0)],
    "e": [None, Decimal("2.25")],
    "b": [True, False],
    "t": ["", "a", "12", "slow"],
    "u": [None, "x,y"],
    "xs": [[], [1, 2, 2]],
    "ys": [[], ["a", None]],
    "ds": [[], [Decimal("0.1"), Decimal(3)]],
    "its": [[], [Record("Item", {"sku": "a", "qty": 2, "price": None})]],
    "m": [{}, {"a": 1, "b": 2}],
    "k": [None, Record("Item", {"sku": "k", "qty": 1, "price": Decimal(4)})],
    "it1": [Record("Item", {"sku": "i", "qty": 3, "price": Decimal("9.99")})],
    "sp": ["slow", "fast"],
    "day": [date(2026, 2, 28)],
    "at": [datetime(2026, 2, 28, 12, tzinfo=UTC)],
    "len1": [timedelta(seconds=90), timedelta(days=1)],
}

START = datetime(2026, 1, 1, tzinfo=UTC)

CONSTANTS = [
    "1", "0", "2.5", '"a"', '"{i}-{t}"', "true", "none", "5s", "1d", "Speed.slow", "[]", "{}",
    "{ a: 1 }", '{ sku: "n" }', "[1, 2.5]", "[none, 1]", 'Item(sku: t, price: i)', "started_at()",
]  # fmt: skip
SHAPES = [
    "({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({0} // {1})", "({0} % {1})",
    "-({0})", "not ({0})", "({0} == {1})", "({0} != {1})", "({0} < {1})", "({0} >= {1})",
    "({0} in {1})", "({0} not in {1})", "({0} and {1})", "({0} or {1})",
    "(if {0} then {1} else {2})", "(if {0} != none then {0} else {1})",
    "(if {0} == none then {1} else {0})", "({0} != none and {0} > {1})",
    "[{0}, {1}]", "{{ a: {0}, b: {1} }}", "[z for z in {0}]", "[z for z in {0} if z != none]",
    "[{1} for z in {0} if z == {2}]", "({0})[{1}]", "({0})[0]", "({0}).sku", "({0}).price",
    "({0}).a", 'Item(sku: "q", qty: {0})', "Item(sku: {0}, price: {1})",
    "len({0})", "sum({0})", "min({0})", "max({0}, {1})", "min({0}, {1}, {2})", "round({0})",
    "round({0}, 1)", "abs({0})", "str({0})", "int({0})", "decimal({0})", "float({0})",
    "lower({0})", "split({0}, \",\")", "join({0}, \"-\")", "keys({0})", "values({0})",
    "any([{0}, {1}])", "default({0}, {1})", "unique({0})", "sorted({0})", "range({0})",
    "chunks({0}, 2)",
]  # fmt: skip


def grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Puts expressions into one of the shapes."""
    return st.tuples(st.sampled_from(SHAPES), parts, parts, parts).map(
        lambda made: made[0].format(*made[1:])
    )


expressions = st.recursive(st.sampled_from([*VALUES, *CONSTANTS]), grown, max_leaves=6)


def lets(texts: list[str]) -> str:
    """A saga that names the value of each expression, one a line."""
    body = "\n".join(f"  let value{n} = {text}" for n, text in enumerate(texts))
    return f"{HEAD}{body}\n}}"


def accepted(texts: list[str]) -> list[str]:
    """The expressions that the compiler finds nothing wrong with."""
    made = compiled(lets(texts))
    errors = [d.primary for d in made.diagnostics if d.severity == "error"]
    wrong = {made.sources[at.source].position(at.start).line for at in errors}
    first = HEAD.count("\n") + 1
    return [text for n, text in enumerate(texts) if first + n not in wrong]


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(expressions, min_size=30, max_size=30), st.data())
def test_what_is_well_typed_gives_a_value_of_its_type(
    texts: list[str], data: st.DataObject
) -> None:
    plan = compiled(lets(accepted(texts))).plans["s"]
    names = {name: data.draw(st.sampled_from(values)) for name, values in VALUES.items()}
    schema = Schema.of(plan)
    for let in plan.body:
        assert isinstance(let, Let)
        try:
            value = evaluate(let.value.tree, {**names, STARTED_AT: START}, schema)
        except Failed:
            continue
        try:
            conform(value, let.value.type, schema)
        except Mismatch as fault:
            raise AssertionError(f"{let.value.source} is {let.value.type}: {fault}") from fault
