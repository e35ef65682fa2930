"""At every boundary a value is of its type, or is refused in a sentence that says where and why."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext
from enum import Enum, StrEnum
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from sagalang.runtime.expressions import Failed
from sagalang.runtime.formula import Binary, Formula, Literal, RecordOf, Type
from sagalang.runtime.plain import read_input, read_json, read_text, to_plain
from sagalang.runtime.plan import Enum as EnumDeclared, Parameter, Plan, Record as Declared
from sagalang.runtime.shapes import Mismatch, Schema, conform
from sagalang.runtime.values import Record, Secret

STR, BOOL, INT = Type("str"), Type("bool"), Type("int")
FLOAT, DECIMAL = Type("float"), Type("decimal")
DATE, DATETIME, DURATION, BYTES = Type("date"), Type("datetime"), Type("duration"), Type("bytes")
JSON, NONE = Type("json"), Type("none")
ITEM, ORDER = Type("record", name="Item"), Type("record", name="Order")
SPEED = Type("enum", name="Speed")
SECRET = Type("secret", of=STR)


def maybe(of: Type) -> Type:
    return Type("optional", of=of)


def list_of(of: Type) -> Type:
    return Type("list", of=of)


def map_of(of: Type) -> Type:
    return Type("map", of=of)


def default(value: Any, type: Type) -> Formula:
    return Formula(Literal(value), type)


def plan(*records: Declared) -> Plan:
    return Plan(
        format=1,
        edition=2026,
        saga="s",
        parameters=(),
        result=NONE,
        body=(),
        records=records,
        enums=(EnumDeclared(name="Speed", members=("normal", "express", "class")),),
    )


SCHEMA = Schema.of(
    plan(
        Declared(
            name="Item",
            fields=(
                Parameter(name="sku", type=STR),
                Parameter(name="qty", type=INT, default=default(1, INT)),
            ),
        ),
        Declared(
            name="Order",
            fields=(
                Parameter(name="items", type=list_of(ITEM)),
                Parameter(name="total", type=DECIMAL, default=default(0, INT)),
                Parameter(name="class", type=maybe(SPEED), default=default(None, NONE)),
            ),
        ),
    )
)


class Speed(Enum):
    normal = 1
    express = 2
    other = 3


class Mangled(StrEnum):
    class_ = "class"


@dataclasses.dataclass
class Item:
    sku: str
    qty: int = 1


@dataclasses.dataclass
class Order:
    items: list[Item]
    total: Decimal
    class_: Mangled = dataclasses.field(metadata={"saga": "class"})


class ItemStruct(msgspec.Struct):
    sku: str
    qty: int


class Float64(float):
    """As numpy's."""


A = Record("Item", {"sku": "a", "qty": 1})

ACCEPTED: list[tuple[Any, Type, Any]] = [
    ("a", STR, "a"),
    (3, FLOAT, 3.0),
    (Float64(1.5), FLOAT, 1.5),
    (3, DECIMAL, Decimal(3)),
    (Decimal("0.10"), DECIMAL, Decimal("0.10")),
    (None, maybe(INT), None),
    (None, NONE, None),
    (b"x", BYTES, b"x"),
    (date(2026, 1, 1), DATE, date(2026, 1, 1)),
    (timedelta(1), DURATION, timedelta(1)),
    ((1, 2), list_of(DECIMAL), [Decimal(1), Decimal(2)]),
    ({"a": None, "b": 1}, map_of(maybe(FLOAT)), {"a": None, "b": 1.0}),
    ("express", SPEED, "express"),
    (Speed.express, SPEED, "express"),
    (Mangled.class_, SPEED, "class"),
    (Secret("env:KEY"), SECRET, Secret("env:KEY")),
    ({"sku": "a"}, ITEM, A),
    (Record("Item", {"qty": 1, "sku": "a"}), ITEM, A),
    (Item("a"), ITEM, A),
    (ItemStruct("a", 1), ITEM, A),
    ([Item("a"), {"sku": "a"}], list_of(ITEM), [A, A]),
    ({"items": []}, ORDER, Record("Order", {"items": [], "total": Decimal(0), "class": None})),
    (
        Order([Item("a")], Decimal(1), Mangled.class_),
        ORDER,
        Record("Order", {"items": [A], "total": Decimal(1), "class": "class"}),
    ),
    ({"any": [1, "thing", None]}, JSON, {"any": [1, "thing", None]}),
    ([Item("a")], JSON, [A]),
]


