"""Every value comes back equal and with its type, or is refused with a reason: nothing between."""

from __future__ import annotations

import io
import math
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from sagalang.runtime.values import (
    DEPTH,
    LIMIT,
    Damaged,
    Record,
    Secret,
    Unstorable,
    decode,
    digest,
    encode,
    measure,
)

BERLIN = ZoneInfo("Europe/Berlin")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
keys = texts | st.sampled_from(["$int", "$map", "$record", "$", "fields", "zone"])
zones = (
    st.none()
    | st.timezones()
    | st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)
)


def moment(at: datetime, zone: tzinfo | None, fold: int) -> datetime:
    return at.replace(tzinfo=zone, fold=fold)


hashables: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**60), 10**60)
    | st.floats()
    | st.decimals(allow_nan=False)
    | texts
    | st.binary(max_size=20)
    | st.dates()
    | st.builds(
        moment,
        st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)),
        zones,
        st.integers(0, 1),
    )
    | st.timedeltas()
    | st.uuids()
    | st.builds(Secret, st.just("env:API_KEY"))
)
values: st.SearchStrategy[Any] = st.recursive(
    hashables | st.frozensets(hashables, max_size=3) | st.sets(hashables, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.builds(Record, texts, st.dictionaries(keys, inner, max_size=3))
    ),
    max_leaves=12,
)
wires: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(keys, inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "$int",
                    "$float",
                    "$decimal",
                    "$bytes",
                    "$date",
                    "$datetime",
                    "$duration",
                    "$record",
                    "$secret",
                    "$map",
                    "$tuple",
                    "$set",
                    "$uuid",
                    "fields",
                    "fold",
                    "zone",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


kind_of: Callable[[object], type[Any]] = type


def alike(one: Any, other: Any) -> bool:
    """Equal with all types, to the last bit: sterner than `==`, and NaN is like NaN."""
    if kind_of(one) is not kind_of(other):
        return False
    match kind_of(one).__name__:
        case "float":
            return repr(one) == repr(other)
        case "Decimal":
            return str(one) == str(other)
        case "datetime":
            return (
                one.replace(tzinfo=None) == other.replace(tzinfo=None)
                and one.fold == other.fold
                and same_zone(one.tzinfo, other.tzinfo)
            )
        case "list" | "tuple":
            return len(one) == len(other) and all(map(alike, one, other))
        case "dict":
            return list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
        case "Record":
            return one.name == other.name and alike(one.fields, other.fields)
        case "set" | "frozenset":
            rest = list(other)
            for item in one:
                found = [candidate for candidate in rest if alike(item, candidate)]
                if not found:
                    return False
                rest.remove(found[0])
            return not rest
        case _:
            return bool(one == other)


def same_zone(one: tzinfo | None, other: tzinfo | None) -> bool:
    return type(one) is type(other) and str(one) == str(other)


def stored(value: object) -> Any:
    """Through the disk and back."""
    return decode(msgspec.json.decode(msgspec.json.encode(encode(value))))


@given(values)
def test_what_is_stored_comes_back_equal_with_its_type(value: object) -> None:
    assert alike(stored(value), value)


ODD: dict[str, Any] = {
    "nan": math.nan,
    "infinities": [math.inf, -math.inf],
    "minus zero": -0.0,
    "big int": 2**80,
    "edges of 64 bits": [2**63 - 1, 2**63, -(2**63), -(2**63) - 1],
    "int of 10,000 digits": 10**10_000 - 1,
    "decimal with its zeros": Decimal("0.10"),
    "decimal of 60 digits": Decimal("1." + "0" * 58 + "1"),
    "decimals that are no numbers": [Decimal("Infinity"), Decimal("NaN")],
    "aware": datetime(2026, 7, 1, 12, tzinfo=UTC),
    "naive": datetime(2026, 7, 1, 12, 0, 0, 1),
    "second 02:30 of the night": datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN),
    "odd offset": datetime(1900, 1, 1, tzinfo=timezone(timedelta(minutes=53, seconds=28))),
    "date": date(2026, 2, 28),
    "shortest and longest duration": [timedelta.min, timedelta.max, timedelta(microseconds=-1)],
    "bytes": bytes(range(256)),
    "uuid": UUID("12345678-1234-5678-1234-567812345678"),
    "tuples": ((1, ()), [(2,)]),
    "sets": [{1, "1", (1,)}, frozenset({b"1", None})],
    "NUL": "a\x00b",
    "combining character": "e\u0301",
    "emoji": "👩\u200d🚀",
    "line breaks": "\r\n\u2028\ufeff",
    "deep": [[[[[{"a": [{}]}]]]]],
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_odd_values_come_back(value: object) -> None:
    assert alike(stored(value), value)


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    HIGH = 1


class Hostile:
    """Raises in everything that a careless codec calls."""

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        raise RuntimeError("hash")

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


@dataclass
class Order:
    id: str


class Text(str):
    """A subclass, as many libraries have."""


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def in_itself() -> dict[str, Any]:
    value: dict[str, Any] = {"a": [1]}
    value["a"].append(value)
    return value


def shared() -> list[Any]:
    """Ten lists, a billion items."""
    value: list[Any] = [0] * 10
    for _ in range(9):
        value = [value] * 10
    return value


REFUSED: dict[str, tuple[Any, str]] = {
    "enum": (Colour.RED, "a member of the Python enum Colour cannot be stored; declare an enum"),
    "int enum": (Level.HIGH, "a member of the Python enum Level"),
    "object": (Order("o-1"), "an Order cannot be stored"),
    "hostile object": (Hostile(), "a Hostile cannot be stored"),
    "subclass": (Text("a"), "a Text, a kind of str, cannot be stored; make it a plain one"),
    "generator": ((n for n in range(3)), "a generator cannot be stored"),
    "function": (print, "a builtin_function_or_method cannot be stored"),
    "exception": (ValueError("x"), "a ValueError cannot be stored"),
    "complex": (1j, "a complex cannot be stored"),
    "bytearray": (bytearray(b"x"), "a bytearray cannot be stored"),
    "int and text key": ({1: "a", "1": "b"}, "keys must be texts, and one is an int"),
    "lone surrogate": ("\ud800", "a text with half of a surrogate pair cannot be stored"),
    "lone surrogate in a key": ({"\ud800": 1}, "half of a surrogate pair"),
    "signalling NaN": (Decimal("sNaN"), "a signalling NaN cannot be stored"),
    "int of 10,001 digits": (-(10**10_001), "more than 10,000 digits"),
    "decimal of 10,001 digits": (Decimal("1" * 10_001), "more than 10,000 digits"),
    "too deep": (nested(DEPTH), "nested more than 100 deep, or holds itself"),
    "very deep": (nested(5_000), "nested more than 100 deep, or holds itself"),
    "in itself": (in_itself(), "nested more than 100 deep, or holds itself"),
    "too large": (bytes(LIMIT + 1), f"larger than the limit of {LIMIT:,} bytes"),
}


@pytest.mark.parametrize(("value", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_come_back_is_refused_with_the_reason(value: object, reason: str) -> None:
    with pytest.raises(Unstorable) as refused:
        encode(value)
    assert reason in str(refused.value)


def test_a_small_value_with_very_many_items_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sagalang.runtime.values.PARTS", 10_000)
    with pytest.raises(Unstorable, match="more than 10,000 items in all"):
        encode(shared())


def test_an_open_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file, pytest.raises(Unstorable, match="TextIOWrapper"):
        encode(file)


def test_foreign_time_zones_are_refused_with_the_way_out() -> None:
    class Local(tzinfo):
        def utcoffset(self, dt: datetime | None) -> timedelta:
            return timedelta(0)

        dst = utcoffset

        def tzname(self, dt: datetime | None) -> str:
            return "local"

    with pytest.raises(Unstorable, match=r"class Local .* use zoneinfo.ZoneInfo"):
        encode(datetime(2026, 1, 1, tzinfo=Local()))


def test_a_time_zone_from_a_file_is_refused() -> None:
    counts = struct.pack(">6I", 0, 0, 0, 0, 1, 4)
    utc = b"TZif" + bytes(16) + counts + bytes(6) + b"UTC\0"
    nameless = ZoneInfo.from_file(io.BytesIO(utc))
    with pytest.raises(Unstorable, match="time zone without a name"):
        encode(datetime(2026, 1, 1, tzinfo=nameless))


def test_the_reason_leads_to_the_part_at_fault() -> None:
    with pytest.raises(Unstorable) as refused:
        encode({"orders": [1, Record("Order", {"paid": {"by": Colour.RED}})]})
    assert refused.value.path == ".orders[1].paid.by"
    assert str(refused.value).startswith(".orders[1].paid.by: a member of the Python enum Colour")


def test_the_deepest_value_comes_back() -> None:
    assert stored(nested(DEPTH - 1)) == nested(DEPTH - 1)


def test_the_stored_form_shares_nothing_changeable() -> None:
    value: dict[str, Any] = {"a": [1], "b": {"c": 2}}
    wire = encode(value)
    value["a"].append(2)
    value["b"]["c"] = 3
    assert wire == {"a": [1], "b": {"c": 2}}
    back = decode(wire)
    back["a"].append(2)
    back["b"]["c"] = 3
    assert wire == {"a": [1], "b": {"c": 2}}


def test_a_large_text_is_not_copied() -> None:
    text = "x" * (1 << 26)
    assert encode(text) is text
    assert decode(text) is text


def test_plain_values_are_their_own_stored_form() -> None:
    plain: dict[str, Any] = {"id": "o-1", "n": [1, 2.5, True, None], "empty": {}}
    assert encode(plain) == plain


LOOK_ALIKES: list[Any] = [
    {"$int": "5"},
    {"$record": "Order", "fields": {}},
    {"$secret": "env:HOME"},
    {"$map": {"$map": {}}},
    {"$": 1, "a": 2},
    [{"$decimal": "1"}, {"a": {"$type": "os.system", "args": ["touch canary"]}}],
]


@pytest.mark.parametrize("value", LOOK_ALIKES)
def test_data_that_looks_like_a_tag_stays_data(value: object) -> None:
    assert alike(stored(value), value)


@settings(max_examples=40)
@given(wires)
def test_data_of_any_shape_stays_data(value: object) -> None:
    assert alike(stored(value), value)


@given(wires)
def test_a_stored_form_is_read_or_damaged_and_nothing_else(wire: object) -> None:
    try:
        value = decode(wire)
    except Damaged:
        return
    try:
        again = encode(value)
    except Unstorable as deep:
        pytest.fail(str(deep))
    assert alike(decode(again), value)


DAMAGED: list[tuple[Any, str]] = [
    ({"$os.system": "touch canary"}, r"unknown type '\$os.system'"),
    ({"$type": "subprocess.Popen", "args": []}, "unknown type"),
    ({"$class": "tests.runtime.test_values.Order"}, "unknown type"),
    ({"$pickle": "gASVCg=="}, "unknown type"),
    ({"$int": "5", "$map": {}}, r"\$int does not stand alone"),
    ({"$int": "05"}, "integer"),
    ({"$int": 5}, "integer"),
    ({"$int": "1" * 20_000}, "integer"),
    ({"$float": "1.5"}, "number"),
    ({"$decimal": "1_000"}, "decimal"),
    ({"$decimal": "sNaN"}, "decimal"),
    ({"$decimal": 1}, "text"),
    ({"$bytes": "a"}, "bytes"),
    ({"$date": "2026-13-01"}, "date"),
    ({"$datetime": "yesterday"}, "time"),
    ({"$datetime": "2026-01-01T00:00:00", "fold": 2}, "time"),
    ({"$datetime": "2026-01-01T00:00:00", "zone": "../../etc/passwd"}, "time zone"),
    ({"$datetime": "2026-01-01T00:00:00", "zone": "Mars/Olympus"}, "Mars/Olympus is not known"),
    ({"$datetime": "2026-01-01T00:00:00+00:00", "zone": "UTC"}, "time zone"),
    ({"$duration": "5m"}, "duration"),
    ({"$duration": True}, "duration"),
    ({"$duration": {"$int": "9" * 30}}, "duration"),
    ({"$uuid": "1"}, "UUID"),
    ({"$secret": "hunter2"}, "reference to a secret"),
    ({"$secret": None}, "reference to a secret"),
    ({"$set": [[1]]}, "set"),
    ({"$tuple": {}}, "unknown type"),
    ({"$record": "Order"}, "unknown type"),
    ({"$record": "Order", "fields": []}, "map"),
    ({"$map": 1}, "map"),
    ((1, 2), "a tuple is not part of a stored value"),
]


@pytest.mark.parametrize(("wire", "reason"), DAMAGED)
def test_hostile_data_is_refused(wire: object, reason: str) -> None:
    before = set(sys.modules)
    with pytest.raises(Damaged, match=reason):
        decode([wire])
    assert set(sys.modules) - before <= {"tzdata", "tzdata.zoneinfo"}


def test_stored_data_too_deep_to_read_is_damaged() -> None:
    with pytest.raises(Damaged, match="too deep"):
        decode(nested(100_000))


def test_a_secret_never_holds_itself() -> None:
    with pytest.raises(ValueError, match="given as env:NAME") as refused:
        Secret("sk_live_51H")
    assert "sk_live" not in str(refused.value)
    assert encode(Secret("env:KEY")) == {"$secret": "env:KEY"}


def test_records_are_equal_by_name_and_fields() -> None:
    assert Record("A", {"x": 1}) == Record("A", {"x": 1})
    assert Record("A", {"x": 1}) != Record("B", {"x": 1})
    assert Record("A", {"x": 1}) != {"x": 1}
    assert repr(Record("A", {"x": 1, "y": "b"})) == "A(x=1, y='b')"


@settings(max_examples=40)
@given(st.dictionaries(keys, hashables, min_size=2, max_size=4))
def test_a_digest_does_not_depend_on_the_order_of_keys(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert digest(encode(value)) == digest(encode(turned))


def test_a_digest_tells_types_apart() -> None:
    alike_in_python = [1, 1.0, True, Decimal(1), "1", [1], (1,), {1}, frozenset({1})]
    assert len({digest(encode(value)) for value in alike_in_python}) == len(alike_in_python)


def test_a_digest_is_the_same_under_every_hash_seed() -> None:
    program = (
        "from sagalang.runtime.values import digest, encode;"
        "print(digest(encode([{'a', 'b', 'c', (1, 'd')}, frozenset('xyz')])))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(said) == 1


def test_a_size_is_in_bytes_of_json() -> None:
    assert measure({"a": "ß"}) == len('{"a":"ß"}'.encode())


@pytest.mark.slow
def test_a_value_over_the_limit_is_refused_with_both_sizes() -> None:
    with pytest.raises(Unstorable, match=f"it has {LIMIT + 2:,} bytes, more than the limit of"):
        measure("x" * LIMIT)
