"""R515: no call is repeated after the service may have forgotten its key."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, Fix, replacement
from ...runtime.formula import Place
from ...runtime.plan import Retry, Step, Tool, statements
from ..codes import declare
from ..proving.durations import longest, pauses, shown
from ..proving.undos import in_force
from ..proving.undosagas import local, uses
from ..proving.view import View

CODE = declare("R515", "warning", "retries beyond the key's lifetime")


class _Calls(Struct, frozen=True):
    """What is called again with one key: for which step, how often, and where that is said."""

    run: str
    tool: Tool
    retry: Retry
    timeout: int
    at: Place


def run(view: View) -> Iterator[Diagnostic]:
    """Finds calls whose last attempt may begin when the key of the first is forgotten.

    A place that several steps share is told once.

    Cost: O(steps).
    """
    told: set[tuple[str, Place]] = set()
    for calls in _calls(view):
        idempotent = calls.tool.idempotent
        if idempotent is None or idempotent.by != "key" or idempotent.lifetime is None:
            continue
        if (calls.tool.name, calls.at) in told:
            continue
        told.add((calls.tool.name, calls.at))
        last = _last(calls.retry, calls.timeout)
        if last is not None and last <= idempotent.lifetime:
            continue
        kept = shown(idempotent.lifetime)
        when = "as long as it takes" if last is None else f"{shown(last)} after its first attempt"
        yield CODE(
            f"{calls.run} is called again {when}: the service keeps a key for {kept} only, takes "
            "it for a new call and does it twice.",
            view.span(calls.at),
            _sum(calls, last),
            also=[(view.span(idempotent.at), f"a key is kept for {kept}")],
            helps=["Let the attempts end before that, or use a service that keeps keys longer."],
            fix=_fix(view, calls, idempotent.lifetime),
        )


def _calls(view: View) -> Iterator[_Calls]:
    for _, step, tool in view.steps:
        at = step.retry.at if step.retry.at.end else step.at
        yield _Calls(f"`{step.path}`", tool, step.retry, step.timeout, at)
    sagas = {saga.name for saga in view.plan.undo_sagas}
    for use in uses(view):
        for node in statements(use.saga.body):
            if isinstance(node, Step):
                said = f"`{local(use.saga, node)}` of the undo `{use.saga.name}`"
                at = node.retry.at if node.retry.at.end else node.at
                yield _Calls(said, view.tools[node.tool], node.retry, node.timeout, at)
    for _, step, _, undo in in_force(view):
        by = view.tools[undo.tool]
        retry = undo.retry or by.retry
        timeout = by.timeout if undo.timeout is None else undo.timeout
        at = retry.at if retry.at.end else undo.at
        if undo.tool in sagas:
            continue
        yield _Calls(f"The undo `{by.name}` of `{step.path}`", by, retry, timeout, at)


def _last(retry: Retry, timeout: int) -> int | None:
    """Gives when the last attempt begins, counted from the first; None for attempts without end."""
    whole = longest(retry, timeout)
    return None if whole is None else whole - timeout


def _sum(calls: _Calls, last: int | None) -> str:
    """Writes the sum: each attempt but the last at its longest, and the pauses between them."""
    if last is None or calls.retry.attempts is None:
        return "goes on for ever"
    before = calls.retry.attempts - 1
    each, rest = shown(calls.timeout), shown(pauses(calls.retry))
    return f"{before} × {each} until given up + {rest} of pauses = {shown(last)}"


def _fix(view: View, calls: _Calls, lifetime: int) -> Fix | None:
    """Lowers the number of attempts to the most that fit, if more than one does."""
    text = view.text(calls.retry.at)
    count = calls.retry.attempts
    if count is None or not text.startswith(f"retry {count} times"):
        return None
    low, high = 1, count
    while high - low > 1:
        middle = (low + high) // 2
        fewer = Retry(attempts=middle, low=calls.retry.low, high=calls.retry.high)
        last = _last(fewer, calls.timeout)
        low, high = (middle, high) if last is not None and last <= lifetime else (low, middle)
    if low == 1:
        return None
    words = text.replace(f"retry {count} times", f"retry {low} times", 1)
    return replacement("ask", view.span(calls.retry.at), words)
