"""R505: an undo can be repeated, and does not itself leave something that nothing takes back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ..codes import declare
from ..proving.undos import in_force, of_calls
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R505", "error", "undo that cannot be relied on")

ENOUGH = 3
"""So many attempts, or more, are enough for an undo."""


def run(view: View) -> Iterator[Diagnostic]:
    """Finds undos that only read, are irreversible, may happen twice, or are given up early.

    Cost: O(undos).
    """
    of_steps = ((step.path, tool.name, undo) for _, step, tool, undo in in_force(view))
    calls = ((call.path, call.saga, undo) for _, call, undo in of_calls(view))
    for path, action, undo in chain(of_steps, calls):
        by = view.tools[undo.tool]
        final = next((e for e in by.effects if e.effect_class == "irreversible"), None)
        at, there = view.span(undo.at), view.span(by.at)
        retry = undo.retry or by.retry
        if not by.states_effects:
            continue
        if by.is_read:
            yield CODE(
                f"`{path}` is rolled back and `{by.name}` is called for it: it only reads, "
                "so nothing is taken back.",
                at,
                "an undo has to change something",
                also=[(there, "`effect none`")],
                helps=[f"Name the tool that takes back what `{action}` does."],
            )
        elif final is not None:
            yield CODE(
                f"`{path}` is rolled back by `{by.name}`: that is irreversible itself, and "
                f"nothing takes the {thing(final.kind)} back.",
                at,
                "an undo must not be irreversible",
                also=[(view.span(final.at), "irreversible")],
                helps=[
                    "Use a tool whose effect is `restoring`, or make the action itself "
                    f"irreversible with `corrective {by.name}(...)`."
                ],
            )
        elif by.idempotent is None:
            yield CODE(
                f"`{path}` is rolled back and the answer of `{by.name}` is lost: calling it "
                "again may do it twice.",
                at,
                "may happen twice",
                also=[(there, "neither `idempotent by key` nor `idempotent naturally`")],
                helps=[f"Add `idempotent by key` to `{by.name}` and pass `key` on to the service."],
            )
        elif retry.attempts is not None and retry.attempts < ENOUGH:
            tries = "once" if retry.attempts == 1 else "twice"
            also = [] if undo.retry is not None else [(there, "says how often")]
            found = CODE(
                f"`{path}` is rolled back and the service is away for a moment: `{by.name}` "
                f"is tried {tries}, then people are needed.",
                at,
                f"tried only {tries}",
                also=also,
                helps=[f"Add `retry 10 times every 1s..5m` to `{by.name}`."],
            )
            yield replace(found, severity=Severity.WARNING)
