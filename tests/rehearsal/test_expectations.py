"""What a scenario expects: what counts as it, and how it is told when it is not so."""

from __future__ import annotations

import pytest

from .programs import played, told, wrong

LARGE = "given amount = 200.00"


def test_a_status() -> None:
    assert wrong("expect rolled back") == [("rolled back", "the run is succeeded")]
    assert wrong('fail pay with "CardDeclined" expect succeeded') == [
        ("succeeded", "the run is rolled back: CardDeclined: as the scenario says")
    ]


def test_done_counts_what_was_taken_back_later() -> None:
    assert told(f"{LARGE} reject release expect done pay expect undone pay")
    assert wrong('fail pay with "CardDeclined" expect done pay, parcel') == [
        ("done pay, parcel", "`pay` failed (CardDeclined); `parcel` was never called")
    ]


def test_undone_is_in_this_order() -> None:
    two = """
scenario "it" for two {
  given id = "a"
  fail last with "CardDeclined"
  expect undone ORDER
}
saga two(id: str) {
  step one = charge(id, 1.00)
  step other = set_price("p", 9.00, 1)
  step last = charge("b", 1.00)
}
"""
    assert told(two.replace("ORDER", "other, one"))
    assert told(two.replace("ORDER", "one"))
    assert wrong(two.replace("ORDER", "one, other")) == [
        ("undone one, other", "undone: `other`, then `one`")
    ]
    assert wrong(two.replace("ORDER", "last")) == [
        ("undone last", "undone: `other`, then `one`; `last` failed (CardDeclined)")
    ]
    assert wrong("expect undone pay") == [
        ("undone pay", "nothing was undone; `pay` was carried out")
    ]


def test_not_called() -> None:
    assert told("expect not called release")
    assert wrong("expect not called pay") == [("not called pay", "`pay` was carried out")]
    assert wrong(f"{LARGE} expect not called release expect waiting") == [
        ("not called release", "`release` waits for people")
    ]


def test_a_corrective() -> None:
    assert wrong("expect corrective parcel") == [
        ("corrective parcel", "no corrective of `parcel` was due")
    ]


@pytest.mark.parametrize(("least", "passes"), [("0.8", True), ("0.81", False)])
def test_the_least_readiness_on_the_way_counts(least: str, passes: bool) -> None:
    found = wrong(f"expect readiness >= {least}")
    expected = (f"readiness >= {least}", "it was 0.8, when `parcel` was under way")
    assert found == ([] if passes else [expected])


def test_a_result() -> None:
    assert wrong("expect result none") == [
        ("result none", 'it gave {"code":"<code>","carrier":"<carrier>"}')
    ]
    assert told('fail parcel with "CarrierDown" expect result none')
    assert wrong('fail pay with "CardDeclined" expect result none') == [
        (
            "result none",
            "it gave nothing: the run is rolled back: CardDeclined: as the scenario says",
        )
    ]


def test_a_failure_has_the_place_of_its_expectation() -> None:
    rehearsal = played('scenario "it" for order {\n  given id = "a"\n  expect paused\n}\n')
    (one,) = rehearsal.shortfalls
    assert (one.at.line - rehearsal.at.line, one.at.column) == (2, 3)


def test_without_an_expectation_it_passes_when_it_ends() -> None:
    assert played("").passed
