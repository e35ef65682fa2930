"""What stands above the lines: the class of each step, the readiness of each saga, its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..dsl.nodes import Saga
from ..dsl.span import Span
from .analysis import Analysis
from .proof import label, readiness


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of text at a place; whoever follows it sees the recovery plan of the saga."""

    span: Span
    title: str
    saga: str


def lenses(analysis: Analysis) -> Iterator[Lens]:
    """Yields the lenses of every saga of the document that has no errors of names or types."""
    program, name = analysis.program, analysis.text.name
    if program.compilation is None:
        return
    proofs = program.compilation.proofs
    for declared in program.catalogue.order:
        view = program.view(declared.plan_name)
        if declared.module != name or view is None or not isinstance(declared.node, Saga):
            continue
        head = declared.node.name.span
        saga = declared.plan_name
        yield Lens(head, f"least readiness {readiness(proofs[saga])}", saga)
        yield Lens(head, "show recovery plan", saga)
        whole = declared.node.span
        for spot in view.order.spots:
            said, span = label(view, spot), view.span(spot.node.at)
            # What a called saga does stands there, above its own lines.
            if said is not None and span.source == name and whole.start <= span.start < whole.end:
                yield Lens(span, said, saga)
