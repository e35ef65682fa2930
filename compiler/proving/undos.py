"""Which undos of a step can be relied on: what each must know, and when that is known."""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.formula import Literal, Type, names
from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    Gate,
    Let,
    Plan,
    Repeat,
    SagaCall,
    Scope,
    Step,
    Tool,
    Undo,
    Wait,
)
from .failures import quoted
from .partial import UNTYPED
from .spots import Spot
from .view import View

RESULT = frozenset(("result",))
"""What a lost answer takes with it."""


def in_force(view: View) -> Iterator[tuple[Spot, Step, Tool, Undo]]:
    """Gives every undo of every step with what it undoes; a tool's own undos once."""
    told: set[str] = set()
    for spot, step, tool in view.steps:
        if "undo" not in step.replaces:
            if tool.name in told:
                continue
            told.add(tool.name)
        for undo in step.undos:
            yield spot, step, tool, undo


def of_calls(view: View) -> Iterator[tuple[Spot, SagaCall, Undo]]:
    """Gives every undo that a call of a saga has of its own, for when that is over."""
    for spot in view.graph.spots:
        if isinstance(spot.node, SagaCall) and not spot.frame.aftermath:
            for undo in spot.node.undos:
                yield spot, spot.node, undo


def trouble(view: View, spot: Spot, call: SagaCall, undo: Undo) -> str | None:
    """Gives why the undo of a call may not be possible when the called saga is over.

    Its result is known then: it comes from the log.
    """
    read = frozenset[str]().union(*(names(argument.value.tree) for argument in undo.args))
    unsure = [name for name in read - RESULT - {"key", "args"} if not assigned(view, name, spot)]
    if unsure:
        return f"needs `{min(unsure)}`, which need not be there when `{call.name}` is called"
    if undo.when is not None:
        return f"is possible only when {quoted(undo.when)}"
    types = {
        **view.types(spot),
        **{f"args.{each.name}": each.type for each in call.parameters},
        "key": Type("str"),
        "result": call.result,
    }
    found = (view.partial(argument.value, types) for argument in undo.args)
    reason = next((each for each in found if each not in (None, UNTYPED)), None)
    return None if reason is None else f"may not be computable ({reason})"


def lacks(view: View, spot: Spot, step: Step, tool: Tool, undo: Undo) -> frozenset[str]:
    """Gives the names in an undo's arguments whose values are not sure to be known with the intent.

    `result` is among them when it is used. A name of the saga is sure when its statement has
    settled before the step and gives a value in every run that has the step.
    """
    read = frozenset[str]().union(*(names(argument.value.tree) for argument in undo.args))
    if "undo" not in step.replaces:
        known = {parameter.name for parameter in tool.parameters}
        return read - known - {remember.name for remember in tool.remember} - {"key"}
    return frozenset(name for name in read - {"key", "args"} if not assigned(view, name, spot))


def assigned(view: View, name: str, at: Spot) -> bool:
    """True when a name has its value before `at` is called, in every run.

    It is looked up outwards: a saga's inputs and the variable of a loop are there when its body
    begins, anything else when its statement has settled.
    """
    for frame in at.frame.around():
        match view.plan if frame.owner is None else frame.owner.node:
            case Plan(parameters=inputs) | SagaCall(parameters=inputs):
                if any(parameter.name == name for parameter in inputs):
                    return True
            case Each(variable=variable) | First(variable=variable) | Repeat(variable=variable):
                if variable == name:
                    return True
            case _:
                pass
        spots = view.layout.named.get(frame, {}).get(name, ())
        if spots:
            return view.graph.certain(at, (spot for spot in spots if _gives(spot)))
        if frame.owner is not None and isinstance(frame.owner.node, SagaCall):
            break
    return False


def _gives(spot: Spot) -> bool:
    match spot.node:
        case Let() | Each() | First() | Repeat() | Scope():
            return True
        case Step() | SagaCall() | AgentCall():
            return spot.node.when is None and spot.node.on_failure != "continue"
        case Gate(when=when, otherwise=policy):
            return when is None and policy != "continue"
        case Wait(otherwise=policy):
            return policy != "continue"
        case _:
            return False


def can_fail(view: View, spot: Spot, step: Step, tool: Tool, undo: Undo) -> str | None:
    """Gives why an undo's arguments may have no value although all names are known."""
    own = {parameter.name: parameter.type for parameter in tool.parameters}
    types = {"key": Type("str"), "result": tool.result}
    if "undo" in step.replaces:
        types |= {**view.types(spot), **{f"args.{name}": given for name, given in own.items()}}
    else:
        types |= own | {remember.name: remember.type for remember in tool.remember}
    found = (view.partial(argument.value, types) for argument in undo.args)
    # A field of an answer without a declared type is taken to be there: the tool says so itself.
    return next((reason for reason in found if reason not in (None, UNTYPED)), None)


def gives_result(step: Step) -> bool:
    """True when the verify in force gives the result of a call whose outcome was unknown.

    Every answer that says *applied* must give it, and give something: `gives none` does not.
    """
    verify = step.verify
    if verify is None:
        return False
    applied = [verdict for verdict in verify.verdicts if verdict.kind == "applied"]
    return (not verify.verdicts or bool(applied)) and not any(
        verdict.gives is not None and verdict.gives.tree == Literal(None) for verdict in applied
    )


def counts(view: View, spot: Spot, step: Step, tool: Tool, undo: Undo) -> bool:
    """True when an undo can be called whatever became of the call (R504)."""
    missing = lacks(view, spot, step, tool, undo)
    ready = not missing or (missing == RESULT and gives_result(step))
    return ready and undo.when is None and can_fail(view, spot, step, tool, undo) is None


def computable(view: View, spot: Spot, step: Step, tool: Tool) -> bool:
    """True when a step that has answered has an undo that can be called, whatever holds then."""
    return any(
        undo.when is None
        and lacks(view, spot, step, tool, undo) <= RESULT
        and can_fail(view, spot, step, tool, undo) is None
        for undo in step.undos
    )
