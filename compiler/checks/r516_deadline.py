"""R516: nothing inside waits longer than the deadline around it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...dsl.span import Span
from ...runtime.plan import AgentCall, Gate, Sleep, Step, Wait
from ..codes import declare
from ..proving.durations import longest, shown
from ..proving.spots import Frame, Spot
from ..proving.view import View

HELPS = ("Make the deadline longer, or what is inside it shorter.",)

CODE = declare("R516", "error", "longer than the deadline")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds waits beyond the deadline around them, and warns of polling and retries beyond it.

    `retry forever` is meant to go on; the deadline then ends it, and is not warned about. What runs
    on rollback is never cut short.

    Cost: O(statements under a deadline).
    """
    for frame, deadline in view.limited:
        for spot in view.graph.moments[frame.start : frame.stop]:
            if not spot.closing and not spot.frame.aftermath:
                yield from _waiting(view, frame, deadline, spot)
                yield from _trying(view, frame, deadline, spot)


def _waiting(view: View, frame: Frame, deadline: int, spot: Spot) -> Iterator[Diagnostic]:
    match spot.node:
        case Gate(name=name, within=int(length)):
            run = f"`{name}` is approved in time, within {shown(length)}"
            says = f"waits up to {shown(length)}"
        case Wait(name=name, within=int(length)):
            run = f"`{name}` comes in time, within {shown(length)}"
            says = f"waits up to {shown(length)}"
        case Sleep(length=length):
            run, says = f"the saga sleeps for {shown(length)}", f"takes {shown(length)}"
        case _:
            return
    if length > deadline:
        yield CODE(
            f"{run}: {_over(frame, deadline)} by then.",
            view.span(spot.node.at),
            says,
            also=[_around(view, frame, deadline)],
            helps=HELPS,
        )


def _trying(view: View, frame: Frame, deadline: int, spot: Spot) -> Iterator[Diagnostic]:
    node = spot.node
    if not isinstance(node, Step | AgentCall):
        return
    until = node.until if isinstance(node, Step) else None
    retries = longest(node.retry, node.timeout)
    if until is not None and until.within > deadline:
        said, how = until.within, "polls for up to"
    elif retries is not None and retries > deadline:
        said, how = retries, "its attempts take up to"
    else:
        return
    found = CODE(
        f"`{spot.path}` is still being tried when {_over(frame, deadline)}.",
        view.span(node.at),
        f"{how} {shown(said)}",
        also=[_around(view, frame, deadline)],
        helps=HELPS,
    )
    yield replace(found, severity=Severity.WARNING)


def _over(frame: Frame, deadline: int) -> str:
    whose = (
        "the saga's deadline" if frame.owner is None else f"the deadline of `{frame.owner.path}`"
    )
    return f"{whose} of {shown(deadline)} is over"


def _around(view: View, frame: Frame, deadline: int) -> tuple[Span, str]:
    at = view.plan.at if frame.owner is None else frame.owner.node.at
    return view.span(at), f"has a deadline of {shown(deadline)}"
