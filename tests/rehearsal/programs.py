"""Programs whose scenarios are played by the tests."""

from __future__ import annotations

from sagalang.compiler.pipeline import compile
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.runtime.rehearsal.rehearse import rehearse
from sagalang.runtime.rehearsal.report import Rehearsal

SHOP = """edition 2026
record Charge { id: str, amount: decimal, state: str }
record Label { code: str, carrier: str }
record Price { id: str, price: decimal, version: int }

tool charge(id: str, amount: decimal) -> Charge {
  call python "shop:charge" (id, amount, key: key)
  effect payment(id) compensatable impact 8
  idempotent by key for 24h
  fails with CardDeclined
  transient with RateLimited
  done with AlreadyCharged
  retry 3 times every 200ms..5s
  timeout 10s settle 30s
  ensures result.amount == amount else "charged another amount"
  verify charge_of(id) consistent after 5s {
    applied when it.state == "captured" gives it
    absent when it.state == "refunded"
    conflict when it.state == "disputed"
  }
  undo refund(result.id) within 90d
}
tool charge_of(id: str) -> Charge? { call python "shop:find" effect none }
tool refund(charge: str) -> json {
  call python "shop:refund" (charge, key: key)
  effect payment restoring
  idempotent by key
  done with AlreadyRefunded
  retry 3 times every 1s..5s
}
tool price_of(id: str) -> Price { call python "shop:price" effect none }
tool set_price(id: str, price: decimal, version: int) -> Price {
  call python "shop:set_price" (id, price, version, key: key)
  effect price(id) reversible
  idempotent by key
  fails with VersionChanged
  remember before = price_of(id)
  verify price_of(id) {
    applied when it.price == price and it.version == version + 1 gives it
    absent when it.version == version or it.price == before.price
    conflict when it.version > version + 1
  }
  undo restore(id, before.price)
}
tool restore(id: str, price: decimal) -> json {
  call python "shop:restore"
  effect price restoring
  idempotent naturally
  retry 3 times
}
tool label(id: str) -> Label {
  call python "shop:label" (id, key: key)
  effect parcel(id) irreversible impact 2 corrective recall(id) needs "ops"
  idempotent by key
  fails with CarrierDown
}
tool recall(id: str) -> json {
  call python "shop:recall" (id, key: key)
  effect parcel restoring
  idempotent by key
  retry 3 times
}
tool sign_in(token: secret[str]) -> str { call python "shop:sign_in" effect none }

saga order(id: str, amount: decimal = 5.00, token: secret[str]) -> Label? {
  step session = sign_in(token)
  requires session != "" else "nobody is signed in"
  step pay = charge(id, amount)
  gate release needs 2 of "ops" shows id, session when amount > 100.00 within 24h else rollback
  step parcel = label(id) else continue
  return parcel
}

saga reprice(id: str, price: decimal) -> Price {
  step now = price_of(id) until it.version > 3 every 1s within 1m
  step set = set_price(id, price, now.version)
    expecting price_of(id).version unchanged since now
  step check = charge(id, 1.00)
  return set
}
"""


def played(text: str, program: str = SHOP) -> Rehearsal:
    """The one scenario of a text, played; its lines are the body of a scenario for `order`."""
    if not text.lstrip().startswith("scenario"):
        text = f'scenario "it" for order {{ given id = "o-1" {text} }}'
    source = Source("shop.saga", program + text)
    made = compile(source, lambda importing, path: Unreadable("nothing"))
    assert made.ok, render(made.diagnostics, made.sources)
    (scenario,) = made.scenarios
    return rehearse(scenario)


def wrong(text: str, program: str = SHOP) -> list[tuple[str, str]]:
    """What fell short in a scenario: expected and happened."""
    return [(one.expected, one.happened) for one in played(text, program).shortfalls]


def told(text: str, program: str = SHOP) -> list[str]:
    """The timeline of a scenario that passes, without times."""
    rehearsal = played(text, program)
    assert rehearsal.passed, rehearsal.shortfalls
    assert not rehearsal.unused
    return [f"{moment.path}: {moment.what}" for moment in rehearsal.timeline]
