"""The functions that the tools of `fulfil.saga` call: the shop's service over HTTP.

Each says exactly one of four things. It returns: it happened. It raises one of the exceptions
below: the service refused. It raises `Transient`: this attempt did not land. Anything else that
comes out of it, a cut connection above all, means: nobody knows.
"""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any, TypedDict, TypeVar

import httpx
import msgspec

from sagalang.runtime import Conflict, Refused, Transient

T = TypeVar("T")

# One TLS context for all clients: making it costs more than a call to a service next door.
_TLS = httpx.create_ssl_context(trust_env=False)


class CardDeclined(Refused):
    """The card's bank said no."""


class LimitExceeded(Refused):
    """The amount is above the card's limit."""


class OutOfStock(Refused):
    """There is not enough left."""


class CarrierDown(Refused):
    """The carrier takes no parcels now."""


class AddressRejected(Refused):
    """The carrier does not deliver there."""


class Bounced(Refused):
    """The mail address does not exist."""


class NotFound(Exception):
    """There is nothing to take back."""


class AlreadyRefunded(Exception):
    """The money went back before."""


_BY_NAME: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        CardDeclined,
        LimitExceeded,
        OutOfStock,
        CarrierDown,
        AddressRejected,
        Bounced,
        NotFound,
        AlreadyRefunded,
    )
}


class Charge(TypedDict):
    """What the payments department says about a charge."""

    id: str
    amount: Decimal
    state: str


class Reservation(TypedDict):
    """What the stock department holds for an order."""

    id: str
    sku: str
    qty: int


class Tracking(TypedDict):
    """A parcel on its way."""

    code: str
    carrier: str
    state: str


# --- payments and stock: ordinary functions, which run in a pool of threads ----------------------


def charge(order_id: str, amount: Decimal, idempotency_key: str) -> Charge:
    """Charges the order's card. Raises `CardDeclined`, `LimitExceeded`."""
    asked = {"order_id": order_id, "amount": str(amount)}
    return _post("payments/charge", asked, idempotency_key, Charge)


def find_charge(order_id: str) -> Charge | None:
    """The order's charge as it is now."""
    return _get("payments/find", {"order_id": order_id}, Charge)


def refund(charge_id: str, idempotency_key: str) -> object:
    """Gives the money of a charge back. Raises `AlreadyRefunded`, `NotFound`."""
    return _post("payments/refund", {"charge_id": charge_id}, idempotency_key, object)


def void(forward_key: str) -> object:
    """Gives back what was charged with a key, if anything was. Raises like `refund`."""
    return _post("payments/void", {"forward_key": forward_key}, None, object)


def reserve(order_id: str, sku: str, qty: int, idempotency_key: str) -> Reservation:
    """Puts goods aside for an order. Raises `OutOfStock`."""
    asked = {"order_id": order_id, "sku": sku, "qty": qty}
    return _post("stock/reserve", asked, idempotency_key, Reservation)


def find_reservation(order_id: str, sku: str) -> Reservation | None:
    """What is put aside for an order."""
    return _get("stock/find", {"order_id": order_id, "sku": sku}, Reservation)


def release(order_id: str, sku: str) -> object:
    """Puts goods back on the shelf. Raises `NotFound`."""
    return _post("stock/release", {"order_id": order_id, "sku": sku}, None, object)


# --- shipping and mail: async functions, which share one loop ------------------------------------


async def create_label(order_id: str, address: str, carrier: str, idempotency_key: str) -> Tracking:
    """Hands the parcel to a carrier. Raises `CarrierDown`, `AddressRejected`."""
    asked = {"order_id": order_id, "address": address, "carrier": carrier}
    return await _post_async("shipping/label", asked, idempotency_key, Tracking)


async def find_label(order_id: str) -> Tracking | None:
    """The order's parcel as it is now."""
    return await _get_async("shipping/find", {"order_id": order_id}, Tracking)


async def recall(order_id: str, idempotency_key: str) -> object:
    """Calls a parcel back. Raises `NotFound`."""
    return await _post_async("shipping/recall", {"order_id": order_id}, idempotency_key, object)


async def send_mail(to: str, text: str, idempotency_key: str) -> object:
    """Sends a mail. Raises `Bounced`."""
    return await _post_async("mail/send", {"to": to, "text": text}, idempotency_key, object)


async def find_mail(forward_key: str) -> object:
    """The mail that was sent with a key."""
    return await _get_async("mail/find", {"key": forward_key}, object)


# --- how the service speaks ----------------------------------------------------------------------


def _post(path: str, asked: dict[str, Any], key: str | None, kind: type[T]) -> T:
    with httpx.Client(verify=_TLS, trust_env=False, timeout=20) as client:
        try:
            answer = client.post(_url(path), json=asked, headers=_headers(key))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _closed(error) from error
    return msgspec.json.decode(_accepted(answer), type=kind)


async def _post_async(path: str, asked: dict[str, Any], key: str | None, kind: type[T]) -> T:
    async with httpx.AsyncClient(verify=_TLS, trust_env=False, timeout=20) as client:
        try:
            answer = await client.post(_url(path), json=asked, headers=_headers(key))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _closed(error) from error
    return msgspec.json.decode(_accepted(answer), type=kind)


def _get(path: str, asked: dict[str, str], kind: type[T]) -> T | None:
    with httpx.Client(verify=_TLS, trust_env=False, timeout=20) as client:
        answer = client.get(_url(path), params=asked)
    return msgspec.json.decode(_accepted(answer), type=kind | None)


async def _get_async(path: str, asked: dict[str, str], kind: type[T]) -> T | None:
    async with httpx.AsyncClient(verify=_TLS, trust_env=False, timeout=20) as client:
        answer = await client.get(_url(path), params=asked)
    return msgspec.json.decode(_accepted(answer), type=kind | None)


def _url(path: str) -> str:
    return f"{os.environ.get('SHOP_URL', 'http://127.0.0.1:8700').rstrip('/')}/{path}"


def _headers(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


def _closed(error: httpx.TransportError) -> Transient:
    # No connection was made, so nothing of the call can have reached the service. A connection
    # that is cut later proves nothing, and is left to come out as it is.
    return Transient(f"the shop does not answer at {_url('')}: {error}")


def _accepted(answer: httpx.Response) -> bytes:
    """The body of an answer that says yes; a no is raised as what it is."""
    if answer.is_success:
        return answer.content
    if not answer.is_client_error:
        answer.raise_for_status()
    no = msgspec.json.decode(answer.content, type=_No)
    if answer.status_code == 429:
        raise Transient(no.message, retry_after=no.retry_after)
    if answer.status_code == 409:
        raise Conflict(no.message)
    raise (
        _BY_NAME[no.error](no.message)
        if no.error in _BY_NAME
        else Refused(f"{no.error}: {no.message}")
    )


class _No(msgspec.Struct):
    """How the service says no."""

    error: str
    message: str
    retry_after: float | None = None
