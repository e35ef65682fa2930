"""Expressions have one meaning everywhere: a value, or a failure in a sentence."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Context, Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

import pytest

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
    Name,
    Node,
    RecordOf,
    Text,
    Type,
    Unary,
)
from sagalang.runtime.shapes import Schema, Shape
from sagalang.runtime.values import Record, Secret, encode

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


def unnamed(value: object) -> str:
    """Names no row by its value: pytest would write out numbers that Python refuses to write."""
    return type(value).__name__


def lit(value: object) -> Literal:
    return Literal(encode(value))


def binary(left: object, operator: Any, right: object) -> Any:
    return evaluate(Binary(operator, lit(left), lit(right)), {}, SCHEMA)


def compare(left: object, operator: Any, right: object) -> Any:
    return evaluate(Compare(operator, lit(left), lit(right)), {}, SCHEMA)


def apply(function: str, *args: object) -> Any:
    return evaluate(Apply(function, tuple(map(lit, args))), {}, SCHEMA)


def D(text: str) -> Decimal:
    return Decimal(text)


COMPUTED: list[tuple[object, str, object, object]] = [
    (2, "+", 3, 5),
    (7, "/", 2, D("3.5")),
    (1, "/", 3, D("0." + "3" * 50)),
    (-7, "//", 2, -4),
    (-7, "%", 2, 1),
    (D("-7"), "//", 2, D("-4")),
    (D("-7"), "%", 2, D("1")),
    (D("7"), "%", D("-2"), D("-1")),
    (-7.0, "//", 2, -4.0),
    (D("0.1"), "+", D("0.2"), D("0.3")),
    (D("0.10"), "*", 3, D("0.30")),
    (1, "-", D("0.9"), D("0.1")),
    (0.5, "*", 4, 2.0),
    ("a", "+", "b", "ab"),
    ([1], "+", ["b"], [1, "b"]),
    (HOUR, "+", HOUR, 2 * HOUR),
    (HOUR, "*", 3, 3 * HOUR),
    (2, "*", HOUR, 2 * HOUR),
    (HOUR, "/", timedelta(minutes=40), D("1.5")),
    (HOUR, "//", timedelta(minutes=40), 1),
    (HOUR, "%", timedelta(minutes=40), timedelta(minutes=20)),
    (date(2026, 2, 28), "+", timedelta(1), date(2026, 3, 1)),
    (date(2026, 3, 1), "-", date(2026, 2, 28), timedelta(1)),
    (datetime(2026, 1, 1, 1), "-", HOUR, datetime(2026, 1, 1)),
]


@pytest.mark.parametrize(("left", "operator", "right", "value"), COMPUTED)
def test_arithmetic(left: object, operator: str, right: object, value: object) -> None:
    got = binary(left, operator, right)
    assert encode(got) == encode(value)


def test_an_hour_is_an_hour_when_clocks_change() -> None:
    before = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    after = binary(before, "+", HOUR)
    assert (after.hour, after.minute, after.fold) == (2, 30, 1)
    assert after.tzinfo is BERLIN
    assert binary(after, "-", before) == HOUR
    assert compare(before, "<", after) is True


FAILING: list[tuple[object, str, object, str]] = [
    (1, "/", 0, "division by zero: 1 / 0"),
    (1, "//", 0, "division by zero: 1 // 0"),
    (1.5, "%", 0.0, "division by zero: 1.5 % 0.0"),
    (D("1"), "/", D("0"), "division by zero: 1 / 0"),
    (D("1"), "//", 0, "division by zero"),
    (HOUR, "/", timedelta(0), "division by zero: 1h / 0s"),
    (HOUR, "//", timedelta(0), "division by zero"),
    (D("9E6000"), "*", D("9E6000"), "out of range"),
    (10**9_999, "*", 100, "out of range"),
    (10**9_999 * 9, "+", 10**9_999 * 9, "out of range"),
    (1e308, "*", 10, "1e+308 * 10 is out of range"),
    (1, "*", float("nan"), "out of range"),
    (10**400, "*", 1.5, "out of range"),
    (timedelta.max, "+", HOUR, "out of range"),
    (datetime.max, "+", HOUR, "out of range"),
    (date.max, "+", timedelta(1), "out of range"),
    (date(2026, 1, 1), "+", HOUR, "a date moves by whole days, and not by 1h"),
    (D("1"), "+", 1.0, "a decimal and a float do not mix (1, 1.0); convert one with"),
    (1, "+", "a", '`+` does not work on 1 and the text "a"'),
    (True, "+", 1, "`+` does not work on true and 1"),
    ("a", "*", 3, "`*` does not work on"),
    (HOUR, "*", True, "`*` does not work on 1h and true"),
    (None, "+", 1, "`+` does not work on none and 1"),
    (datetime(2026, 1, 1), "-", datetime(2026, 1, 1, tzinfo=UTC), "a time with a zone and a time"),
    (datetime(2026, 1, 1), "-", date(2026, 1, 1), "`-` does not work on"),
]


@pytest.mark.parametrize(("left", "operator", "right", "said"), FAILING, ids=unnamed)
def test_what_cannot_be_computed_fails(
    left: object, operator: str, right: object, said: str
) -> None:
    with pytest.raises(Failed) as failed:
        binary(left, operator, right)
    assert said in str(failed.value)


COMPARED: list[tuple[object, str, object, bool]] = [
    (1, "==", 1.0, True),
    (1, "==", D("1.00"), True),
    (D("0.1"), "==", 0.1, False),
    (1, "==", True, False),
    ([1], "==", [True], False),
    ([1, {"a": D("1")}], "==", [1.0, {"a": 1}], True),
    ("1", "==", 1, False),
    (None, "==", False, False),
    (float("nan"), "==", float("nan"), False),
    ({"a": 1, "b": 2}, "==", {"b": 2, "a": 1}, True),
    (Record("A", {"x": 1}), "==", Record("A", {"x": 1}), True),
    (Record("A", {"x": 1}), "!=", {"x": 1}, True),
    (datetime(2026, 1, 1, 12, tzinfo=UTC), "==",
     datetime(2026, 1, 1, 13, tzinfo=timezone(HOUR)), True),
    (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN), "==",
     datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN), False),
    (datetime(2026, 1, 1), "==", datetime(2026, 1, 1, tzinfo=UTC), False),
    (2**53 + 1, ">", float(2**53), True),
    (D("1." + "0" * 60 + "1"), ">", 1, True),
    ("B", "<", "a", True),
    ("a", "<=", "a", True),
    (HOUR, ">=", HOUR, True),
    ("b", "in", "abc", True),
    ("", "in", "abc", True),
    (D("1"), "in", [1, 2], True),
    (True, "in", [1, 2], False),
    ("a", "in", {"a": None}, True),
    (1, "in", {"a": None}, False),
    ("a", "not in", ["b"], True),
]  # fmt: skip


@pytest.mark.parametrize(("left", "operator", "right", "value"), COMPARED)
def test_comparisons(left: object, operator: str, right: object, value: bool) -> None:
    assert compare(left, operator, right) is value


@pytest.mark.parametrize(
    ("left", "operator", "right"),
    [
        (1, "<", "a"),
        (True, "<", False),
        (None, "<", 1),
        ([1], "<", [2]),
        (D("1"), "<", 1.5),
        (float("nan"), "<", 1),
        (date(2026, 1, 1), "<", datetime(2026, 1, 1)),
        (datetime(2026, 1, 1), "<", datetime(2026, 1, 1, tzinfo=UTC)),
        (1, "in", "1"),
        (1, "in", None),
    ],
)
def test_what_has_no_order_fails(left: object, operator: str, right: object) -> None:
    with pytest.raises(Failed):
        compare(left, operator, right)


APPLIED: list[tuple[str, tuple[object, ...], object]] = [
    ("len", ("e\u0301",), 2),
    ("len", ({"a": 1},), 1),
    ("sum", ([1, D("0.5")],), D("1.5")),
    ("sum", ([],), 0),
    ("min", ([3, 1, 2],), 1),
    ("min", ([],), None),
    ("max", (1, D("2.5"), 2), D("2.5")),
    ("max", ("a", "b"), "b"),
    ("round", (D("2.5"),), 2),
    ("round", (D("3.5"),), 4),
    ("round", (D("2.675"), 2), D("2.68")),
    ("round", (D("2.665"), 2), D("2.66")),
    ("round", (2.5,), 2),
    ("abs", (-3,), 3),
    ("abs", (D("-0.10"),), D("0.10")),
    ("abs", (-HOUR,), HOUR),
    ("str", (D("1E+3"),), "1000"),
    ("str", (None,), "none"),
    ("int", ("-042",), -42),
    ("int", (D("-3.9"),), -3),
    ("int", (3.9,), 3),
    ("decimal", ("1.50",), D("1.50")),
    ("decimal", (0.1,), D("0.1")),
    ("float", ("1e3",), 1000.0),
    ("float", (D("0.5"),), 0.5),
    ("lower", ("ÄB",), "äb"),
    ("upper", ("ß",), "SS"),
    ("trim", (" \t a b\n",), "a b"),
    ("split", (" a  b ",), ["a", "b"]),
    ("split", ("a,,b", ","), ["a", "", "b"]),
    ("join", (["a", "b"], ", "), "a, b"),
    ("join", ([], ", "), ""),
    ("keys", ({"b": 1, "a": 2},), ["b", "a"]),
    ("values", ({"b": 1, "a": 2},), [1, 2]),
    ("any", ([False, True],), True),
    ("all", ([],), True),
    ("default", (None, 1), 1),
    ("default", (False, True), False),
    ("unique", ([1, D("1.0"), True, "a", "a"],), [1, True, "a"]),
    ("sorted", ([3, D("1.5"), 2],), [D("1.5"), 2, 3]),
    ("range", (3,), [0, 1, 2]),
    ("range", (2, 4), [2, 3]),
    ("range", (5, 1), []),
    ("chunks", ([1, 2, 3], 2), [[1, 2], [3]]),
]


@pytest.mark.parametrize(("function", "args", "value"), APPLIED)
def test_functions(function: str, args: tuple[object, ...], value: object) -> None:
    assert encode(apply(function, *args)) == encode(value)


FAILING_FUNCTIONS: list[tuple[str, tuple[object, ...], str]] = [
    ("int", ("1.5",), 'the text "1.5" cannot be made an int'),
    ("int", ("١",), "cannot be made an int"),
    ("int", ("1_000",), "cannot be made an int"),
    ("int", (float("inf"),), "cannot be made an int"),
    ("int", (True,), "true cannot be made an int"),
    ("decimal", ("1,5",), "cannot be made a decimal"),
    ("decimal", ("NaN",), "cannot be made a decimal"),
    ("decimal", ("1e9999",), "cannot be made a decimal"),
    ("float", ("1e999",), "cannot be made a float"),
    ("float", (10**400,), "cannot be made a float"),
    ("round", (D("1e60"), 2), "cannot be rounded to 2 places"),
    ("round", (1.5, 99), "round() takes -50 to 50 places, not 99"),
    ("abs", ("z",), "abs() does not work on"),
    ("sum", (["a"],), 'sum() adds numbers, not the text "a"'),
    ("min", ([None],), "have no order"),
    ("sorted", ([1, "a"],), "have no order"),
    ("any", ([1],), "true or false is needed, not 1"),
    ("join", ([1], ""), "a text is needed, not 1"),
    ("split", ("a", ""), "a separator that is not empty"),
    ("chunks", ([1], 0), "a size of 1 or more, not 0"),
    ("range", (1_000_001,), "more than 1,000,000 items"),
    ("len", (5,), "len() does not work on 5"),
    ("keys", ([],), "a map is needed"),
    ("str", (Secret("env:KEY"),), "it is a secret"),
]


@pytest.mark.parametrize(("function", "args", "said"), FAILING_FUNCTIONS, ids=unnamed)
def test_functions_fail_in_words(function: str, args: tuple[object, ...], said: str) -> None:
    with pytest.raises(Failed) as failed:
        apply(function, *args)
    assert said in str(failed.value)


SHOWN: list[tuple[object, str]] = [
    (None, "none"),
    (True, "true"),
    (10**30, "1" + "0" * 30),
    (10**5_000, "1" + "0" * 5_000),
    (D("1E-7"), "0.0000001"),
    (D("12.50"), "12.50"),
    (1e22, "1e+22"),
    (timedelta(minutes=90), "90m"),
    (timedelta(days=2), "2d"),
    (timedelta(microseconds=-1500), "-1.5ms"),
    (timedelta(0), "0s"),
    (date(2026, 1, 31), "2026-01-31"),
    (datetime(2026, 1, 31, 12, tzinfo=UTC), "2026-01-31T12:00:00+00:00"),
    (b"ab", "YWI="),
    ([1, "a", None], '[1, "a", none]'),
    ({"a": 1, "b c": "\n"}, '{ a: 1, "b c": "\\n" }'),
    ({}, "{}"),
    (Record("Item", {"sku": "a", "qty": 1}), 'Item(sku: "a", qty: 1)'),
    (Record("Empty", {}), "Empty()"),
    *((data, data) for data in ("{expr}", "$HOME", "{{ 7*7 }}", "%s {0}", '"); import os; (')),
]


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=unnamed)
def test_values_are_shown_as_the_language_writes_them(value: object, text: str) -> None:
    tree = Text((lit("<"), Name("value"), lit(">")))
    assert evaluate(tree, {"value": value}, SCHEMA) == f"<{text}>"


def test_fields_and_items() -> None:
    names = {"r": Record("Item", {"sku": "a"}), "m": {"a": 1}, "xs": [1, 2], "none": None}

    def field(name: str, field: str) -> Any:
        return evaluate(Field(Name(name), field), names, SCHEMA)

    def index(name: str, at: object) -> Any:
        return evaluate(Index(Name(name), lit(at)), names, SCHEMA)

    assert (field("r", "sku"), field("m", "a"), field("m", "b")) == ("a", 1, None)
    assert (index("xs", 1), index("xs", 2), index("xs", -1)) == (2, None, None)
    assert (index("m", "a"), index("m", "b")) == (1, None)
    for name, at, said in (("none", "a", "none has no"), ("r", "qty", "no field qty")):
        with pytest.raises(Failed, match=said):
            field(name, at)
    for name, item in (("xs", True), ("xs", "a"), ("m", 1), ("none", 0)):
        with pytest.raises(Failed, match="has no item"):
            index(name, item)


def test_records_take_their_defaults_and_their_types() -> None:
    tree = RecordOf("Item", (("price", lit(3)), ("sku", lit("a"))))
    made = evaluate(tree, {}, SCHEMA)
    assert made == Record("Item", {"sku": "a", "qty": 1, "price": Decimal(3)})
    assert list(made.fields) == ["sku", "qty", "price"]
    assert type(made.fields["price"]) is Decimal
    with pytest.raises(Failed, match="Item needs its field sku"):
        evaluate(RecordOf("Item", ()), {}, SCHEMA)


def test_only_what_decides_is_evaluated() -> None:
    failing = Compare("==", Binary("/", lit(1), lit(0)), lit(1))
    assert evaluate(Logic("and", lit(False), failing), {}, SCHEMA) is False
    assert evaluate(Logic("or", lit(True), failing), {}, SCHEMA) is True
    assert evaluate(Choice(lit(True), lit(1), failing), {}, SCHEMA) == 1
    for tree in (Logic("and", lit(True), failing), Choice(lit(False), lit(1), failing)):
        with pytest.raises(Failed, match="division by zero"):
            evaluate(tree, {}, SCHEMA)
    for tree in (Logic("and", lit(1), lit(True)), Logic("or", lit(False), lit(1))):
        with pytest.raises(Failed, match="true or false is needed, not 1"):
            evaluate(tree, {}, SCHEMA)


def test_comprehensions() -> None:
    squares = Comprehension(
        Binary("*", Name("x"), Name("n")), "x", Name("xs"), Compare(">", Name("x"), lit(1))
    )
    assert evaluate(squares, {"xs": [1, 2, 3], "n": 10}, SCHEMA) == [20, 30]
    pairs = Comprehension(
        Comprehension(ListOf((Name("x"), Name("y"))), "y", Name("xs"), None), "x", Name("xs"), None
    )
    assert evaluate(pairs, {"xs": [1, 2]}, SCHEMA) == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]]


def test_the_start_of_the_run_is_given_and_never_read_from_a_clock() -> None:
    tree = Binary("+", Apply("started_at", ()), lit(HOUR))
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert evaluate(tree, {STARTED_AT: start}, SCHEMA) == start + HOUR
    assert needs(tree) == {STARTED_AT}
    assert bind(tree, {"started_at": start}, SCHEMA) == tree
    with pytest.raises(Failed, match="has no value yet"):
        evaluate(tree, {"started_at": start}, SCHEMA)


def loops(depth: int, size: int) -> Node:
    tree: Node = lit(1)
    for n in range(depth):
        tree = Comprehension(tree, f"x{n}", Apply("range", (lit(size),)), None)
    return tree


def doubled(times: int, of: object) -> Node:
    tree: Node = lit(of)
    for _ in range(times):
        inner = Comprehension(Binary("+", Name("x"), Name("x")), "x", ListOf((tree,)), None)
        tree = Index(inner, lit(0))
    return tree


def chain(length: int) -> Node:
    tree: Node = lit(1)
    for _ in range(length):
        tree = Binary("+", tree, lit(1))
    return tree


TOO_MUCH: dict[str, tuple[Node, str]] = {
    "nested loops": (loops(4, 100), "more than 1,000 steps"),
    "long text": (doubled(30, "x"), "a text would have more than 10,000,000 characters"),
    "long list": (doubled(30, [1]), "steps|a list would have more than"),
    "long chain": (chain(20_000), "nested too deep"),
    "long text by join": (
        Apply("join", (Comprehension(lit("x" * 999), "x", Apply("range", (lit(99_999),)), None),
                       lit(""))),
        "a text would have more than 10,000,000 characters|steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tree", "said"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_work_is_bounded_by_counting(
    tree: Node, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "1,000 steps" in said:
        monkeypatch.setattr("sagalang.runtime.evaluation.WORK", 1_000)
    with pytest.raises(Failed, match=said):
        evaluate(tree, {}, SCHEMA)
    with pytest.raises(Failed, match=said):
        bind(tree, {}, SCHEMA)


def test_equality_of_large_values_in_a_loop_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sagalang.runtime.evaluation.WORK", 10_000)
    tree = Comprehension(
        Compare("==", Name("big"), Name("big")), "x", Apply("range", (lit(1_000),)), None
    )
    with pytest.raises(Failed, match="more than 10,000 steps"):
        evaluate(tree, {"big": [list(range(100))] * 10}, SCHEMA)


def test_the_callers_decimal_context_does_not_count() -> None:
    hostile = Context(prec=2, Emax=5, Emin=-5, traps=[])
    with localcontext(hostile):
        assert binary(1, "/", 3) == Decimal("0." + "3" * 50)
        assert apply("round", D("123.456"), 2) == Decimal("123.46")
        assert apply("decimal", "123.456") == Decimal("123.456")
        assert apply("sum", [D("100.01"), D("0.01")]) == Decimal("100.02")
        assert evaluate(Unary("-", lit(D("123.456"))), {}, SCHEMA) == Decimal("-123.456")
