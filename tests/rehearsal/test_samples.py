"""What simulated services give where the scenario does not say it."""

from __future__ import annotations

from .programs import SHOP, told, wrong

SET = 'scenario "it" for reprice { given id = "a" given price = 9.00 '


def test_a_result_copies_arguments_and_satisfies_ensures_and_verify() -> None:
    text = 'expect result { code: "<code>", carrier: "<carrier>" }'
    assert told(f"expect succeeded {text}")
    assert told("given amount = 7.25 lose pay expect succeeded")


def test_a_mock_is_what_the_call_gives() -> None:
    text = 'mock parcel = { code: "C-1", carrier: "ups" }'
    assert told(f'{text} expect result {{ code: "C-1", carrier: "ups" }}')


def test_a_mock_may_break_a_promise() -> None:
    lines = told(
        'mock pay = { id: "c", amount: 4.00, state: "captured" } expect rolled back '
        "expect undone pay"
    )
    assert "pay: it landed, and broke its promise (Ensures: charged another amount)" in lines


def test_a_poll_is_given_what_it_waits_for() -> None:
    text = 'expect succeeded expect result { id: "a", price: 9.00, version: 5 } }'
    assert told(SET + text)


def test_a_poll_that_is_given_something_else_lapses() -> None:
    text = 'mock now = { id: "a", price: 1.00, version: 2 } expect rolled back }'
    lines = told(SET + text)
    assert "now: is not there yet" in lines


def test_a_read_that_several_ask_is_told_the_same_and_an_effect_changes_it() -> None:
    text = 'mock now = { id: "a", price: 4.00, version: 7 } lose set expect succeeded '
    lines = told(SET + text + 'expect result { id: "a", price: 9.00, version: 8 } }')
    assert "set: verify: it is there" in lines


def test_an_undo_brings_back_what_was_there() -> None:
    lines = told(SET + 'fail check with "CardDeclined" expect rolled back expect undone set }')
    assert "set: verify after the undo: it is not there" in lines


def test_what_no_sample_satisfies_has_to_be_said() -> None:
    hard = SHOP.replace(
        'ensures result.amount == amount else "charged another amount"',
        'ensures len(result.id) == 12 else "not an id"',
    )
    ((expected, happened),) = wrong("expect succeeded", hard)
    assert expected == "what `pay` gives to satisfy `len(result.id) == 12`"
    assert happened == "no such value was found. Say what it gives: `mock pay = ...`"
    assert not wrong(
        'mock pay = { id: "123456789012", amount: 5.00, state: "captured" } expect succeeded',
        hard,
    )


def test_a_constant_without_a_value_is_told_at_the_scenario() -> None:
    ((_, happened),) = wrong("given amount = 1.00 / 0 expect succeeded")
    assert "division by zero" in happened
    ((_, happened),) = wrong("expect readiness >= 1.00 / 0")
    assert "division by zero" in happened