@pytest.mark.parametrize(("value", "type", "made"), ACCEPTED)
def test_a_value_of_the_type_is_taken(value: object, type: Type, made: object) -> None:
    got = conform(value, type, SCHEMA)
    assert got == made
    assert got.__class__ is made.__class__


def test_a_record_has_its_fields_in_the_order_declared() -> None:
    made = conform({"qty": 2, "sku": "a"}, ITEM, SCHEMA)
    assert list(made.fields) == ["sku", "qty"]


def test_defaults_are_never_shared() -> None:
    schema = Schema.of(
        plan(
            Declared(
                name="Box",
                fields=(
                    Parameter(name="of", type=list_of(INT), default=default([], list_of(INT))),
                ),
            )
        )
    )
    one = conform({}, Type("record", name="Box"), schema)
    one.fields["of"].append(1)
    assert conform({}, Type("record", name="Box"), schema) == Record("Box", {"of": []})


REFUSED: list[tuple[Any, Type, str]] = [
    (1, STR, "order must be str, and is 1"),
    ("1", INT, 'order must be int, and is the text "1"'),
    (True, INT, "order must be int, and is true"),
    (1, BOOL, "order must be bool, and is 1"),
    (1.0, INT, "order must be int, and is 1.0"),
    (1.5, DECIMAL, "order must be decimal, and is 1.5"),
    (Decimal("1.5"), FLOAT, "order must be float, and is 1.5"),
    (10**400, FLOAT, "order must be float, and is a long number"),
    (Decimal("NaN"), DECIMAL, "order must be decimal of at most 6,144 places, and is NaN"),
    (
        Decimal("1E+9999999"),
        DECIMAL,
        "order must be decimal of at most 6,144 places, and is a long number",
    ),
    (Mangled.class_, STR, "order must be str, and is a Mangled"),
    (None, STR, "order must be str, and is none"),
    (1, NONE, "order must be none, and is 1"),
    ("x", maybe(INT), 'order must be int or none, and is the text "x"'),
    (datetime(2026, 1, 1), DATE, "order must be date, and is 2026-01-01T00:00:00"),
    (date(2026, 1, 1), DATETIME, "order must be datetime, and is 2026-01-01"),
    ({1, 2}, list_of(INT), "order must be list[int], and is a set"),
    ({1: 2}, map_of(INT), "order must be map[int] with texts as keys, and is a map with the key 1"),
    ("fast", SPEED, 'order must be Speed (normal, express, class), and is the text "fast"'),
    (Speed.other, SPEED, "order must be Speed (normal, express, class), and is a Speed"),
    ("x" * 100, INT, "order must be int, and is a text of 100 characters"),
    ([1, [2]], INT, "order must be int, and is a list of 2 items"),
    (object(), ITEM, "order must be Item, and is an object"),
    (Record("Order", {}), ITEM, "order must be Item, and is the record Order"),
    ({}, ITEM, "order.sku must be str, and is missing"),
    ({"sku": "a", "colour": "red"}, ITEM, "order.colour must be left out (Item has sku, qty)"),
    (
        {"items": [{"sku": "a"}, {"sku": "b", "qty": "two"}]},
        ORDER,
        'order.items[1].qty must be int, and is the text "two"',
    ),
    (
        {"items": [], "class": 3},
        ORDER,
        "order.class must be Speed (normal, express, class) or none",
    ),
]


@pytest.mark.parametrize(("value", "type", "said"), REFUSED)
def test_a_mismatch_says_where_what_and_what_instead(value: object, type: Type, said: str) -> None:
    with pytest.raises(Mismatch) as refused:
        conform(value, type, SCHEMA, "order")
    assert said in str(refused.value)


