"""R504: an undo can be called even when the answer of the call was lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Severity
from ...runtime.plan import Step, Tool, Undo
from ..codes import declare
from ..proving.failures import quoted
from ..proving.spots import Spot
from ..proving.tables import undoable
from ..proving.undos import RESULT, can_fail, counts, lacks, of_calls, trouble
from ..proving.view import View
from ..proving.words import named, thing

CODE = declare("R504", "error", "undo data")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds steps none of whose undos can be called whatever became of the call.

    What a tool's own clauses lead to is told once, at the first of its undos.

    Cost: O(undos), and for each undo with names of the saga O(statements of those names).
    """
    told: set[tuple[str, bool]] = set()
    for spot, step, tool in view.steps:
        if not step.undos or not any(map(undoable, tool.effects)):
            continue
        if any(counts(view, spot, step, tool, undo) for undo in step.undos):
            continue
        by_tool = "undo" not in step.replaces
        if by_tool:
            key = (tool.name, "verify" in step.replaces)
            if key in told:
                continue
            told.add(key)
        yield _diagnostic(view, spot, step, tool)
    yield from _calls(view)


def _calls(view: View) -> Iterator[Diagnostic]:
    """Finds calls of sagas none of whose own undos is sure to be possible once they are over."""
    for spot, found in groupby(of_calls(view), key=lambda each: each[0]):
        undos = [(undo, trouble(view, spot, call, undo)) for _, call, undo in found]
        if all(why is not None for _, why in undos):
            (first, why), *rest = undos
            yield CODE(
                f"`{spot.path}` is over and has to be taken back: no undo of it is sure to be "
                "possible.",
                view.span(first.at),
                why or "",
                also=[
                    *((view.span(undo.at), said or "") for undo, said in rest),
                    (view.span(spot.node.at), "called here"),
                ],
                helps=[
                    "Let an undo name only `args`, `result`, `key` and what is sure to be there."
                ],
            )


def _diagnostic(view: View, spot: Spot, step: Step, tool: Tool) -> Diagnostic:
    effect = next(filter(undoable, tool.effects))
    unsure = [lacks(view, spot, step, tool, undo) - RESULT for undo in step.undos]
    by_result = [
        undo
        for undo, names in zip(step.undos, unsure, strict=True)
        if undo.when is None and not names and can_fail(view, spot, step, tool, undo) is None
    ]
    also = [(view.span(undo.at), _why(view, spot, step, tool, undo)) for undo in step.undos[1:]]
    also.append((view.span(effect.at), f"the {thing(effect.kind)} that has to be taken back"))
    if "undo" not in step.replaces:
        also.append((view.span(step.at), "called here"))
    if step.verify is not None and by_result:
        also.append((view.span(step.verify.at), "does not give the result"))
    lost = f"`{step.name}` has landed and its answer is lost"
    if by_result and tool.idempotent is not None:
        run = (
            f"`{by_result[0].tool}` needs `result`, which only calling `{tool.name}` again "
            "brings back"
        )
    elif by_result:
        run = f"`{by_result[0].tool}` needs `result`, and nothing brings it back"
    else:
        run = "no undo of it is sure to be possible"
        lost = f"`{step.name}` has landed and has to be taken back"
    found = CODE(
        f"{lost}: {run}.",
        view.span(step.undos[0].at),
        _why(view, spot, step, tool, step.undos[0]),
        also=also,
        helps=[
            "Let an undo name only parameters, remembered values and `key`"
            + (", or add a `verify` that gives the result." if by_result else ".")
        ],
    )
    if by_result and tool.idempotent is not None:
        return replace(found, severity=Severity.WARNING)
    return found


def _why(view: View, spot: Spot, step: Step, tool: Tool, undo: Undo) -> str:
    """Tells why an undo does not count."""
    unsure = sorted(lacks(view, spot, step, tool, undo) - RESULT)
    if unsure:
        return f"needs {named(unsure)}, which need not be there when `{step.name}` is called"
    if undo.when is not None:
        return f"is possible only when {quoted(undo.when)}"
    reason = can_fail(view, spot, step, tool, undo)
    if reason is not None:
        return f"may not be computable ({reason})"
    return "needs `result`, which a lost answer takes with it"
