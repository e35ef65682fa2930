"""A plan led to one failure: values become samples, and conditions lead to the point.

Nothing of what is computed matters to what is undone, so every value is a sample of its type, every
condition holds, and whatever may fail is a call that is refused or a person who says no. An `each`
has two items, of which the last one fails, a `first` one candidate, a `repeat` two rounds where it
may have them. An agent has called each tool that it may use, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
    Step,
    Tool,
    Undo,
    Wait,
)
from .reach import inside
from .samples import sample
from .shapes import Schema
from .values import encode

POINT = Tool(
    name="(point of failure)",
    parameters=(),
    result=Type("none"),
    call=Binding(target="", args=()),
    fails=("Refused",),
    settle=0,
)
"""What stands for a condition that is false, and for an agent: a read that can be refused."""

_TRUE = Formula(Literal(True), Type("bool"), "true")
_FALSE = Formula(Literal(False), Type("bool"), "false")
_KEY = Formula(Name("key"), Type("str"), "key")
_NONE = Formula(Literal(None), Type("none"), "none")


class Leading:
    """Leads a plan to one statement; `targets` are the paths of the run that fail.

    There is one, and another for each scope whose `else` the statement stands in: that scope fails
    as late as it can. With `otherwise` so does each scope before the statement that has an `else`
    with something in it; `through` are their paths, `target` is the path of the run that fails, and
    `around` are the scopes that the statement is in.
    """

    def __init__(self, plan: Plan, point: Node, schema: Schema, otherwise: bool = False) -> None:
        self._plan = plan
        self._point = point
        self._schema = schema
        self._agents = {agent.name: agent for agent in plan.agents}
        self._tools = {tool.name: tool for tool in plan.tools}
        self._around = enclosing(plan.body, point)
        passed = list(self._passed(plan.body)) if otherwise else []
        self.through = tuple(scope.path for scope, _ in passed)
        self._points = [point, *self._before(self._around), *(last for _, last in passed)]
        self.target = _keyed(plan, point)
        self.around = tuple(each.path for each in self._around if isinstance(each, Scope))
        self.targets = frozenset(_keyed(plan, each) for each in self._points)

    def plan(self) -> Plan:
        """Gives the plan that is led to the statement."""
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

    @property
    def usual(self) -> bool:
        """Whether the plan is the one for all statements that are on the way through it.

        That takes the first branch of every `if`, and waits for as long as it takes.
        """
        return not any(isinstance(each, Wait) or self._other_branch(each) for each in self._points)

    def _other_branch(self, point: Node) -> bool:
        around = self._around if point is self._point else enclosing(self._plan.body, point)
        return any(isinstance(each, If) and _holds(each.otherwise, point) for each in around)

    def _before(self, around: list[Node]) -> Iterator[Node]:
        for scope in around:
            if isinstance(scope, Scope) and _holds(scope.otherwise or (), self._point):
                passing = [node for node in outwards(scope.body) if may_fail(node, self._tools)]
                yield from passing[-1:]

    def _passed(self, body: Iterable[Node]) -> Iterator[tuple[Scope, Node]]:
        """Gives each scope before the statement that has an `else`, and what fails last in it."""
        for node in body:
            if node is self._point:
                return
            within = next((b for b in inside(node) if _holds(b, self._point)), None)
            if isinstance(node, Scope) and node.otherwise and within is None:
                passing = [each for each in outwards(node.body) if may_fail(each, self._tools)]
                if passing:
                    yield node, passing[-1]
                continue
            for block in inside(node) if within is None else (within,):
                yield from self._passed(block)
            if within is not None and not isinstance(node, Parallel):
                return

    def _fails(self, node: Node) -> bool:
        return any(node is each for each in self._points)

    def _body(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(node for each in body for node in self._led(each))

    def _led(self, node: Node) -> Iterator[Node]:
        match node:
            case AgentCall():
                yield from self._agent(node)
            case Requires():
                yield self._refused(node, "rollback")
            case If(otherwise=other):
                holds = _FALSE if any(_holds(other, each) for each in self._points) else _TRUE
                then, otherwise = self._body(node.then), self._body(other)
                yield replace(node, condition=holds, then=then, otherwise=otherwise)
            case Parallel(body=body):
                yield replace(node, body=self._body(body))
            case Each(body=body, item=item):
                two = self._list(item, 2)
                yield replace(node, items=two, by=None, body=self._body(body))
            case First(body=body, item=item):
                yield replace(node, items=self._list(item, 1), by=None, body=self._body(body))
            case Repeat(body=(*before, Next() as last)) if _again(node):
                again = replace(last, value=_once_more(node.variable))
                yield replace(node, start=_NONE, body=(*self._body(tuple(before)), again))
            case Repeat(body=body):
                yield replace(node, start=_NONE, body=self._body(body))
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
                return replace(free, args=self._args(node.args), undos=_undos(undos))
            case SagaCall(undos=undos):
                return replace(node, when=None, args=self._args(node.args), undos=_undos(undos))
            case Gate():
                return replace(node, when=None, within=None, shows=())
            case Wait() if not self._fails(node):
                return replace(node, within=None)
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
                    timeout=tool.timeout,
                    settle=tool.settle,
                    retry=tool.retry,
                    undos=_undos(tool.undos),
                )
        yield self._refused(call, call.on_failure)

    def _refused(self, node: Node, on_failure: Any) -> Step:
        """Gives the call that is refused in the place of something else that fails."""
        return Step(
            path=node.path,
            waits=node.waits,
            name=getattr(node, "name", node.path),
            tool=POINT.name,
            args=(),
            type=POINT.result,
            on_failure=on_failure,
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


def may_fail(node: Node, tools: Mapping[str, Tool]) -> bool:
    """Whether a statement may fail for good, by itself."""
    match node:
        case Step(on_failure="continue") | AgentCall(on_failure="continue"):
            return False
        case Step():
            tool = tools[node.tool]
            refusable = bool(tool.fails or tool.requires or node.until or node.expecting)
            return refusable or node.retry.attempts is not None
        case Wait(within=within, otherwise=otherwise):
            return within is not None and otherwise != "continue"
        case Gate() | Requires() | AgentCall():
            return True
        case _:
            return False


def outwards(body: Iterable[Node]) -> Iterator[Node]:
    """Gives the statements of a body whose failure is the body's: nothing in between goes on."""
    for node in body:
        yield node
        match node:
            case Each(tolerate=0) | First() | Repeat() | If() | Parallel():
                for inner in inside(node):
                    yield from outwards(inner)
            case Scope(body=tried, otherwise=otherwise):
                yield from outwards(tried if otherwise is None else otherwise)
            case SagaCall(on_failure="rollback", body=called):
                yield from outwards(called)
            case _:
                pass


