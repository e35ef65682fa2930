"""The shop's tools say what the service said: done, refused, not landed, or nobody knows."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from decimal import Decimal
from types import ModuleType
from typing import Any

import httpx
import msgspec
import pytest

from sagalang.runtime import Conflict, Refused, Transient

PRICE = Decimal("12.50")


def do(function: Callable[..., Any], *arguments: object, **named: object) -> Any:
    """Calls a tool the way it wants to be called: at once, or on a loop."""
    made = function(*arguments, **named)
    return asyncio.run(made) if inspect.iscoroutine(made) else made


def calls(tools: ModuleType) -> list[tuple[str, Callable[[], Any]]]:
    """One call of each tool that changes something, with the operation that it reaches."""
    return [
        ("payments/charge", lambda: do(tools.charge, "o-1", PRICE, idempotency_key="k1")),
        ("stock/reserve", lambda: do(tools.reserve, "o-1", "mug", 1, idempotency_key="k2")),
        (
            "shipping/label",
            lambda: do(tools.create_label, "o-1", "Street 1", "ups", idempotency_key="k3"),
        ),
        ("mail/send", lambda: do(tools.send_mail, "a@example.org", "hi", idempotency_key="k4")),
        ("shipping/recall", lambda: do(tools.recall, "o-1", idempotency_key="k5")),
        ("stock/release", lambda: do(tools.release, "o-1", "mug")),
        ("payments/void", lambda: do(tools.void, "k1")),
    ]


def test_what_is_done_can_be_found_and_taken_back(shop: Any, tools: ModuleType) -> None:
    charge = do(tools.charge, "o-1", PRICE, idempotency_key="k1")
    assert charge == {"id": "ch_1", "amount": PRICE, "state": "captured"}
    assert do(tools.find_charge, "o-1") == charge
    held = do(tools.reserve, "o-1", "mug", 2, idempotency_key="k2")
    assert do(tools.find_reservation, "o-1", "mug") == held
    label = do(tools.create_label, "o-1", "Street 1", "dhl", idempotency_key="k3")
    assert do(tools.find_label, "o-1") == label
    do(tools.send_mail, "a@example.org", "hello", idempotency_key="k4")
    assert do(tools.find_mail, "k4")["text"] == "hello"

    do(tools.recall, "o-1", idempotency_key="k5")
    do(tools.release, "o-1", "mug")
    do(tools.refund, charge["id"], idempotency_key="k6")
    assert do(tools.find_charge, "o-1")["state"] == "refunded"
    assert do(tools.find_reservation, "o-1", "mug") is None
    assert [shop.net(kind) for kind in ("payment", "stock", "parcel", "mail")] == [0, 0, 0, 1]


def test_nothing_there_is_none(shop: Any, tools: ModuleType) -> None:
    assert do(tools.find_charge, "o-1") is None
    assert do(tools.find_reservation, "o-1", "mug") is None
    assert do(tools.find_label, "o-1") is None
    assert do(tools.find_mail, "k1") is None


def test_a_repeated_key_is_passed_on(shop: Any, tools: ModuleType) -> None:
    for operation, call in calls(tools)[:4]:
        assert call() == call()
        assert len(shop.calls(operation)) == 2
    assert len(shop.rows()) == 4


@pytest.mark.parametrize(
    ("operation", "number", "name"),
    [
        ("payments/charge", 0, "CardDeclined"),
        ("payments/charge", 0, "LimitExceeded"),
        ("stock/reserve", 1, "OutOfStock"),
        ("shipping/label", 2, "CarrierDown"),
        ("shipping/label", 2, "AddressRejected"),
        ("mail/send", 3, "Bounced"),
    ],
)
def test_a_refusal_has_the_class_that_the_saga_names(
    shop: Any, tools: ModuleType, operation: str, number: int, name: str
) -> None:
    shop.switch(operation, refuse=name)
    with pytest.raises(Refused) as caught:
        calls(tools)[number][1]()
    assert type(caught.value).__name__ == name
    assert shop.rows() == []


def test_a_refusal_without_a_class_of_its_own_is_still_a_refusal(
    shop: Any, tools: ModuleType
) -> None:
    shop.switch("payments/charge", refuse="CardStolen")
    with pytest.raises(Refused, match="CardStolen"):
        do(tools.charge, "o-1", PRICE, idempotency_key="k1")


def test_it_is_already_so_has_a_class_that_is_no_refusal(shop: Any, tools: ModuleType) -> None:
    charge = do(tools.charge, "o-1", PRICE, idempotency_key="k1")
    do(tools.refund, charge["id"], idempotency_key="k2")
    undos: list[tuple[Callable[[], Any], str]] = [
        (lambda: do(tools.refund, charge["id"], idempotency_key="k3"), "AlreadyRefunded"),
        (lambda: do(tools.void, "k1"), "AlreadyRefunded"),
        (lambda: do(tools.void, "k9"), "NotFound"),
        (lambda: do(tools.release, "o-1", "mug"), "NotFound"),
        (lambda: do(tools.recall, "o-1", idempotency_key="k4"), "NotFound"),
    ]
    for undo, name in undos:
        with pytest.raises(getattr(tools, name)) as caught:
            undo()
        assert not isinstance(caught.value, Refused)


def test_a_rate_limit_is_transient_and_says_how_long(shop: Any, tools: ModuleType) -> None:
    for operation, call in calls(tools):
        shop.switch(operation, rate_limit=0.25)
        with pytest.raises(Transient) as caught:
            call()
        assert caught.value.retry_after == 0.25
    assert shop.rows() == []


def test_a_known_key_with_other_arguments_is_a_conflict(shop: Any, tools: ModuleType) -> None:
    do(tools.charge, "o-1", PRICE, idempotency_key="k1")
    with pytest.raises(Conflict):
        do(tools.charge, "o-1", PRICE + 1, idempotency_key="k1")
    assert shop.net("payment", "o-1") == 1


@pytest.mark.parametrize("fault", ["lose_answer", "cut_before"])
def test_a_cut_connection_is_neither_a_refusal_nor_transient(
    shop: Any, tools: ModuleType, fault: str
) -> None:
    for operation, call in calls(tools)[:4]:
        shop.switch(operation, **{fault: True})
        with pytest.raises(httpx.RemoteProtocolError):
            call()
    assert len(shop.rows()) == (4 if fault == "lose_answer" else 0)


@pytest.mark.parametrize("malformed", ["json", "shape"])
def test_a_malformed_answer_is_neither_a_refusal_nor_transient(
    shop: Any, tools: ModuleType, malformed: str
) -> None:
    for operation, call in calls(tools)[:3]:
        shop.switch(operation, malformed=malformed)
        with pytest.raises(msgspec.DecodeError):
            call()
    assert len(shop.rows()) == 3


def test_a_shop_that_is_closed_was_not_reached(
    tools: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_URL", "http://127.0.0.1:1")
    for _, call in calls(tools):
        with pytest.raises(Transient, match="the shop does not answer"):
            call()
