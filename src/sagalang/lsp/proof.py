"""What is proved of a step, in words: its class, whether it may fail, its undo, the readiness."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..compiler.proving.proofs import Proofs, step_class, tool_class
from ..compiler.proving.readiness import least
from ..compiler.proving.spots import Spot
from ..compiler.proving.undos import RESULT, can_fail, gives_result, lacks
from ..compiler.proving.view import View
from ..dsl.nodes import Saga
from ..runtime.plan import AgentCall, Gate, SagaCall, Step, Tool, Undo
from .index import Symbol
from .program import Program


def proof(program: Program, symbol: Symbol) -> list[str]:
    """Gives what is proved of a statement, in paragraphs of Markdown; nothing where errors are."""
    found = located(program, symbol)
    if found is None:
        return []
    view, spot, proofs = found
    match spot.node:
        case Step():
            tool = view.tools[spot.node.tool]
            return [*_step(view, spot, spot.node, tool), _readiness(view, spot, proofs)]
        case AgentCall() | SagaCall():
            about = _inside(view, spot.node)
            return [about, _failure(view, spot), _readiness(view, spot, proofs)]
        case Gate():
            return [_failure(view, spot), _readiness(view, spot, proofs)]
        case _:
            said = view.failures.get(spot.index)
            return [f"**may fail**: {said}"] if said else []


def located(program: Program, symbol: Symbol) -> tuple[View, Spot, Proofs] | None:
    """Finds a statement among those that proofs speak of."""
    module, at = symbol.key
    for declared in program.catalogue.order:
        node = declared.node
        if declared.module != module or not isinstance(node, Saga):
            continue
        if node.span.start <= at < node.span.end:
            view = program.view(declared.plan_name)
            if view is None or program.compilation is None:
                return None
            spot = program.spot(declared.plan_name, view, symbol.span)
            proofs = program.compilation.proofs[declared.plan_name]
            return None if spot is None else (view, spot, proofs)
    return None


def readiness(proofs: Proofs) -> str:
    """Says how low the readiness of a saga may be, and where."""
    found = proofs.readiness
    where = "with ever more of" if found.approached else "after"
    after = f", {where} {', '.join(found.after)}" if found.after else ""
    return f"{decimal(found.least)}{after}"


def decimal(value: Fraction) -> str:
    """Writes a fraction as a decimal of at most four places, never rounded up."""
    whole = value.numerator * 10_000 // value.denominator
    return f"{whole / 10_000:.4f}".rstrip("0").rstrip(".")


def label(view: View, spot: Spot) -> str | None:
    """Gives the class of a step and whether it may fail, as a code lens shows them."""
    match spot.node:
        case Step():
            tool = view.tools[spot.node.tool]
            kind: str = step_class(spot.node, tool)
            if kind == "irreversible":
                kind = "irreversible (pivot)"
        case AgentCall():
            kind = "agent: " + ", ".join(_classes(view, spot.node))
        case SagaCall():
            kind = "saga"
        case _:
            return None
    return f"{kind} · {'retriable' if _failing(view, spot) is None else 'may fail'}"


def _inside(view: View, node: AgentCall | SagaCall) -> str:
    if isinstance(node, SagaCall):
        return (
            f"**saga** `{node.saga}`: when it fails it is rolled back by itself, and counts as "
            "refused; completed, it is undone with the rest"
        )
    tools = [view.tools[use.tool] for use in view.agents[node.agent].uses]
    calls = ", ".join(f"`{tool.name}` ({tool_class(tool)})" for tool in tools)
    return f"**agent** `{node.agent}`: calls {calls}, any number of them, each a step of its own"


def _classes(view: View, agent: AgentCall) -> list[str]:
    uses = view.agents[agent.agent].uses
    return sorted({tool_class(view.tools[use.tool]) for use in uses})


def _step(view: View, spot: Spot, step: Step, tool: Tool) -> Iterator[str]:
    kind = step_class(step, tool)
    about = {
        "read": "changes nothing",
        "reversible": "its undo restores the exact earlier state",
        "compensatable": "its undo makes good, but leaves a trace",
        "irreversible": "a pivot: nothing undoes it, so that nothing behind it may fail",
        "accepted": "irreversible, and accepted to stay behind",
        "restoring": "takes back what another tool did",
    }[kind]
    yield f"**{kind}**: {about}"
    yield _failure(view, spot)
    for undo in step.undos:
        yield _undo(view, spot, step, tool, undo)


def _failure(view: View, spot: Spot) -> str:
    said = _failing(view, spot)
    policy = getattr(spot.node, "on_failure", "rollback")
    if said is None and policy != "rollback":
        return f"**fails nothing else**: `else {policy}`"
    if said is None:
        return "**retriable**: once begun, it is brought to its end"
    return f"**may fail**: {said}"


def _failing(view: View, spot: Spot) -> str | None:
    """Tells how a statement fails what is around it; of a called saga, how its inside does."""
    if isinstance(spot.node, SagaCall) and spot.node.on_failure == "rollback":
        inside = (view.failures.get(index) for index in range(spot.index, spot.stop))
        return next((said for said in inside if said is not None), None)
    return view.failures.get(spot.index)


def _undo(view: View, spot: Spot, step: Step, tool: Tool, undo: Undo) -> str:
    given = ", ".join(argument.value.source for argument in undo.args)
    call = f"**undo** `{undo.tool}({given})`"
    missing = lacks(view, spot, step, tool, undo)
    trouble = can_fail(view, spot, step, tool, undo)
    if undo.when is not None:
        return f"{call}: only when `{undo.when.source}`, which is known when it is called"
    if trouble is not None:
        return f"{call}: may have no value, as {trouble}"
    if not missing:
        return f"{call}: can always be called, all that it names is logged before the call"
    if missing == RESULT and gives_result(step):
        return f"{call}: can always be called, `verify` gives the result when the answer is lost"
    if missing == RESULT:
        return f"{call}: can be called once the answer is there; it needs `result`"
    names = ", ".join(f"`{name}`" for name in sorted(missing - RESULT))
    return f"{call}: cannot be relied on, {names} may not be known yet"


def _readiness(view: View, spot: Spot, proofs: Proofs) -> str:
    node = spot.node
    said = f"**readiness** of the saga: at least {readiness(proofs)}"
    if isinstance(node, Step) and spot.frame.owner is None and not spot.frame.aftermath:
        before = least(view, (node.name,)).value
        if before != proofs.readiness.least:
            said += f"; until `{node.name}` begins at least {decimal(before)}"
    return said
