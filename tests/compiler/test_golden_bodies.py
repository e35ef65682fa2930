"""Golden modules with bodies run: items, candidates, rounds, scopes, called sagas, all the way."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime import Log, Refused, Run

GOLDEN = Path(__file__).parents[1] / "golden"


class World:
    """What is outside: functions by module, what they were called with, and what they refuse."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *refuses: tuple[str, ...]) -> None:
        self.calls: list[tuple[str, ...]] = []
        self._refuses = refuses
        self._monkeypatch = monkeypatch
        self.there: dict[tuple[str, ...], object] = {}

    def tell(self, *said: str) -> None:
        """Notes a call, or refuses it."""
        if said in self._refuses:
            raise Refused(f"no {' '.join(said)}")
        self.calls.append(said)

    def modules(self, **outside: object) -> None:
        """Makes the methods of some objects importable, each object as a module."""
        for name, those in outside.items():
            made = ModuleType(name)
            for method in dir(those):
                if not method.startswith("_"):
                    setattr(made, method, getattr(those, method))
            self._monkeypatch.setitem(sys.modules, name, made)

    def made(self, verb: str) -> list[list[str]]:
        """The calls of a function, without its name."""
        return [list(said[1:]) for said in self.calls if said[0] == verb]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    monkeypatch.chdir(tmp_path)
    with Log(tmp_path / "test.duckdb") as opened:
        yield opened


