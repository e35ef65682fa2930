"""Stand-ins for an airline, a hotel and a mail server; what they know lies in `booked/`."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

BOOKED = Path(__file__).with_name("booked")


class SoldOut(Exception):
    """There is no seat or room left: nothing was booked."""


def book_flight(trip: str, to: str, idempotency_key: str) -> dict[str, Any]:
    """Books a seat."""
    return _book("flight", trip, "120.00")


def book_room(trip: str, to: str, idempotency_key: str) -> dict[str, Any]:
    """Books a room; there are none in Atlantis."""
    if to == "Atlantis":
        raise SoldOut(f"no room in {to}")
    return _book("room", trip, "80.00")


def find_flight(trip: str) -> dict[str, Any] | None:
    """Gives the seat that is booked, or None."""
    return _find("flight", trip)


def find_room(trip: str) -> dict[str, Any] | None:
    """Gives the room that is booked, or None."""
    return _find("room", trip)


def cancel_flight(trip: str) -> None:
    """Gives the seat back; nothing happens when there is none."""
    _cancel("flight", trip)


def cancel_room(trip: str) -> None:
    """Gives the room back; nothing happens when there is none."""
    _cancel("room", trip)


def send_mail(to: str, text: str, idempotency_key: str) -> None:
    """Sends a mail."""
    print(f"  mail to {to}: {text}", flush=True)


def _book(kind: str, trip: str, price: str) -> dict[str, Any]:
    BOOKED.mkdir(exist_ok=True)
    booking = {"id": f"{kind}-{trip}", "price": price}
    (BOOKED / f"{kind}-{trip}.json").write_text(json.dumps(booking))
    print(f"  booked {kind} {trip}", flush=True)
    return {**booking, "price": Decimal(price)}


def _find(kind: str, trip: str) -> dict[str, Any] | None:
    place = BOOKED / f"{kind}-{trip}.json"
    if not place.exists():
        return None
    booking: dict[str, Any] = json.loads(place.read_text())
    return {**booking, "price": Decimal(booking["price"])}


def _cancel(kind: str, trip: str) -> None:
    (BOOKED / f"{kind}-{trip}.json").unlink(missing_ok=True)
    print(f"  cancelled {kind} {trip}", flush=True)
