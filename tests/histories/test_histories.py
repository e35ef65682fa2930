"""Released formats of events: a file each, never changed, and read for ever."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest

from sagalang.runtime.events import Action, Descriptor, Event, Fault, Kind
from sagalang.runtime.journal.encoding import decode, encode, genesis, link
from sagalang.runtime.values import Record, decode as decode_value

HERE = Path(__file__).parent


def bodies(name: str) -> list[bytes]:
    return HERE.joinpath(name).read_bytes().splitlines()


def no_blob(name: str) -> bytes:
    raise AssertionError(name)


def read(name: str) -> list[Event]:
    return [decode(body, HERE / name, no_blob) for body in bodies(name)]


@pytest.mark.parametrize(
    ("name", "chain"),
    [("events-v1.ndjson", "d48a7cf955f33bb84f3f3f2b03ef62412d2a75ff1ba16a39720ac8c6014c2045")],
)
def test_a_released_history_is_what_it_was(name: str, chain: str) -> None:
    """Who changes an event's format adds a version and a file; this one stays."""
    found = genesis("o-1")
    for body in bodies(name):
        found = link(found, body)
    assert found.hex() == chain


def test_format_1_holds_every_kind_in_order() -> None:
    events = read("events-v1.ndjson")
    assert {event.v for event in events} == {1}
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert {event.kind for event in events} == set(get_args(Kind))


def test_format_1_is_read_to_the_same_events() -> None:
    events = {event.n: event for event in read("events-v1.ndjson")}
    started, intent, outcome, unknown = (events[n] for n in (1, 6, 10, 16))
    assert started.actor == "ann"
    assert started.readiness == (1, 1)
    order = decode_value(started.data["inputs"]["order"])
    assert isinstance(order, Record)
    assert order.fields["total"] == Decimal("12.50")
    assert intent.action == Action(
        "charge",
        "shop:charge",
        {"amount": {"$decimal": "12.50"}, "note": {"$map": {"$blob": "the user's own"}}},
        "ab12",
    )
    assert intent.undo is not None
    assert [one.ordinal for one in intent.undo] == [0, 1]
    assert intent.undo[1] == Descriptor(1, "credit", fault="nothing is known of it")
    assert (intent.direction, intent.generation, intent.attempt) == ("do", 1, 1)
    assert (intent.epoch, outcome.epoch) == (1, 2)
    assert outcome.response == {"id": "ch-1", "raw": "x"}
    assert decode_value(outcome.result) == Record("Charge", {"id": "ch-1"})
    assert unknown.error == Fault("OSError", "connection cut", "Traceback: …")
    assert events[27].data == {"unproven": ["ship"]}


def test_what_is_written_today_is_format_1() -> None:
    """Byte for byte: the default of a field is part of the format."""
    for body, event in zip(bodies("events-v1.ndjson"), read("events-v1.ndjson"), strict=True):
        assert encode(event, b"salt").body == body