def test_a_value_without_a_name_is_called_the_value() -> None:
    with pytest.raises(Mismatch, match=r"^the value must be int, and is none$"):
        conform(None, INT, SCHEMA)


def test_a_secret_given_by_value_is_never_repeated() -> None:
    for given_ in ("sk_live_51H", 51, ["sk_live_51H"]):
        for take in (conform, read_input):
            with pytest.raises(Mismatch) as refused:
                take(given_, SECRET, SCHEMA, "key")
            assert "51" not in str(refused.value)
            assert "env:NAME" in str(refused.value)


def test_an_object_whose_fields_raise_is_refused() -> None:
    class Lazy(msgspec.Struct):
        sku: str

        def __getattribute__(self, name: str) -> Any:
            raise RuntimeError(name)

    with pytest.raises(Mismatch, match="must be Item, and is a Lazy whose fields cannot be read"):
        conform(Lazy("a"), ITEM, SCHEMA)


def test_a_value_in_itself_is_refused() -> None:
    chain = Schema.of(
        plan(
            Declared(
                name="Chain",
                fields=(Parameter(name="next", type=maybe(Type("record", name="Chain"))),),
            )
        )
    )
    value: dict[str, Any] = {}
    value["next"] = value
    with pytest.raises(Mismatch, match="holds itself"):
        conform(value, Type("record", name="Chain"), chain)


def test_defaults_are_computed_whatever_the_order_of_records() -> None:
    made = Formula(RecordOf("Z", ()), Type("record", name="Z"))
    four = Formula(Binary("+", Literal(2), Literal(2)), INT)
    schema = Schema.of(
        plan(
            Declared(name="A", fields=(Parameter(name="z", type=made.type, default=made),)),
            Declared(name="Z", fields=(Parameter(name="n", type=DECIMAL, default=four),)),
        )
    )
    a = conform({}, Type("record", name="A"), schema)
    assert a == Record("A", {"z": Record("Z", {"n": Decimal(4)})})


def test_defaults_that_need_themselves_fail() -> None:
    itself = Formula(RecordOf("A", ()), Type("record", name="A"))
    declared = Declared(name="A", fields=(Parameter(name="a", type=itself.type, default=itself),))
    with pytest.raises(Failed, match="the defaults of the record A need themselves"):
        Schema.of(plan(declared))


READ: list[tuple[str, Type, Any]] = [
    ("12.50", DECIMAL, Decimal("12.50")),
    ('"12.50"', DECIMAL, Decimal("12.50")),
    ("12", DECIMAL, Decimal(12)),
    ("0.1", FLOAT, 0.1),
    ("12", FLOAT, 12.0),
    ('"12"', INT, 12),
    ('"2026-01-31"', DATE, date(2026, 1, 31)),
    ('"2026-01-31T12:00:00Z"', DATETIME, datetime(2026, 1, 31, 12, tzinfo=UTC)),
    ('"5m"', DURATION, timedelta(minutes=5)),
    ('"1.5s"', DURATION, timedelta(milliseconds=1500)),
    ('"YQ=="', BYTES, b"a"),
    ('"env:KEY"', SECRET, Secret("env:KEY")),
    ('"express"', SPEED, "express"),
    ('[{"sku": "a"}, null]', list_of(maybe(ITEM)), [A, None]),
    ('{"items": [], "total": "1.10"}', ORDER,
     Record("Order", {"items": [], "total": Decimal("1.10"), "class": None})),
    ('{"a": 1.5, "b": {"$int": "5"}}', JSON, {"a": 1.5, "b": {"$int": "5"}}),
]  # fmt: skip


@pytest.mark.parametrize(("json", "type", "made"), READ)
def test_json_from_outside_is_read_by_type(json: str, type: Type, made: object) -> None:
    got = read_input(read_json(json), type, SCHEMA)
    assert got == made
    assert got.__class__ is made.__class__


