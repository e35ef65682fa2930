"""Scenarios of the whole language: items, scopes, rounds, waits, called sagas, agents, guards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.compiler.pipeline import compile
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.files import FileReader
from sagalang.runtime.rehearsal.rehearse import rehearse

from .programs import played, told, wrong

HERE = Path(__file__).parent
OK = HERE.parent / "corpus" / "ok"
FLAGSHIP = (HERE / "flagship.saga").read_text("utf-8").split("\nscenario")[0]

TOOLS = """edition 2026
record Room { id: str, city: str }
record Page { names: list[str], next: str? }
record Answer { agreed: bool }

tool book(city: str) -> Room {
  call python "hotels:book" (city, key: key)
  effect room(city) reversible impact 2
  commutes
  idempotent by key
  fails with Full
  retry 3 times
  verify booked(city)
  undo free(city)
}
tool booked(city: str) -> Room? { call python "hotels:booked" effect none }
tool free(city: str) -> json {
  call python "hotels:free"
  effect room restoring
  idempotent naturally
  retry 3 times
}
tool page(cursor: str?) -> Page { call python "hotels:page" effect none }
tool tell(text: str) -> json {
  call python "mail:tell" (text, key: key)
  effect mail(text) irreversible corrective "Write again."
  idempotent by key
  retry forever
}
agent planner(goal: str) -> list[str] {
  call python "agents:planner"
  may use book at most 5 calls
  ensures len(result) > 0 else "no plan"
}
"""


def test_the_scenario_of_the_language_page() -> None:
    path = HERE / "flagship.saga"
    made = compile(Source(str(path), path.read_text("utf-8")), FileReader())
    assert made.ok, render(made.diagnostics, made.sources)
    (scenario,) = made.scenarios
    rehearsal = rehearse(scenario)
    assert (rehearsal.shortfalls, rehearsal.unused) == ((), ())
    assert rehearsal.status == "rolled_back"


ORDER = """
scenario "it" for fulfil {
  given order = {
    id: "o-1", items: [{ sku: "a" }, { sku: "b" }], total: 12.50, email: "a@example.org",
    address: "Street 1",
  }
"""


def test_the_other_carrier_is_taken() -> None:
    lines = told(
        ORDER
        + """
  fail shipping.ship with "CarrierDown"
  expect succeeded
  expect done shipping, shipping.else.ship, picks, picks["b"], picks["b"].pick, paid, mail
  expect not called sorry
  expect result { code: "<code>", carrier: "<carrier>" }
}""",
        FLAGSHIP,
    )
    assert "shipping: goes on with its `else`" in lines


def test_an_item_that_fails_takes_everything_back_and_then_says_sorry() -> None:
    lines = told(
        ORDER
        + """
  fail picks["b"].pick with "OutOfStock"
  expect rolled back
  expect undone picks["a"].pick
  expect undone picks
  expect undone pay
  expect done picks["a"], sorry
  expect not called shipping
}""",
        FLAGSHIP,
    )
    undone = [lines.index(f"{path}: is undone") for path in ("pay", 'picks["a"].pick')]
    assert max(undone) < lines.index("sorry: `send_mail` is called")


def test_what_is_not_done_of_a_loop_is_told() -> None:
    text = ORDER + ' fail picks["b"].pick with "OutOfStock" expect done picks, picks["b"], mail }'
    assert wrong(text, FLAGSHIP) == [
        (
            'done picks, picks["b"], mail',
            '`picks` was begun; `picks["b"]` was begun; `mail` was never called',
        )
    ]


TOLERANT = """
scenario "it" for tour {
  given cities = ["Rome", "Oslo"]
  fail rooms["Oslo"].room with "Full"
  EXPECTED
}
saga tour(cities: list[str]) -> list[Room?] {
  each rooms = city in cities by city tolerate 1 {
    step room = book(city)
    return room
  }
  return rooms
}
"""


def test_an_item_that_is_tolerated_gives_none() -> None:
    expected = 'expect succeeded expect result [{ id: "<id>", city: "Rome" }, none]'
    told(TOLERANT.replace("EXPECTED", expected), TOOLS)


FIRST = """
scenario "it" for stay {
  given cities = ["Rome", "Oslo"]
  fail room["Rome"].tried with "Full"
  EXPECTED
}
saga stay(cities: list[str]) -> Room {
  first room = city in cities by city {
    step tried = book(city)
    return tried
  }
  return room
}
"""


def test_the_first_item_that_succeeds() -> None:
    expected = 'expect result { id: "<id>", city: "Oslo" } expect done room, room["Oslo"]'
    told(FIRST.replace("EXPECTED", expected), TOOLS)
    both = 'fail room["Oslo"].tried with "Full" expect rolled back'
    told(FIRST.replace("EXPECTED", both), TOOLS)
    missed = wrong(FIRST.replace("EXPECTED", f"{both} expect done room"), TOOLS)
    assert missed == [("done room", "`room` was begun")]


def test_rounds_are_named_by_their_number() -> None:
    text = """
