"""A shop's tools, and programs that use them: what the tests of checks are written with."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sagalang.compiler.pipeline import Compilation

from .programs import compiled, marks, told

TOOLS = """
tool reserve(sku: str) -> json {
  call python "stock:reserve" (sku, idempotency_key: key)
  effect stock(sku) reversible impact 2
  idempotent by key
  fails with OutOfStock
  retry 3 times
  undo release(sku)
}
tool release(sku: str) -> json {
  call python "stock:release"
  effect stock restoring
  idempotent naturally
  retry 5 times
}
tool charge(order: str, amount: decimal) -> str {
  call python "bank:charge" (order, amount, idempotency_key: key)
  effect payment(order) compensatable impact 8
  idempotent by key
  fails with CardDeclined
  retry 3 times
  undo refund(order)
}
tool refund(order: str) -> json {
  call python "bank:refund" (order, idempotency_key: key)
  effect payment restoring
  idempotent by key
  retry 5 times
}
tool mail(to: str) -> json {
  call python "post:mail" (to, idempotency_key: key)
  effect mail(to) irreversible corrective "Write again."
  idempotent by key
  fails with Bounced
  retry 3 times
}
tool letter(to: str, pages: int = 1) -> json {
  call python "post:letter" (to, pages, idempotency_key: key)
  effect letter(to) irreversible impact 4 corrective "Write again."
  idempotent by key
  retry forever
}
tool level(sku: str) -> int { call python "stock:level" effect none }
tool clock() -> int { call python "clock:now" effect none retry forever }
"""


def saga(body: str, parameters: str = "id: str, n: int, ok: bool", result: str = "") -> str:
    """A saga over the shop's tools."""
    gives = f" -> {result}" if result else ""
    return f"edition 2026\n{TOOLS}\nsaga s({parameters}){gives} {{\n{body}\n}}\n"


def proved(text: str, files: Mapping[str, str] | None = None) -> Compilation:
    """Compiles a text that has no error of names and types, and compares what the proofs say.

    Of warnings about names only those of proofs are kept: a test's saga may leave an input unused.
    """
    made = compiled(text, files)
    assert made.plans, [each.message for each in made.diagnostics]
    mine = tuple(each for each in made.diagnostics if each.code[0] in "RPX")
    made = replace(made, diagnostics=mine)
    expected = marks(made)
    assert told(made, expected) == expected
    return made


def judged(
    body: str, parameters: str = "id: str, n: int, ok: bool", result: str = ""
) -> Compilation:
    """Compiles a saga over the shop's tools, which says exactly what its comments mark."""
    return proved(saga(body, parameters, result))


def tools(text: str, body: str = "") -> Compilation:
    """Compiles tools of one's own, and a saga that uses them beside the shop's."""
    return proved(f"edition 2026\n{text}\n{TOOLS}\nsaga s(id: str, n: int) {{\n{body}\n}}\n")
