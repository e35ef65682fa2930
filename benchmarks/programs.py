"""Programs that are measured, and the tools that they call: each does nothing at all."""

from __future__ import annotations

from collections.abc import Mapping

from sagalang.compiler.pipeline import compile
from sagalang.dsl.diagnostics import Severity
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
from sagalang.runtime import Refused, Saga


async def act(id: str, key: str) -> str:
    """Does something, as quickly as anything can be done."""
    return id


async def undo(id: str, key: str) -> str:
    """Takes it back."""
    return id


def act_sync(id: str, key: str) -> str:
    """Does something in a thread."""
    return id


def undo_sync(id: str, key: str) -> str:
    """Takes it back in a thread."""
    return id


async def look(id: str) -> str | None:
    """Finds nothing."""
    return None


async def refuse(id: str, key: str) -> str:
    """Does nothing, and says so."""
    raise Refused("no")


FUNCTIONS: Mapping[str, object] = {
    "act": act,
    "undo": undo,
    "act_sync": act_sync,
    "undo_sync": undo_sync,
    "look": look,
    "refuse": refuse,
}

_TOOLS = """edition 2026

tool act(id: str) -> str {{
  call python "act{sync}" (id, key: key)
  effect thing(id) reversible
  idempotent by key{verify}
  undo take_back(id)
}}

tool take_back(id: str) -> str {{
  call python "undo{sync}" (id, key: key)
  effect thing restoring
  idempotent by key
}}

tool look(id: str) -> str? {{
  call python "look" (id)
  effect none reads thing(id)
}}

tool refuse(id: str) -> str {{
  call python "refuse" (id, key: key)
  effect nothing(id) reversible
  idempotent by key
  undo take_back(id)
}}
"""


def chain(steps: int, *, sync: bool = False, fails: bool = False, verified: bool = False) -> str:
    """Gives a program of so many steps one after the other; `fails`: one more that is refused."""
    verify = "\n  verify look(id)" if verified else ""
    lines = [_TOOLS.format(sync="_sync" if sync else "", verify=verify)]
    lines.append("saga chain(name: str) {")
    lines += [f"  step s{number} = act(id: name)" for number in range(1, steps + 1)]
    if fails:
        lines.append("  step last = refuse(id: name)")
    return "\n".join([*lines, "}", ""])


WAITING = """edition 2026

saga waiting(name: str) {
  gate go needs 1 of "ops" shows name
    within 24h else rollback
}
"""
"""A program that waits for people at once."""


def saga(text: str, name: str) -> Saga:
    """Compiles a program and binds its tools."""
    found = compile(Source("measured.saga", text), _nothing)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    if errors:
        raise ValueError(f"a measured program has errors: {errors}")
    return Saga(found.plans[name], FUNCTIONS, file="measured.saga")


def _nothing(importing: str, path: str) -> Unreadable:
    return Unreadable("a measured program imports nothing")
