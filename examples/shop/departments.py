"""What the shop's four departments do when they are asked: payments, stock, shipping and mail."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import cast

from ledger import TAKEN_BACK, Change, Ledger, Payload, Refusal, State

CARD_LIMIT = Decimal(50_000)
ON_HAND = 100


def _charge(book: Ledger, asked: Payload) -> Change:
    amount = _amount(asked, "amount")
    if amount > CARD_LIMIT:
        raise Refusal("LimitExceeded", f"{amount} is above the card's limit of {CARD_LIMIT}")
    entity, order = f"ch_{book.number()}", _text(asked, "order_id")
    state: State = {"id": entity, "order_id": order, "amount": str(amount), "state": "captured"}
    return Change("payment", order, entity, "do", state)


def _refund(book: Ledger, asked: Payload) -> Change:
    charge = _text(asked, "charge_id")
    known = [row for row in book.rows("payment") if row["entity"] == charge]
    if not known:
        raise Refusal("NotFound", f"there is no charge {charge}", 404)
    return _give_back(book, str(known[0]["resource"]), charge, "refunded")


def _void(book: Ledger, asked: Payload) -> Change:
    made = book.made_with("payments/charge", _text(asked, "forward_key"))
    if made is None:
        raise Refusal("NotFound", "no charge was made with this key", 404)
    return _give_back(book, str(made["order_id"]), str(made["id"]), "voided")


def _give_back(book: Ledger, order: str, charge: str, state: str) -> Change:
    now = book.states("payment", order)[charge]
    if now["state"] in TAKEN_BACK:
        raise Refusal("AlreadyRefunded", f"charge {charge} is {now['state']}")
    if now["state"] == "disputed":
        raise Refusal("Disputed", f"the card's holder disputes charge {charge}")
    return Change("payment", order, charge, "undo", {**now, "state": state})


def _reserve(book: Ledger, asked: Payload) -> Change:
    order, sku, qty = _text(asked, "order_id"), _text(asked, "sku"), _whole(asked, "qty")
    held = {row["entity"]: cast("State", row["state"]) for row in book.rows("stock")}
    taken = sum(
        _whole(state, "qty")
        for state in held.values()
        if state["sku"] == sku and state["state"] not in TAKEN_BACK
    )
    if qty < 1 or taken + qty > ON_HAND:
        raise Refusal("OutOfStock", f"{qty} of {sku} asked, {ON_HAND - taken} free")
    entity = f"rv_{book.number()}"
    state: State = {"id": entity, "order_id": order, "sku": sku, "qty": qty, "state": "reserved"}
    return Change("stock", f"{order}/{sku}", entity, "do", state)


def _release(book: Ledger, asked: Payload) -> Change:
    resource = f"{_text(asked, 'order_id')}/{_text(asked, 'sku')}"
    entity, state = book.standing("stock", resource)
    return Change("stock", resource, entity, "undo", {**state, "state": "released"})


def _label(book: Ledger, asked: Payload) -> Change:
    order, address = _text(asked, "order_id"), _text(asked, "address")
    if not address.strip():
        raise Refusal("AddressRejected", "the address is empty")
    entity = f"lb_{book.number()}"
    state: State = {"code": entity, "carrier": _text(asked, "carrier"), "state": "printed"}
    return Change("parcel", order, entity, "do", state)


def _recall(book: Ledger, asked: Payload) -> Change:
    order = _text(asked, "order_id")
    entity, state = book.standing("parcel", order)
    return Change("parcel", order, entity, "undo", {**state, "state": "recalled"})


def _send(book: Ledger, asked: Payload) -> Change:
    to = _text(asked, "to")
    if "@" not in to:
        raise Refusal("Bounced", f"{to!r} is not an address")
    entity = f"ml_{book.number()}"
    state: State = {"id": entity, "to": to, "text": _text(asked, "text"), "state": "sent"}
    return Change("mail", to, entity, "do", state)


CHANGES: dict[str, Callable[[Ledger, Payload], Change]] = {
    "payments/charge": _charge,
    "payments/refund": _refund,
    "payments/void": _void,
    "stock/reserve": _reserve,
    "stock/release": _release,
    "shipping/label": _label,
    "shipping/recall": _recall,
    "mail/send": _send,
}


def _last(book: Ledger, kind: str, resource: str, until: float) -> State | None:
    """What stands; else what was taken back; else nothing."""
    states = list(book.states(kind, resource, until).values())
    standing = [state for state in states if state["state"] not in TAKEN_BACK]
    found = standing or states
    return found[-1] if found else None


def _held(book: Ledger, asked: Payload, until: float) -> State | None:
    resource = f"{_text(asked, 'order_id')}/{_text(asked, 'sku')}"
    found = _last(book, "stock", resource, until)
    return None if found is None or found["state"] in TAKEN_BACK else found


READS: dict[str, Callable[[Ledger, Payload, float], object]] = {
    "payments/find": lambda b, p, until: _last(b, "payment", _text(p, "order_id"), until),
    "stock/find": _held,
    "shipping/find": lambda b, p, until: _last(b, "parcel", _text(p, "order_id"), until),
    "mail/find": lambda b, p, until: b.made_with("mail/send", _text(p, "key"), until),
    "mail/list": lambda b, p, until: list(b.states("mail", _text(p, "to"), until).values()),
}


def _text(asked: Payload, name: str) -> str:
    value = asked.get(name)
    if not isinstance(value, str):
        raise Refusal("BadRequest", f"{name} must be a text", 400)
    return value


def _whole(asked: Payload, name: str) -> int:
    value = asked.get(name)
    if not isinstance(value, int):
        raise Refusal("BadRequest", f"{name} must be a whole number", 400)
    return value


def _amount(asked: Payload, name: str) -> Decimal:
    try:
        amount = Decimal(str(asked.get(name)))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount <= 0:
        raise Refusal("BadRequest", f"{name} must be an amount above 0", 400)
    return amount
