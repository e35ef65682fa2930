"""A plan led on one way to its failures: values become samples, conditions lead along the way.

Nothing of what is computed matters to what is undone, so every value is a sample of its type, every
condition holds, and whatever may fail is a call that is refused or a person who says no. An `each`
has two items, of which the last one fails, or three where one failure is tolerated and two are too
many; a `first` has one candidate, a `repeat` two rounds where it may have them. An agent has called
each tool that it may use, once. What may fail is not found here: the compiler says it
(`compiler.proving.points`), so that what is shown is what is proved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from .formula import Choice, Compare, Formula, Literal, Name, Type
from .plan import (
    AgentCall,
    Argument,
    Binding,
    Each,
    First,
    Gate,
    If,
    Let,
    Next,
    Node,
    Parallel,
    Plan,
    Repeat,
    Requires,
    Return,
    SagaCall,
    Scope,
    Sleep,
    Step,
    Tool,
    Undo,
)
from .samples import sample
from .shapes import Schema
from .values import encode
from .ways import Point, Sides, again, failing_path

PATIENCE = 60_000
"""Milliseconds after which a call is over: late enough for whatever fails as late as it can."""

POINT = Tool(
    name="(point of failure)",
    parameters=(),
    result=Type("none"),
    call=Binding(target="", args=()),
    fails=("Refused",),
    settle=0,
    timeout=PATIENCE,
)
"""What stands for a condition that is false, and for an agent: a read that can be refused."""

_TRUE = Formula(Literal(True), Type("bool"), "true")
_FALSE = Formula(Literal(False), Type("bool"), "false")
_KEY = Formula(Name("key"), Type("str"), "key")
_NONE = Formula(Literal(None), Type("none"), "none")


class Leading:
    """Leads a plan on one way: it takes the `else` of each `if` and scope in `sides`.

    Whatever of `points` is no call, no gate and no wait is replaced by a call that can be refused,
    or stands behind one, or before one.
    """

    def __init__(
        self,
        plan: Plan,
        points: Sequence[Point],
        schema: Schema,
        sides: Sides,
    ) -> None:
        self._plan = plan
        self._schema = schema
        self._sides = sides
        self._agents = {agent.name: agent for agent in plan.agents}
        self._tools = {tool.name: tool for tool in plan.tools}
        self._points: dict[int, list[Point]] = defaultdict(list)
        for point in points:
            self._points[id(point.node)].append(point)

    def plan(self) -> Plan:
        """Gives the plan that is led on its way."""
        return replace(
            self._plan,
            body=self._body(self._plan.body),
            on_rollback=tuple(map(self._plain, self._plan.on_rollback)),
            undo_sagas=tuple(
                replace(saga, body=self._body(saga.body)) for saga in self._plan.undo_sagas
            ),
            tools=(*map(_tool, self._plan.tools), POINT),
            deadline=None,
            guards=(),
        )

    def _body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(node for each in body for node in self._beside(each))

    def _beside(self, node: Node) -> Iterator[Node]:
        """Gives what a statement is led to, between the calls that are refused in its place."""
        before: tuple[Node, ...] = ()
        after: tuple[Node, ...] = ()
        for point in self._points.get(id(node), ()):
            path = failing_path(point)
            if path == f"{node.path}?":
                before = (self._refused(node, path),)
            elif path == f"{node.path}!":
                after = (replace(self._refused(node, path), waits=(node.path,)),)
        yield from before
        for led in self._led(node):
            waits = (*led.waits, *(each.path for each in before))
            yield replace(led, waits=waits) if before else led
        yield from after

    def _led(self, node: Node) -> Iterator[Node]:
        match node:
            case AgentCall():
                yield from self._agent(node)
            case Requires():
                yield self._refused(node, node.path)
            case Let() if id(node) in self._points:
                yield self._refused(node, node.path)
            case If(otherwise=other):
                holds = _FALSE if id(node) in self._sides else _TRUE
                then, otherwise = self._body(node.then), self._body(other)
                yield replace(node, condition=holds, then=then, otherwise=otherwise)
            case Parallel(body=body):
                yield replace(node, body=self._body(body))
            case Each(body=body, item=item):
                # One is done, one fails, and where that is tolerated another one is too many.
                few = self._list(item, 3 if node.tolerate else 2)
                most = min(node.tolerate, 1)
                yield replace(node, items=few, by=None, tolerate=most, body=self._body(body))
            case First(body=body, item=item):
                yield replace(node, items=self._list(item, 1), by=None, body=self._body(body))
            case Repeat(body=body):
                *rounds, last = self._body(body)
                if again(node) and isinstance(last, Next):
                    last = replace(last, value=_once_more(node.variable))
                yield replace(node, start=_NONE, body=(*rounds, last))
            case Scope(body=body, otherwise=otherwise):
                other = None if otherwise is None else self._body(otherwise)
                yield replace(node, body=self._body(body), otherwise=other)
            case SagaCall(body=body):
                after = tuple(map(self._plain, node.on_rollback))
                led = replace(self._plain(node), body=self._body(body), on_rollback=after)
                yield replace(led, deadline=None, guards=())
            case _:
                yield self._plain(node)

    def _plain(self, node: Node) -> Node:
        """Takes conditions and computed values from a statement."""
        match node:
            case Step(undos=undos):
                free = replace(node, when=None, until=None, expecting=None, verify=None)
                free = replace(free, timeout=PATIENCE)
                return replace(free, args=self._args(node.args), undos=_undos(undos))
            case SagaCall(undos=undos):
                return replace(node, when=None, args=self._args(node.args), undos=_undos(undos))
            case Gate():
                return replace(node, when=None, within=None, shows=())
            case Sleep():
                return replace(node, length=1)
            case Let(value=value) | Return(value=value):
                return replace(node, value=self._value(value.type))
            case Next():
                return replace(node, value=_NONE)
            case _:
                return node

    def _agent(self, call: AgentCall) -> Iterator[Node]:
        agent = self._agents[call.agent]
        for number, use in enumerate(agent.uses, 1):
            tool = self._tools[use.tool]
            if not tool.is_read:
                args = tuple(
                    Argument(name=one.name, value=self._value(one.type)) for one in tool.parameters
                )
                yield Step(
                    path=f"{call.path}[{number}]",
                    waits=call.waits,
                    name=f"{call.name}[{number}]",
                    tool=tool.name,
                    args=args,
                    type=tool.result,
                    timeout=PATIENCE,
                    settle=tool.settle,
                    retry=tool.retry,
                    undos=_undos(tool.undos),
                )
        yield self._refused(call, call.path)

    def _refused(self, node: Node, path: str) -> Step:
        """Gives the call that is refused in the place of something else that fails."""
        return Step(
            path=path,
            waits=node.waits,
            name=getattr(node, "name", "") if path == node.path else "",
            tool=POINT.name,
            args=(),
            type=POINT.result,
            on_failure=getattr(node, "on_failure", "rollback"),
            timeout=POINT.timeout,
            settle=POINT.settle,
            retry=POINT.retry,
        )

    def _args(self, args: tuple[Argument, ...]) -> tuple[Argument, ...]:
        # What is written is kept: it is what is shown of a call.
        return tuple(
            replace(one, value=replace(self._value(one.value.type), source=one.value.source))
            for one in args
        )

    def _value(self, kind: Type) -> Formula:
        return Formula(Literal(encode(sample(kind, self._schema))), kind, "")

    def _list(self, item: Type, length: int) -> Formula:
        kind = Type("list", of=item)
        held = [encode(sample(item, self._schema))] * length
        return Formula(Literal(held), kind, "")


def _once_more(variable: str) -> Formula:
    """Gives the `next` of two rounds: the first one begins with none."""
    first = Compare("==", Name(variable), Literal(None))
    return Formula(Choice(first, Literal(True), Literal(None)), Type("bool"), "")


def _tool(tool: Tool) -> Tool:
    return replace(
        tool,
        # Samples are alike: nothing may take them for one resource, and wait or look again.
        effects=tuple(replace(effect, ids=(_KEY,)) for effect in tool.effects),
        reads=(),
        requires=(),
        ensures=(),
        # A sample gives no verdict, and everything is answered: there is nothing to find out.
        verify=None,
        verify_always=False,
        evidence=(),
        undos=_undos(tool.undos),
    )


def _undos(undos: tuple[Undo, ...]) -> tuple[Undo, ...]:
    return tuple(replace(undo, when=None, verify=None) for undo in undos)
