"""R516: nothing inside waits longer than the deadline around it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...runtime.plan import Gate
from ..codes import declare
from ..proving.durations import longest, shown
from ..proving.view import View

CODE = declare("R516", "error", "longer than the deadline")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds gates that may wait beyond the deadline, and warns of polling and retries that do.

    `retry forever` is meant to go on; the deadline then ends it, and is not warned about.
    """
    deadline = view.plan.deadline
    if deadline is None:
        return
    over = f"the saga's deadline of {shown(deadline)} is over"
    saga = (view.span(view.plan.at), f"has a deadline of {shown(deadline)}")
    helps = ["Make the deadline longer, or what is inside it shorter."]
    for spot in view.graph.spots:
        node = spot.node
        if isinstance(node, Gate) and node.within is not None and node.within > deadline:
            yield CODE(
                f"`{node.name}` is approved in time, within {shown(node.within)}: {over} by then.",
                view.span(node.at),
                f"waits up to {shown(node.within)}",
                also=[saga],
                helps=helps,
            )
    for _, step, _ in view.steps:
        retries = longest(step.retry, step.timeout)
        if step.until is not None and step.until.within > deadline:
            said, how = step.until.within, "polls for up to"
        elif retries is not None and retries > deadline:
            said, how = retries, "its attempts take up to"
        else:
            continue
        found = CODE(
            f"`{step.path}` is still being tried when {over}.",
            view.span(step.at),
            f"{how} {shown(said)}",
            also=[saga],
            helps=helps,
        )
        yield replace(found, severity=Severity.WARNING)
