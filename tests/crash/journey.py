"""The sagas of these tests: the shop's tools, with or without keys and a verify, and journeys."""

from __future__ import annotations

import json
from decimal import Decimal

RECORDS = """edition 2026

record Order {
  id: str
  sku: str = "mug"
  qty: int = 1
  total: decimal
  email: str = "c@example.org"
  address: str = "Street 1"
  express: bool = false
  letter: str = ""
}
record Charge { id: str, amount: decimal, state: str }
record Reservation { id: str, sku: str, qty: int }
record Tracking { code: str, carrier: str, state: str }
"""

READS = """
tool charge_of(order_id: str) -> Charge? {
  call python "tools:find_charge" effect none retry 5 times every 20ms..200ms
}
tool reservation_of(order_id: str, sku: str) -> Reservation? {
  call python "tools:find_reservation" effect none retry 5 times every 20ms..200ms
}
tool label_of(order_id: str) -> Tracking? {
  call python "tools:find_label" effect none retry 5 times every 20ms..200ms
}
tool mail_with(forward_key: str) -> json {
  call python "tools:find_mail" (forward_key) effect none retry 5 times every 20ms..200ms
}
"""

QUICK = "timeout 20s settle 200ms"


def tools(*, keys: bool = True, verify: bool = True, settle: str = QUICK) -> str:
    """The shop's tools; payments with or without idempotency keys, with or without a verify."""
    charge = "idempotent by key" if keys else "" if verify else "on unknown escalate"
    look = (
        """verify charge_of(order_id) {
    applied when it.state == "captured" gives it
    absent when it.state == "refunded" or it.state == "voided"
    conflict when it.state == "disputed"
  }"""
        if verify
        else ""
    )
    how = "retry 4 times every 20ms..100ms" if keys or verify else "retry never"
    return f"""{RECORDS}{READS}
tool charge(order_id: str, amount: decimal) -> Charge {{
  call python "tools:charge" (order_id, amount, idempotency_key: key)
  effect payment(order_id) compensatable impact 8
  {charge}
  fails with CardDeclined, LimitExceeded
  {how} {settle}
  {look}
  undo refund(result.id)
  undo void_by_key(key)
}}
tool refund(charge_id: str) -> json {{
  call python "tools:refund" (charge_id, idempotency_key: key)
  effect payment restoring
  idempotent by key
  done with AlreadyRefunded
  retry 3 times every 20ms..100ms {settle}
}}
tool void_by_key(forward_key: str) -> json {{
  call python "tools:void" (forward_key)
  effect payment restoring
  idempotent naturally
  done with NotFound, AlreadyRefunded
  retry 3 times every 20ms..100ms {settle}
}}
tool reserve(order_id: str, sku: str, qty: int) -> Reservation {{
  call python "tools:reserve" (order_id, sku, qty, idempotency_key: key)
  effect stock(sku) reversible impact 2
  idempotent by key
  fails with OutOfStock
  retry 4 times every 20ms..100ms {settle}
  verify reservation_of(order_id, sku)
  undo release(order_id, sku)
}}
tool release(order_id: str, sku: str) -> json {{
  call python "tools:release"
  effect stock restoring
  idempotent naturally
  done with NotFound
  retry 3 times every 20ms..100ms {settle}
}}
tool create_label(order_id: str, address: str, letter: str) -> Tracking {{
  call python "tools:create_label" (order_id, address, carrier: "ups", idempotency_key: key)
  effect parcel(order_id) irreversible impact 6 corrective recall(order_id)
  idempotent by key
  fails with CarrierDown, AddressRejected
  retry 4 times every 20ms..100ms {settle}
  requires letter != "none" else "there is no letter"
  verify label_of(order_id)
}}
tool recall(order_id: str) -> json {{
  call python "tools:recall" (order_id, idempotency_key: key)
  effect parcel restoring
  idempotent by key
  done with NotFound
  retry 3 times every 20ms..100ms {settle}
}}
tool send_mail(to: str, text: str) -> json {{
  call python "tools:send_mail" (to, text, idempotency_key: key)
  effect mail(to) irreversible impact 1 corrective apologise(to)
  idempotent by key
  fails with Bounced
  retry forever every 20ms..200ms {settle}
  verify mail_with(key)
}}
tool apologise(to: str) -> json {{
  call python "tools:send_mail" (to, "We are sorry.", idempotency_key: key)
  effect mail restoring
  idempotent by key
  retry 3 times every 20ms..100ms {settle}
}}
"""


JOURNEY = """
saga journey(order: Order) -> Tracking {
  requires order.qty > 0 else "order {order.id} asks for nothing"
  step before = charge_of(order.id)
  requires before == none else "order {order.id} is paid already"
  step pay = charge(order.id, order.total) as "billing"
  if order.express {
    step hold = reserve(order.id, order.sku, order.qty)
  }
  checkpoint paid
  gate release needs "ops" shows order.total, pay.id when order.total > 1_000.00
    within 24h else rollback
  step ship = create_label(order.id, order.address, order.letter)
    expecting charge_of(order.id) unchanged since pay
  step mail = send_mail(order.email, "Order {order.id}: {ship.code}.") else continue
  return ship
}
"""
"""From the order to the mail: every statement, and a pivot after which nothing can be refused."""

EAGER = """
saga eager(order: Order) -> Tracking {
  step pay = charge(order.id, order.total)
  step note = send_mail(order.email, "Order {order.id} comes.")
    accept irreversible because "customers want to know at once"
  step ship = create_label(order.id, order.address, order.letter)
  return ship
}
"""
"""Sends a mail before the order can still be refused, as the shop has decided."""

SLOW = """
saga slow(order: Order) -> Charge {
  step hold = reserve(order.id, order.sku, order.qty) { timeout 400ms settle 10s }
  step pay = charge(order.id, order.total)
  return pay
}
"""
"""Does not wait long for the stock department, which may answer when the saga is already on."""


def order(total: str = "25.00", **more: object) -> str:
    """An order, as `--input` takes it."""
    given = {"id": "o-1", "total": str(Decimal(total)), **more}
    return json.dumps({"order": given})
