"""The algebra of types: what fits, what has one type in common, and what is coerced."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, strategies as st

from sagalang.compiler.typing.types import (
    BUILT_IN,
    JSON,
    NEVER,
    NONE,
    UNKNOWN,
    coerced,
    comparable,
    fits,
    holds_secret,
    joined,
    list_of,
    map_of,
    optional,
    present,
    settled,
    shown,
)
from sagalang.runtime.formula import Name, Type

SIMPLE = [*map(Type, BUILT_IN), NONE, Type("record", name="Item"), Type("enum", name="Speed")]


def grown(inner: list[Type]) -> list[Type]:
    """All that can be made of some types in one more step."""
    made = [made for one in inner for made in (list_of(one), map_of(one), optional(one))]
    return [*inner, *made, *(Type("secret", of=one) for one in inner)]


ONCE = list(dict.fromkeys(grown(SIMPLE)))
TYPES = list(dict.fromkeys(grown(ONCE)))
PLAIN = [each for each in ONCE if "json" not in str(each) and not holds_secret(each)]
types = st.sampled_from(TYPES)


@given(types)
def test_every_type_fits_itself_and_its_own_option(one: Type) -> None:
    assert fits(one, one)
    assert fits(one, optional(one))
    assert joined(one, one) == one


@given(types)
def test_only_what_holds_no_secret_is_any_value(one: Type) -> None:
    assert fits(one, JSON) is not holds_secret(one)
    assert fits(JSON, one) is not holds_secret(one)


@given(types)
def test_after_a_mistake_anything_goes(one: Type) -> None:
    assert fits(UNKNOWN, one) and fits(one, UNKNOWN) and fits(NEVER, one)
    assert joined(UNKNOWN, one) == joined(one, UNKNOWN) == one


def test_what_fits_fits_on() -> None:
    wider = {one: [two for two in PLAIN if fits(one, two)] for one in PLAIN}
    for one, found in wider.items():
        assert {three for two in found for three in wider[two]} == set(found), one


@given(types, types)
def test_values_of_both_become_values_of_what_they_have_in_common(one: Type, other: Type) -> None:
    both = joined(one, other)
    assert both == joined(other, one)
    if both is not None:
        assert coerced(Name("x"), one, both) is not None
        assert coerced(Name("x"), other, both) is not None


def test_what_has_nothing_in_common_is_never_equal() -> None:
    for one, other in product(PLAIN, PLAIN):
        both = joined(one, other) is not None
        assert comparable(one, other) is comparable(other, one) is both, (one, other)


@given(types)
def test_what_a_plan_holds_is_written_in_the_language(one: Type) -> None:
    assert settled(one) == one
    assert settled(list_of(UNKNOWN)) == settled(list_of(NEVER)) == list_of(JSON)
    assert shown(one) == f"`{one}`"


@given(types)
def test_an_option_is_taken_away_once(one: Type) -> None:
    assert present(optional(one)) == present(one)
    assert optional(optional(one)) == optional(one)


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        ("decimal", "int"), ("decimal", "float"), ("float", "decimal"), ("float", "int"),
        ("str", "int"), ("int", "str"), ("bool", "int"), ("date", "datetime"),
    ],
)  # fmt: skip
def test_nothing_else_becomes_anything_else(given_: str, wanted: str) -> None:
    kinds: dict[str, Type] = {kind: Type(kind) for kind in BUILT_IN}
    assert coerced(Name("x"), kinds[given_], kinds[wanted]) is None
