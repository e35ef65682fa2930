"""R519: what is idempotent by key is given the key."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic, Fix, replacement
from ...dsl.span import Span
from ...runtime.formula import names
from ...runtime.plan import Tool
from ..codes import declare
from ..proving.view import View

CODE = declare("R519", "error", "key not passed on")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds tools that are called again with the same key, which the service never sees.

    Cost: O(tools).
    """
    for tool in view.plan.tools:
        promise = tool.idempotent
        if promise is None or promise.by != "key":
            continue
        if not any("key" in names(argument.value.tree) for argument in tool.call.args):
            yield CODE(
                f"The answer of `{tool.name}` is lost, so it is called again with the same key: "
                "the service does not get the key and does it twice.",
                view.span(promise.at),
                "by key",
                also=[(view.span(tool.call.at), "`key` is not among what is passed")],
                helps=['Pass it on, such as `call python "..." (..., idempotency_key: key)`.'],
                fix=_fix(view, tool),
            )


def _fix(view: View, tool: Tool) -> Fix | None:
    """Adds the key to what is passed; what the callable calls it is a guess."""
    span, text = view.span(tool.call.at), view.text(tool.call.at)
    if not text:
        return None
    if text.endswith(")"):
        first = text[:-1].rstrip().endswith(("(", ","))
        at = Span(span.source, span.end - 1, span.end - 1)
        return replacement("ask", at, f"{'' if first else ', '}idempotency_key: key")
    passed = ", ".join([*(each.name for each in tool.parameters), "idempotency_key: key"])
    return replacement("ask", Span(span.source, span.end, span.end), f" ({passed})")
