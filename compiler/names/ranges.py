"""Numbers that a program writes down and that only make sense within bounds (T301)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    Backoff,
    DecimalLiteral,
    Duration,
    Effect,
    Gate,
    IntLiteral,
    Node,
    PromiseGated,
    PromiseReadiness,
    Retry,
    Timeout,
    Until,
    walk,
)
from ..typing.mismatch import T301


def ranges(declaration: Node) -> Iterator[Diagnostic]:
    """Yields T301 for each number of a tool or saga that is out of its bounds."""
    for node in walk(declaration):
        match node:
            case Effect(impact=IntLiteral() as impact):
                yield from _impact(impact)
            case PromiseGated(impact=impact):
                yield from _impact(impact)
            case PromiseReadiness(least=IntLiteral() | DecimalLiteral() as least):
                if not 0 <= Decimal(least.value) <= 1:
                    yield T301("Readiness goes from 0 to 1.", least.span)
            case Retry(attempts=IntLiteral(value=0) as attempts):
                yield T301(
                    "`retry` counts all attempts, the first one too: 0 would never call.",
                    attempts.span,
                    helps=["Say `retry never` for one attempt only."],
                )
            case Backoff(shortest=shortest, longest=longest):
                if shortest.milliseconds > longest.milliseconds:
                    yield T301(
                        "Pauses grow: the first is at most as long as the last.",
                        node.span,
                        helps=["Write the shorter one first."],
                    )
            case Timeout(after=after):
                yield from _some(after, "A timeout of no time would never let a call answer.")
            case Until(every=every):
                yield from _some(every, "Without a pause this would ask without end.")
            case Gate(count=IntLiteral(value=0) as count):
                yield T301("A gate that needs nobody guards nothing.", count.span)
            case _:
                pass


def _impact(impact: IntLiteral) -> Iterator[Diagnostic]:
    if not 1 <= impact.value <= 10:
        message = f"Impact goes from 1 (a trifle) to 10 (the worst): {impact.value} is neither."
        yield T301(message, impact.span)


def _some(length: Duration, message: str) -> Iterator[Diagnostic]:
    if length.milliseconds == 0:
        yield T301(message, length.span)
