"""Plans made by hand, as short as the rules that they are for."""

from __future__ import annotations

from sagalang.runtime.formula import NOWHERE, Formula, Literal, Name, Place, Type
from sagalang.runtime.plan import (
    FORMAT,
    Agent,
    AgentCall,
    AgentTool,
    Argument,
    Binding,
    Checkpoint,
    Each,
    Effect,
    EffectClass,
    First,
    Gate,
    Idempotence,
    If,
    Let,
    Node,
    OnFailure,
    Parallel,
    Plan,
    Repeat,
    Requires,
    Retry,
    SagaCall,
    Scope,
    Step,
    Tool,
    Undo,
    Wait,
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
        name=text.rpartition(".")[2],
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
        path=text,
        name=text.rpartition(".")[2],
        needs=1,
        group="ops",
        shows=(),
        when=when,
        otherwise=otherwise,
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


def plan(*body: Node, tools: tuple[Tool, ...] = (), agents: tuple[Agent, ...] = ()) -> Plan:
    """A saga of some statements with the tools that they call."""
    return Plan(
        format=FORMAT,
        edition=2026,
        saga="s",
        parameters=(),
        result=Type("none"),
        body=body,
        tools=tuple(sorted((*tools, restoring()), key=lambda each: each.name)),
        agents=agents,
    )


def argument(text: str, formula: Formula) -> Argument:
    """An argument of a call."""
    return Argument(name=text, value=formula)


LIST = Type("list", JSON)


def each(
    text: str,
    *body: Node,
    at_once: int = 1,
    tolerate: int = 0,
    by: Formula | None = None,
    items: Formula | None = None,
    waits: tuple[str, ...] = (),
) -> Each:
    """A body for each item of a list, by its index unless it is said."""
    return Each(
        path=text,
        name=text.rpartition(".")[2],
        variable="item",
        items=items or name("things", LIST),
        by=by,
        at_once=at_once,
        tolerate=tolerate,
        item=JSON,
        type=LIST,
        body=body,
        waits=waits,
    )


def first(text: str, *body: Node, waits: tuple[str, ...] = ()) -> First:
    """The first item of a list whose body succeeds."""
    return First(
        path=text,
        name=text.rpartition(".")[2],
        variable="item",
        items=name("things", LIST),
        item=JSON,
        type=JSON,
        body=body,
        waits=waits,
    )


def repeat(text: str, *body: Node, limit: int = 3, waits: tuple[str, ...] = ()) -> Repeat:
    """A body again and again, up to a limit."""
    return Repeat(
        path=text,
        name=text.rpartition(".")[2],
        variable="item",
        start=name("begin", STR),
        limit=limit,
        item=STR,
        type=LIST,
        body=body,
        waits=waits,
    )


def scope(
    text: str,
    body: tuple[Node, ...],
    otherwise: tuple[Node, ...] | None = None,
    *,
    waits: tuple[str, ...] = (),
) -> Scope:
    """A scope, with an else where it is given."""
    return Scope(
        path=text,
        name=text.rpartition(".")[2],
        type=Type("record", name=text),
        fields=(),
        body=body,
        otherwise=otherwise,
        waits=waits,
    )


def called(
    text: str,
    *body: Node,
    otherwise: OnFailure = "rollback",
    when: bool = False,
    deadline: int | None = None,
    after: tuple[Node, ...] = (),
    waits: tuple[str, ...] = (),
) -> SagaCall:
    """A call of another saga with its statements."""
    return SagaCall(
        path=text,
        name=text.rpartition(".")[2],
        saga=f"saga_of_{text}",
        args=(),
        parameters=(),
        result=JSON,
        type=JSON,
        when=CONDITION if when else None,
        on_failure=otherwise,
        body=body,
        on_rollback=after,
        deadline=deadline,
        waits=waits,
    )


def agent(text: str, *uses: Tool, at_most: int | None = None, needs: str = "") -> Agent:
    """An agent that may use some tools."""
    return Agent(
        name=text,
        parameters=(),
        result=JSON,
        call=Binding(target=text, args=()),
        uses=tuple(AgentTool(tool=each.name, needs=needs) for each in uses),
        at_most=at_most,
    )


def asked(
    text: str,
    of: Agent,
    *,
    otherwise: OnFailure = "rollback",
    when: bool = False,
    waits: tuple[str, ...] = (),
) -> AgentCall:
    """A step that calls an agent."""
    return AgentCall(
        path=text,
        name=text.rpartition(".")[2],
        agent=of.name,
        args=(),
        type=of.result,
        when=CONDITION if when else None,
        on_failure=otherwise,
        timeout=of.timeout,
        settle=of.settle,
        retry=of.retry,
        waits=waits,
    )


def wait(
    text: str,
    *,
    within: int | None = None,
    otherwise: OnFailure = "rollback",
    waits: tuple[str, ...] = (),
) -> Wait:
    """A signal from outside."""
    return Wait(
        path=text,
        name=text.rpartition(".")[2],
        type=JSON,
        within=within,
        otherwise=otherwise,
        waits=waits,
    )
