"""Plans made by hand, as short as the rules that they are for."""

from __future__ import annotations

from sagalang.runtime.formula import NOWHERE, Formula, Literal, Name, Place, Type
from sagalang.runtime.plan import (
    FORMAT,
    Argument,
    Binding,
    Checkpoint,
    Effect,
    EffectClass,
    Gate,
    Idempotence,
    If,
    Let,
    Node,
    OnFailure,
    Parallel,
    Plan,
    Requires,
    Retry,
    Step,
    Tool,
    Undo,
)

JSON, STR = Type("json"), Type("str")


def value(tree: object, kind: Type = JSON) -> Formula:
    """A literal as a formula."""
    return Formula(Literal(tree), kind, str(tree))


def name(text: str, kind: Type = JSON) -> Formula:
    """A name as a formula."""
    return Formula(Name(text), kind, text)


CONDITION = name("condition", Type("bool"))
FOREVER = Retry(attempts=None)


def restoring(text: str = "take_back") -> Tool:
    """A tool that every undo here calls."""
    return Tool(
        name=text,
        parameters=(),
        result=JSON,
        call=Binding(target=text, args=()),
        effects=(Effect(kind="thing", effect_class="restoring"),),
        idempotent=Idempotence(by="naturally"),
        retry=Retry(attempts=5),
    )


def tool(
    text: str,
    effect: EffectClass | None,
    impact: int = 1,
    *,
    undo: bool = True,
    fails: bool = True,
) -> Tool:
    """A tool with one effect, or a read, that can be refused or cannot fail at all."""
    undoable = undo and effect in ("reversible", "compensatable")
    return Tool(
        name=text,
        parameters=(),
        result=JSON,
        call=Binding(target=text, args=()),
        effects=(
            () if effect is None else (Effect(kind="thing", effect_class=effect, impact=impact),)
        ),
        idempotent=Idempotence(by="naturally"),
        fails=("Refused",) if fails else (),
        retry=Retry(attempts=3) if fails else FOREVER,
        undos=(Undo(tool="take_back", args=()),) if undoable else (),
    )


def step(
    text: str,
    of: Tool,
    *,
    waits: tuple[str, ...] = (),
    when: bool = False,
    otherwise: OnFailure = "rollback",
    accepted: bool = False,
    at: Place = NOWHERE,
) -> Step:
    """A step with what its tool says in force."""
    return Step(
        path=text,
        name=text,
        tool=of.name,
        args=(),
        type=of.result,
        waits=waits,
        when=CONDITION if when else None,
        on_failure=otherwise,
        accepted=value("it may stand", STR) if accepted else None,
        timeout=of.timeout,
        settle=of.settle,
        retry=of.retry,
        verify=of.verify,
        undos=of.undos,
        at=at,
    )


def gate(text: str, *, when: Formula | None = None, otherwise: OnFailure = "rollback") -> Gate:
    """A gate of one person."""
    return Gate(
        path=text, name=text, needs=1, group="ops", shows=(), when=when, otherwise=otherwise
    )


def let(text: str, formula: Formula) -> Let:
    """A named value."""
    return Let(path=text, name=text, value=formula)


def checkpoint(text: str) -> Checkpoint:
    """A checkpoint, which does nothing."""
    return Checkpoint(path=text, name=text)


def requires() -> Requires:
    """A condition of the saga."""
    return Requires(path="requires#1", test=CONDITION)


def either(number: int, then: tuple[Node, ...], otherwise: tuple[Node, ...] = ()) -> If:
    """An `if` over a condition that can be either."""
    return If(path=f"if#{number}", condition=CONDITION, then=then, otherwise=otherwise)


def parallel(number: int, *body: Node) -> Parallel:
    """Statements side by side."""
    return Parallel(path=f"parallel#{number}", body=body)


def plan(*body: Node, tools: tuple[Tool, ...] = ()) -> Plan:
    """A saga of some statements with the tools that they call."""
    return Plan(
        format=FORMAT,
        edition=2026,
        saga="s",
        parameters=(),
        result=Type("none"),
        body=body,
        tools=tuple(sorted((*tools, restoring()), key=lambda each: each.name)),
    )


def argument(text: str, formula: Formula) -> Argument:
    """An argument of a call."""
    return Argument(name=text, value=formula)