NOT_READ: list[tuple[str, Type, str]] = [
    ('"twelve"', DECIMAL, 'x must be decimal (such as "12.50"), and is the text "twelve"'),
    ('"2026-1-1"', DATE, 'x must be date (such as "2026-01-31"), and is the text "2026-1-1"'),
    ('"5 minutes"', DURATION, 'x must be duration (such as "5m"), and is the text "5 minutes"'),
    ('"1e99999999"', DECIMAL, "x must be decimal"),
    ("1.5", INT, "x must be int, and is 1.5"),
    ("true", DECIMAL, "x must be decimal, and is true"),
    ("5", STR, "x must be str, and is 5"),
    ('{"sku": 1}', ITEM, "x.sku must be str, and is 1"),
    ('[{"sku": "a"}, {"qty": 1}]', list_of(ITEM), "x[1].sku must be str, and is missing"),
]


@pytest.mark.parametrize(("json", "type", "said"), NOT_READ)
def test_json_of_another_type_is_refused(json: str, type: Type, said: str) -> None:
    with pytest.raises(Mismatch) as refused:
        read_input(read_json(json), type, SCHEMA, "x")
    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "1e", "\x00", '"\\ud800'])
def test_what_is_not_json_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(ValueError, match="this is not JSON"):
        read_json(text)


def test_json_too_deep_is_refused() -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        read_json("[" * 100_000)


def test_options_are_texts_or_json_by_type() -> None:
    assert read_text("7", STR, SCHEMA) == "7"
    assert read_text("7", maybe(INT), SCHEMA) == 7
    assert read_text("none", maybe(INT), SCHEMA) is None
    assert read_text("none", maybe(STR), SCHEMA) == "none"
    assert read_text("7.10", DECIMAL, SCHEMA) == Decimal("7.10")
    assert read_text("true", BOOL, SCHEMA) is True
    assert read_text("[1, 2]", list_of(INT), SCHEMA) == [1, 2]
    with pytest.raises(Mismatch, match=r"x must be list\[int\], written as JSON"):
        read_text("1, 2", list_of(INT), SCHEMA, "x")


def item(sku: str) -> Record:
    return Record("Item", {"sku": sku, "qty": 2})


typed: st.SearchStrategy[tuple[Type, st.SearchStrategy[Any]]] = st.sampled_from(
    [
        (STR, st.text(st.characters(exclude_categories=["Cs"]))),
        (INT, st.integers()),
        (INT, st.integers(-(10**40), 10**40)),
        (FLOAT, st.floats(allow_nan=False)),
        (DECIMAL, st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30))),
        (BOOL, st.booleans()),
        (BYTES, st.binary()),
        (DATE, st.dates()),
        (DATETIME, st.datetimes(timezones=st.just(UTC))),
        (DURATION, st.timedeltas()),
        (SPEED, st.sampled_from(["normal", "express"])),
        (SECRET, st.just(Secret("env:KEY"))),
        (
            maybe(ITEM),
            st.none() | st.text().map(item),
        ),
    ]
)


@given(typed.flatmap(lambda pair: st.tuples(st.just(pair[0]), st.lists(pair[1], max_size=3))))
def test_what_is_shown_as_plain_json_can_be_given_back(pair: tuple[Type, list[Any]]) -> None:
    type, values = pair
    text = msgspec.json.encode(to_plain(values))
    assert read_input(read_json(text), list_of(type), SCHEMA) == values


@given(typed.flatmap(lambda pair: st.tuples(st.just(pair[0]), pair[1])))
def test_a_value_that_conforms_conforms_again(pair: tuple[Type, Any]) -> None:
    type, value = pair
    assert conform(value, type, SCHEMA) == value


def test_the_callers_decimal_context_does_not_count() -> None:
    with localcontext() as context:
        context.prec = 2
        assert read_input("1.23456", DECIMAL, SCHEMA) == Decimal("1.23456")
        assert read_input("123456.5s", DURATION, SCHEMA) == timedelta(seconds=123456.5)
        assert conform(123456, DECIMAL, SCHEMA) == Decimal("123456")
