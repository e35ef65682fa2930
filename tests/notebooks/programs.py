"""The saga that the notebook's tests run, and the functions that its tools call."""

from __future__ import annotations

from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
from sagalang.loading import LoadedSaga, program

TOOLS = """
import threading
from sagalang.runtime import Refused

done = []
held = threading.Event()
held.set()

def book(room):
    held.wait()
    done.append(("book", room))
    return {"id": "b-" + room}

def unbook(room):
    done.append(("unbook", room))

def pay(amount):
    if amount > 100:
        raise Refused("card declined")
    done.append(("pay", amount))
"""

TEXT = '''
edition 2026
record Booking { id: str }

tool book(room: str) -> Booking {
  call python "book"
  effect room(room) reversible impact 2
  idempotent naturally
  timeout 5m
  undo unbook(room)
}
tool unbook(room: str) -> json {
  call python "unbook"
  effect room restoring
  idempotent naturally
  retry 5 times every 100ms..1s
}
tool pay(amount: decimal) -> json {
  call python "pay"
  effect payment irreversible impact 8 corrective "give it back by hand"
  idempotent naturally
}

"""Books a room, and pays for it when people agree."""
saga trip(room: str, amount: decimal = 50.00) -> Booking {
  step hotel = book(room)
  gate ok needs "ops" shows room, amount when amount > 60.00 within 2h else rollback
  step paid = pay(amount)
  return hotel
}
'''

TRIP = "%%saga" + TEXT


def saga(text: str = TEXT, **functions: object) -> LoadedSaga:
    """Gives the only saga of a text, its tools bound to some functions."""
    found = program(Source("trip.saga", text), _nothing, functions)
    return found[next(iter(found))]


def _nothing(importing: str, path: str) -> Unreadable:
    return Unreadable("there is no such file")
