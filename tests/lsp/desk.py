"""A folder with programs, and what the server knows of them; `§` in a text is the cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sagalang.lsp.analysis import Analysis, analysed
from sagalang.lsp.completion import Item, completion, imported_file
from sagalang.lsp.hover import hover
from sagalang.lsp.workspace import Workspace

ROOT = Path(__file__).parents[2]
CURSOR = "§"

SHOP = '''\
edition 2026
"""What is paid."""
record Charge { id: str, amount: decimal, state: State = State.captured }
enum State { captured, refunded }
record Item { sku: str, qty: int = 1 }
record Order { id: str, items: list[Item], total: decimal, note: str? = none }

"""Charges the card."""
tool charge(order_id: str, amount: decimal) -> Charge {
  call python "shop:charge" (order_id, amount, idempotency_key: key)
  effect payment(order_id) compensatable impact 8
  idempotent by key
  fails with CardDeclined
  retry 3 times
  verify charge_of(order_id) {
    applied when it.state == State.captured gives it
  }
  undo refund(result.id)
  undo void_by_key(key)
}
tool charge_of(order_id: str) -> Charge? { call python "shop:find" effect none }
tool refund(charge_id: str) -> json {
  call python "shop:refund"
  effect payment restoring
  idempotent naturally
  retry 5 times
}
tool void_by_key(forward_key: str) -> json {
  call python "shop:void"
  effect payment restoring
  idempotent naturally
  retry 5 times
}
tool mail(to: str, text: str) -> json {
  call python "shop:mail" (to, text, idempotency_key: key)
  effect letter(key) irreversible impact 2 corrective "write again"
  idempotent by key
  retry forever
}
'''

SAGAS = '''\
edition 2026
import { Order, charge, mail as post } from "shop.saga"

"""Sells something."""
saga sell(order: Order) -> str {
  step pay = charge(order.id, order.total)
  each sent = item in order.items by item.sku {
    step letter = post(item.sku, "{item.qty} of {order.id}")
    return letter
  }
  scope twice {
    step again = charge(amount: order.total, order_id: order.id)
  } else {
    step again = charge(order.id, 1.0)
  }
  return twice.again.id
}

scenario "all is well" for sell {
  given order = { id: "o-1", items: [{ sku: "a" }], total: 1.0 }
  fail twice.again with "CardDeclined"
  expect undone pay
}
'''

AGENTS = """edition 2026
import { charge, mail as post } from "shop.saga"

agent buyer(goal: str) -> json {
  call python "shop:buyer"
  may use charge, post needs "ops" at most 5 calls
}
saga shop(goal: str) -> json {
  step bought = buyer(goal)
  return bought
}

scenario "it buys" for shop {
  given goal = "a"
  mock bought calls charge(order_id: "o-1", amount: 1.0)
  mock bought calls post("ann", "hello") else continue
  refuse undo bought[1]
  approve bought[2].gate by "ann"
  expect done bought[1]
}
"""


@dataclass
class Desk:
    """A workspace on a real folder."""

    folder: Path
    workspace: Workspace = field(init=False)

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.folder)
        self.save("shop.saga", SHOP)
        self.save("sagas.saga", SAGAS)

    def save(self, name: str, text: str) -> None:
        """Writes a file."""
        (self.folder / name).write_bytes(text.encode("utf-8"))

    def open(self, name: str, text: str | None = None, good: Analysis | None = None) -> Analysis:
        """Opens a document as an editor does; `good` is what it was before."""
        path = self.folder / name
        raw = path.read_bytes().decode("utf-8") if text is None else text
        document = self.workspace.put(str(path), raw)
        return analysed(document.text, self.workspace.compile(document.text), good)

    def typed(self, name: str, old: str, new: str) -> tuple[Analysis, int]:
        """Opens a document, then types `new` in the place of `old`; gives where the cursor is."""
        before = self.open(name)
        raw = before.text.raw
        assert raw.count(old) == 1, old
        marked = raw.replace(old, new)
        at = marked.index(CURSOR)
        text = marked.replace(CURSOR, "")
        found = self.open(name, text, before)
        return found, at

    def at(self, name: str, part: str) -> tuple[Analysis, int]:
        """Opens a document; gives the place of the cursor in a part of it."""
        found = self.open(name)
        plain = part.replace(CURSOR, "")
        assert found.text.source.text.count(plain) == 1, plain
        return found, found.text.source.text.index(plain) + part.index(CURSOR)

    def hover(self, name: str, part: str) -> str:
        """What is shown at a place; "" for nothing."""
        found = hover(*self.at(name, part))
        return "" if found is None else found.markdown

    def completed(self, name: str, old: str, new: str) -> list[Item]:
        """What is offered after something was typed."""
        analysis, at = self.typed(name, old, new)
        written = imported_file(analysis, at)
        own = analysis.text.name
        exports = None if written is None else self.workspace.exports(own, written)
        files = self.workspace.importable(str(self.folder / name))
        return completion(analysis, at, ("leads", "ops"), files, exports)

    def offered(self, name: str, old: str, new: str) -> dict[str, Item]:
        """The same by label."""
        return {item.label: item for item in self.completed(name, old, new)}