scenario "it" for all {
  mock pages[0].read = { names: ["Rome"], next: "2" }
  mock pages[1].read = { names: ["Oslo", "Bonn"], next: none }
  expect succeeded
  expect done pages, pages[1]
  expect not called pages[2]
  expect result [1, 2]
}
saga all() -> list[int] {
  repeat pages = cursor from none at most 9 times {
    step read = page(cursor)
    return len(read.names)
    next read.next
  }
  return pages
}
"""
    told(text, TOOLS)


WAITING = """
scenario "it" for ask {
  given city = "Rome"
  INJECTED
}
saga ask(city: str) -> bool {
  step room = book(city)
  sleep 10m
  wait answer: Answer within 2d
  requires answer.agreed else "the traveller said no"
  return answer.agreed
}
"""


@pytest.mark.parametrize(
    "injected",
    [
        "signal answer = { agreed: true } expect succeeded expect done answer",
        "signal answer = { agreed: false } expect rolled back expect undone room",
        "expect waiting expect done room",
        "expect rolled back expect undone room expect not called answer",
        "cancel at answer expect cancelled expect undone room",
    ],
)
def test_a_wait(injected: str) -> None:
    if "not called" in injected:
        missed = wrong(WAITING.replace("INJECTED", injected), TOOLS)
        assert missed == [("not called answer", "`answer` lapsed")]
    else:
        told(WAITING.replace("INJECTED", injected), TOOLS)


CALLED = """
scenario "it" for trip {
  given city = "Rome"
  INJECTED
}
saga night(city: str) -> Room {
  step room = book(city)
  gate agreed needs "desk" shows room.id
  return room
}
saga trip(city: str) -> Room {
  step stay = night(city)
  step other = book("Oslo")
  step told = tell("booked {stay.id}")
  return stay
}
"""


def test_a_called_saga_has_its_own_paths() -> None:
    approved = 'approve stay.agreed by "ann"'
    good = f"{approved} expect succeeded expect done stay, stay.room, stay.agreed, told"
    told(CALLED.replace("INJECTED", good), TOOLS)
    back = f'{approved} fail other with "Full" expect rolled back expect undone stay.room'
    told(CALLED.replace("INJECTED", back), TOOLS)
    alone = "reject stay.agreed expect rolled back expect undone stay expect not called other"
    told(CALLED.replace("INJECTED", alone), TOOLS)


def test_an_agent_gives_its_mock_or_a_sample() -> None:
    text = """
scenario "it" for plan_it {
  INJECTED
  expect succeeded
}
saga plan_it() -> list[str] {
  step plan = planner("a tour")
  return plan
}
"""
    mocked = 'mock plan = ["Rome", "Oslo"] expect result ["Rome", "Oslo"]'
    told(text.replace("INJECTED", mocked), TOOLS)
    told(text.replace("INJECTED", "expect done plan"), TOOLS)


def test_a_guard_opens_a_gate_before_the_call() -> None:
    text = """
scenario "it" for guarded {
  INJECTED
}
saga guarded(city: str = "Rome") -> Room {
  guard readiness >= 0.9 needs "desk"
  step room = book(city)
  step mail = tell("booked")
  return room
}
"""
    approved = 'approve mail.guard by "ann" expect succeeded expect done mail, mail.guard'
    told(text.replace("INJECTED", approved), TOOLS)
    told(text.replace("INJECTED", "expect waiting expect not called mail"), TOOLS)
    told(text.replace("INJECTED", "reject mail.guard expect rolled back"), TOOLS)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "travel",
            """
scenario "no rail, no room" for trip {
  given traveller = "ada"
  given legs = [{ origin: "Rome", goal: "Oslo", on: "2026-12-01" }]
  fail rooms[0].night with "NoRoom"
  expect rolled back
}""",
        ),
        (
            "assistant",
            """
scenario "nothing to buy" for restock {
  given goals = ["tea"]
  mock bought["tea"].buy = []
  expect succeeded
  expect result [[]]
}""",
        ),
        (
            "migration",
            """
scenario "the first store is full" for move_page {
  given page = { id: "p", title: "Home", version: 3 }
  given stores = ["main", "spare"]
  fail place["main"].made with "Full"
  expect succeeded
  expect done place["spare"].made, route
}
scenario "two pages" for move_folder {
  given folder = "docs"
  mock batches[0].read = {
    pages: [{ id: "a", title: "A", version: 1 }, { id: "b", title: "B", version: 1 }], cursor: none,
  }
  fail batches[0].moved["a"].move.place["main"].made with "Full"
  fail batches[0].moved["a"].move.place["spare"].made with "TitleTaken"
  expect succeeded
  expect done batches[0].moved["b"].move.route
  expect not called batches[0].moved["a"].move.route
}""",
        ),
    ],
)
def test_programs_such_as_people_write(file: str, text: str) -> None:
    path = OK / f"{file}.saga"
    source = Source(str(path), f"{path.read_text('utf-8')}\n{text}")
    made = compile(source, FileReader())
    assert made.ok, render(made.diagnostics, made.sources)
    for scenario in made.scenarios:
        rehearsal = rehearse(scenario)
        assert (rehearsal.shortfalls, rehearsal.unused) == ((), ())


def test_an_undo_of_an_item_is_refused() -> None:
    text = TOLERANT.replace(
        "EXPECTED", 'fail rooms["Rome"].room with "Full" expect rolled back'
    ).replace("tolerate 1", "")
    assert played(text, TOOLS).passed