def _keyed(plan: Plan, point: Node) -> str:
    """Gives the path of a run for a statement: the keys of items are their numbers from 0."""
    around = enclosing(plan.body, point)
    keys = ["[1]" if _again(each) else "[0]" for each in around if _loops(each)]
    pieces = point.path.split("[*]")
    return pieces[0] + "".join(map(str.__add__, keys, pieces[1:]))


def _loops(node: Node) -> bool:
    return isinstance(node, Each | First | Repeat)


def _again(loop: Node) -> bool:
    """Whether the body of a loop runs again when it has succeeded."""
    match loop:
        case Repeat(body=(*_, Next(value=value)), limit=limit):
            return limit > 1 and value.tree != Literal(None)
        case _:
            return isinstance(loop, Each)


def _once_more(variable: str) -> Formula:
    """Gives the `next` of two rounds: the first one begins with none."""
    first = Compare("==", Name(variable), Literal(None))
    return Formula(Choice(first, Literal(True), Literal(None)), Type("bool"), "")


def enclosing(body: Iterable[Node], point: Node) -> list[Node]:
    """Gives the statements that a statement is in, the outermost first."""
    for node in body:
        if node is point:
            return []
        for inner in inside(node):
            if _holds(inner, point):
                return [node, *enclosing(inner, point)]
    return []


def forward(body: Iterable[Node], depth: int = 0) -> Iterator[tuple[Node, int]]:
    """Gives the statements that a run going forward comes to, each with how deep it is in."""
    for node in body:
        yield node, depth
        transparent = isinstance(node, If | Parallel)
        for inner in inside(node):
            yield from forward(inner, depth if transparent else depth + 1)


def _holds(body: Iterable[Node], point: Node) -> bool:
    return any(node is point for node, _ in forward(body))


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