def golden(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A golden module, imported as users import it."""
    spec = importlib.util.spec_from_file_location(name, GOLDEN / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def settled(run: Run) -> Run:
    return run.wait(60)


def statuses(run: Run) -> dict[str, str]:
    return {step["path"]: step["status"] for step in run.to_json()["steps"]}


class Part:
    """A service of a world."""

    def __init__(self, world: World) -> None:
        self._world = world


class Stock(Part):
    def hold(self, order_id: str, sku: str, qty: int, idempotency_key: str) -> object:
        self._world.tell("hold", sku)
        self._world.there["hold", sku] = {"id": f"h-{sku}", "sku": sku}
        return self._world.there["hold", sku]

    def release(self, order_id: str, sku: str) -> None:
        self._world.tell("release", sku)
        self._world.there.pop(("hold", sku), None)

    def find(self, order_id: str, sku: str) -> object:
        return self._world.there.get(("hold", sku))


class Payments(Part):
    def charge(self, order_id: str, amount: Decimal, idempotency_key: str) -> object:
        self._world.tell("charge")
        self._world.there["charge",] = {"id": "c", "amount": amount, "state": "captured"}
        return self._world.there["charge",]

    def refund(self, order_id: str, idempotency_key: str) -> None:
        self._world.tell("refund")
        self._world.there["charge",] = {"id": "c", "amount": Decimal(1), "state": "refunded"}

    def find(self, order_id: str) -> object:
        return self._world.there.get(("charge",))


class Carriers(Part):
    def send(self, order_id: str, carrier: str, address: str, idempotency_key: str) -> object:
        self._world.tell("send", carrier)
        return {"code": "T1", "carrier": carrier}

    def find(self, order_id: str, carrier: str) -> None: ...

    def recall(self, order_id: str, idempotency_key: str) -> None: ...


class Mail(Part):
    def send(self, to: str, text: str, idempotency_key: str) -> None:
        self._world.tell("mail", text)

    def ask(self, traveller: str, price: Decimal) -> None:
        self._world.tell("ask", str(price))


def shop(world: World) -> None:
    """The world of `fulfilment`."""
    world.modules(
        stock=Stock(world), payments=Payments(world), carriers=Carriers(world), mail=Mail(world)
    )


def ordered(module: Any) -> Any:
    return module.Order(
        id="o-1",
        items=[module.Item(sku="a"), module.Item(sku="b", qty=2)],
        total=Decimal("12.50"),
        email="ann@example.org",
        address="Street 1",
    )


def test_items_are_held_side_by_side_and_the_order_is_sent(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch)
    shop(world)
    module = golden("fulfilment_saga", monkeypatch)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.result() == module.Parcel(code="T1", carrier="ups")
    assert sorted(world.made("hold")) == [["a"], ["b"]]
    assert world.made("mail") == [["On its way: T1"]]
    assert statuses(run)['picks["a"].pick'] == "succeeded"


def test_where_one_carrier_refuses_the_other_one_sends(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ("send", "ups"))
    shop(world)
    module = golden("fulfilment_saga", monkeypatch)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.result() == module.Parcel(code="T1", carrier="dhl")
    assert (world.made("release"), world.made("refund")) == ([], [])
    assert statuses(run)["shipping.else.ship"] == "succeeded"


def test_where_both_refuse_nothing_is_left_and_the_customer_is_told(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ("send", "ups"), ("send", "dhl"))
    shop(world)
    module = golden("fulfilment_saga", monkeypatch)
    run = settled(module.fulfil.start(log, order=ordered(module)))
    assert run.status == "rolled_back"
    assert sorted(world.made("release")) == [["a"], ["b"]]
    assert world.made("refund") == [[]]
    assert world.calls[-1] == ("mail", "We could not ship your order o-1.")


PAGES = [{"id": f"p{n}", "title": f"Page {n}", "version": 1} for n in range(4)]


class OldStore:
    def list(self, folder: str, cursor: str | None) -> object:
        at = int(cursor or "0")
        return {"pages": PAGES[at : at + 2], "cursor": str(at + 2) if at + 2 < 4 else None}

    def get(self, id: str) -> object:
        return PAGES[int(id[1:])]


class NewStore(Part):
    def create(self, page: str, store: str, title: str, idempotency_key: str) -> object:
        self._world.tell("create", page, store)
        self._world.there[page, store] = {"id": f"{page}@{store}", "page": page}
        return self._world.there[page, store]

    def delete(self, page: str, store: str) -> None:
        self._world.tell("delete", page, store)
        self._world.there.pop((page, store), None)

    def find(self, page: str, store: str) -> object:
        return self._world.there.get((page, store))


class Router(Part):
    def redirect(self, page: str, to: str, idempotency_key: str) -> None:
        self._world.tell("redirect", page, to)

    def restore(self, page: str) -> None: ...


def content(world: World) -> None:
    """The world of `migration`: two batches of two pages."""
    world.modules(old=OldStore(), new=NewStore(world), router=Router(world))


def test_pages_are_moved_batch_by_batch_to_the_first_store_that_takes_them(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ("create", "p1", "main"))
    content(world)
    module = golden("migration_saga", monkeypatch)
    run = settled(module.move_folder.start(log, folder="f"))
    assert run.result() == [["p0@main", "p1@spare"], ["p2@main", "p3@main"]]


def test_a_page_that_cannot_be_moved_stays_where_it_is(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ("redirect", "p2", "p2@main"))
    content(world)
    module = golden("migration_saga", monkeypatch)
    run = settled(module.move_folder.start(log, folder="f"))
    assert run.result() == [["p0@main", "p1@main"], [None, "p3@main"]]
    assert world.made("delete") == [["p2", "main"]]
    assert statuses(run)['batches[1].moved["p2"].move.place["main"].made'] == "compensated"


class Bookings(Part):
    """What can be booked and freed: seats by air alone, rooms, cars."""

    def __init__(self, world: World, what: str, price: str) -> None:
        super().__init__(world)
        self._what = what
        self._price = Decimal(price)

    def book(self, traveller: str, goal: str, idempotency_key: str) -> object:
        self._world.tell(self._what, goal)
        made = {"id": f"{self._what}-{goal}", "price": self._price}
        self._world.there[self._what, goal] = made
        return made

    def free(self, traveller: str, city: str) -> None:
        self._world.tell(f"free {self._what}", city)
        self._world.there.pop((self._what, city), None)

    def find(self, traveller: str, offer: str) -> object:
        return self._world.there.get((self._what, offer))


class Seats(Bookings):
    def offers(self, leg: Any, carrier: str) -> object:
        return [] if carrier == "rail" else [{"id": f"{leg.goal}-1", "price": self._price}]

    def cancel(self, traveller: str, offer: str) -> None:
        self.free(traveller, offer)


class Bank:
    def charge(self, traveller: str, amount: Decimal, idempotency_key: str) -> None: ...


def travel(world: World) -> None:
    """The world of `travel`: no seats by rail."""
    world.modules(
        travel=Seats(world, "seat", "80"),
        hotel=Bookings(world, "room", "50"),
        cars=Bookings(world, "car", "30"),
        mail=Mail(world),
        payments=Bank(),
    )


def test_a_trip_that_is_cancelled_while_the_traveller_thinks_is_taken_back(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(monkeypatch, ("car", "Rome"))
    travel(world)
    module = golden("travel_saga", monkeypatch)
    legs = [
        module.Leg(origin="Bern", goal=goal, on=date(2026, 5, day))
        for day, goal in enumerate(("Rome", "Oslo"), 1)
    ]
    run = settled(module.trip.start(log, traveller="ann", legs=legs, car_in="Rome"))
    assert run.status == "waiting"
    # No car in Rome: the scope goes on without one.
    assert ("ask", "260") in world.calls
    run.cancel(by="ann", reason="too dear")
    assert settled(run).status == "cancelled"
    undone = [call for call in world.calls if call[0].startswith("free")]
    assert sorted(undone) == [
        ("free room", "Oslo"),
        ("free room", "Rome"),
        ("free seat", "Oslo-1"),
        ("free seat", "Rome-1"),
    ]
