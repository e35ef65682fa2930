"""The tools of trip.saga: what they change is a table in `world.db`, where services would be.

Put calls of real services in their place. What matters is kept here: the same key never does a
thing twice, a refusal is an exception that the tool's `fails with` names, and what was done can be
found again by its key.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TypedDict

from sagalang.runtime import Refused, Transient

WORLD = Path(__file__).with_name("world.db")


class SoldOut(Refused):
    """No seat is left: nothing was booked."""


class NoRoom(Refused):
    """The hotel is full: nothing was booked."""


class Busy(Transient):
    """The service took nothing in; asking again is harmless."""


class Booking(TypedDict):
    """A booking as trip.saga declares it."""

    id: str
    city: str


def book_flight(traveller: str, city: str, key: str) -> Booking:
    """Books a seat, once for each key."""
    if city == "Eldorado":
        raise SoldOut(f"no flight goes to {city}")
    return _book("flight", traveller, city, key)


def find_flight(booked_with: str) -> Booking | None:
    """Gives the flight that was booked with a key."""
    return _find("flight", booked_with)


def cancel_flight(booked_with: str) -> None:
    """Gives the seat back."""
    _cancel("flight", booked_with)


def book_hotel(traveller: str, city: str, nights: int, key: str) -> Booking:
    """Books a room, once for each key."""
    if city == "Atlantis":
        raise NoRoom(f"all rooms of {city} are under water")
    return _book("hotel", f"{traveller}, {nights} nights", city, key)


def find_hotel(booked_with: str) -> Booking | None:
    """Gives the room that was booked with a key."""
    return _find("hotel", booked_with)


def cancel_hotel(booked_with: str) -> None:
    """Cancels the room."""
    _cancel("hotel", booked_with)


def send_tickets(traveller: str, text: str, key: str) -> None:
    """Sends a mail, once for each key."""
    _book("mail", f"{traveller}: {text}", "", key)


def _book(kind: str, who: str, city: str, key: str) -> Booking:
    with closing(_open()) as world, world:
        world.execute(
            "INSERT OR IGNORE INTO bookings (key, kind, who, city) VALUES (?, ?, ?, ?)",
            (key, kind, who, city),
        )
    found = _find(kind, key)
    if found is None:
        raise Refused(f"this {kind} was cancelled")
    return found


def _find(kind: str, key: str) -> Booking | None:
    with closing(_open()) as world:
        row = world.execute(
            "SELECT rowid, city FROM bookings WHERE key = ? AND kind = ? AND state = 'booked'",
            (key, kind),
        ).fetchone()
    return None if row is None else {"id": f"{kind}-{row[0]}", "city": row[1]}


def _cancel(kind: str, key: str) -> None:
    with closing(_open()) as world, world:
        world.execute(
            "UPDATE bookings SET state = 'cancelled' WHERE key = ? AND kind = ?", (key, kind)
        )


def _open() -> sqlite3.Connection:
    world = sqlite3.connect(WORLD)
    world.execute(
        "CREATE TABLE IF NOT EXISTS bookings "
        "(key TEXT PRIMARY KEY, kind TEXT, who TEXT, city TEXT, state TEXT DEFAULT 'booked')"
    )
    return world
