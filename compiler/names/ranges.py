"""Numbers that a program writes down and that only make sense within bounds (T301)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import (
    AcceptEvidence,
    AtOnce,
    Backoff,
    DecimalLiteral,
    Duration,
    Effect,
    Evidence,
    First,
    Gate,
    Guard,
    IntLiteral,
    ListLiteral,
    MayUse,
    Node,
    PromiseGated,
    PromiseReadiness,
    Repeat,
    Retry,
    Timeout,
    Tolerate,
    UndoAtOnce,
    Until,
    walk,
)
from ..typing.mismatch import T301


def ranges(declaration: Node) -> Iterator[Diagnostic]:
    """Yields T301 for each number of a tool, agent or saga that is out of its bounds."""
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
            case First(items=ListLiteral(items=()) as items):
                yield T301(
                    "With nothing to try a `first` always fails.",
                    items.span,
                    helps=["Write what is to be tried into the list."],
                )
            case AtOnce(limit=IntLiteral(value=0) as limit):
                yield T301("With none at once no item would ever begin.", limit.span)
            case UndoAtOnce(limit=IntLiteral(value=0) as limit):
                yield T301("With none at once nothing would ever be undone.", limit.span)
            case Repeat(limit=IntLiteral(value=0) as limit):
                yield T301("A `repeat` has at least one round.", limit.span)
            case Tolerate(limit=IntLiteral(value=0) as limit):
                yield T301(
                    "`tolerate 0` tolerates nothing, as without it.",
                    limit.span,
                    helps=["Leave it out, or say how many items may fail."],
                )
            case MayUse(limit=IntLiteral(value=0) as limit):
                yield T301("An agent with no calls could only think.", limit.span)
            case Evidence(weight=weight):
                if Decimal(weight.value) <= 0:
                    yield T301("Evidence of no weight says nothing.", weight.span)
            case AcceptEvidence(least=least, below_impact=impact):
                if not Decimal("0.5") < Decimal(least.value) <= 1:
                    yield T301(
                        "What is taken as settled is more likely than not: "
                        "above 0.5, and at most 1.",
                        least.span,
                    )
                yield from _impact(impact)
            case Guard(least=IntLiteral() | DecimalLiteral() as least):
                if not 0 <= Decimal(least.value) <= 1:
                    yield T301("Readiness goes from 0 to 1.", least.span)
            case _:
                pass


def _impact(impact: IntLiteral) -> Iterator[Diagnostic]:
    if not 1 <= impact.value <= 10:
        message = f"Impact goes from 1 (a trifle) to 10 (the worst): {impact.value} is neither."
        yield T301(message, impact.span)


def _some(length: Duration, message: str) -> Iterator[Diagnostic]:
    if length.milliseconds == 0:
        yield T301(message, length.span)
