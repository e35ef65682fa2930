"""One statement as a node: how it looks, what it is called, and what else there is to say of it."""

from __future__ import annotations

from ...runtime.formula import Formula
from ...runtime.plan import (
    Agent,
    AgentCall,
    AgentTool,
    Checkpoint,
    Each,
    First,
    Gate,
    Guard,
    If,
    Let,
    Next,
    Node as Statement,
    OnFailure,
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
    UndoSaga,
    Wait,
    statements,
)
from ...runtime.wording import duration
from ..proving.proofs import step_class, tool_class
from .diagram import Look, Node


class Captions:
    """Says what stands in a node; for a step it has to know the plan's tools."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._tools: dict[str, Tool] = {tool.name: tool for tool in plan.tools}
        self._agents: dict[str, Agent] = {agent.name: agent for agent in plan.agents}
        self._sagas = frozenset(saga.name for saga in plan.undo_sagas)

    def start(self) -> Node:
        """Gives the node of the saga itself: its inputs, and what holds in all of it."""
        plan = self._plan
        inputs = tuple(f"{p.name}: {p.type}" for p in plan.parameters)
        notes = (*inputs, *_held(plan.deadline, plan.guards))
        return Node("start", "", plan.saga, notes=notes, doc=plan.doc)

    def node(self, statement: Statement) -> Node:
        """Gives the node of a statement, without its bodies."""
        look, title, subtitle, notes = self._said(statement)
        return Node(look, statement.path, title, subtitle, notes, statement.doc)

    def uses(self, call: AgentCall) -> tuple[Node, ...]:
        """Gives a node for each tool that an agent may use."""
        agent = self._agents.get(call.agent)
        return tuple(map(self._use, agent.uses)) if agent else ()

    def _use(self, use: AgentTool) -> Node:
        tool = self._tools.get(use.tool)
        kinds = ", ".join(effect.kind for effect in tool.effects) if tool else ""
        needs = (f"needs {use.needs}",) if use.needs else ()
        undo = self._undo(tool.undos) if tool else ()
        doc = tool.doc if tool else ""
        return Node(self._class(use.tool), "", use.tool, kinds, (*needs, *undo), doc)

    def undo_sagas(self) -> tuple[tuple[Node, UndoSaga], ...]:
        """Gives the sagas by which something in the plan is taken back, each with its node."""
        named = {
            undo.tool
            for statement in statements(self._plan.body)
            if isinstance(statement, Step | SagaCall)
            for undo in statement.undos
        }
        for agent in self._agents.values():
            tools = (self._tools.get(use.tool) for use in agent.uses)
            named |= {undo.tool for tool in tools if tool for undo in tool.undos}
        return tuple(
            (Node("undo", "", saga.name, doc=saga.doc), saga)
            for saga in self._plan.undo_sagas
            if saga.name in named
        )

    def _undo(self, undos: tuple[Undo, ...]) -> tuple[str, ...]:
        if not undos:
            return ()
        word = "undo by the saga" if undos[0].tool in self._sagas else "undo"
        return (f"{word} {undos[0].tool}",)

    def _class(self, tool: str, step: Step | None = None) -> Look:
        known = self._tools.get(tool)
        if known is None:
            return "read"
        return tool_class(known) if step is None else step_class(step, known)

    def _said(self, statement: Statement) -> tuple[Look, str, str, tuple[str, ...]]:
        match statement:
            case Step(name=name, tool=tool):
                notes = (*self._undo(statement.undos), *_step(statement))
                return self._class(tool, statement), name, tool, notes
            case SagaCall(name=name, saga=saga):
                notes = (
                    *self._undo(statement.undos),
                    *_when(statement.when),
                    *_as(statement.agent),
                    *_failure(statement.on_failure),
                    *_held(statement.deadline, statement.guards),
                )
                return "saga", name, saga, notes
            case AgentCall(name=name, agent=called):
                agent = self._agents.get(called)
                most = None if agent is None else agent.at_most
                notes = (
                    _calls(most),
                    *_when(statement.when),
                    *_as(statement.acts_as),
                    *_failure(statement.on_failure),
                )
                return "agent", name, called, notes
            case Gate(name=name, needs=needs, group=group, within=within, otherwise=otherwise):
                notes = (*_when(statement.when), *_within(within, otherwise))
                return "gate", name, f"{needs} of {group}", notes
            case Wait(name=name, type=kind, within=within, otherwise=otherwise):
                return "wait", name, str(kind), _within(within, otherwise)
            case Sleep(length=length):
                return "sleep", duration(length), "", ()
            case Checkpoint(name=name):
                return "checkpoint", name, "", ()
            case Let(name=name, value=value):
                return "let", name, value.source, ()
            case Requires(test=test):
                return "requires", test.source, "", ()
            case If(condition=condition):
                return "branch", condition.source, "", ()
            case Parallel():
                return "fork", "", "", ()
            case Return(value=value):
                return "end", value.source, "", ()
            case Next(value=value):
                return "next", value.source, "", ()
            case _:
                return _loop(statement)


def _loop(statement: Each | First | Repeat | Scope) -> tuple[Look, str, str, tuple[str, ...]]:
    match statement:
        case Each(name=name, at_once=at_once, undo_at_once=undoing, tolerate=tolerated):
            notes = (
                "one at a time" if at_once == 1 else f"at most {at_once} at once",
                *((f"undo {undoing} at once",) if undoing > 1 else ()),
                *((f"tolerate {tolerated}",) if tolerated else ()),
            )
            return "each", name, _items(statement), notes
        case First(name=name):
            return "first", name, _items(statement), ("one after another, until one succeeds",)
        case Repeat(name=name, variable=variable, start=start, limit=limit):
            times = f"at most {limit} times" if limit != 1 else "at most once"
            return "repeat", name, f"{variable} from {start.source}", (times,)
        case Scope(name=name, otherwise=otherwise):
            notes = ("if it fails, the saga goes on without it",) if otherwise == () else ()
            return "scope", name, "rolled back alone", notes


def _items(statement: Each | First) -> str:
    by = f" by {statement.by.source}" if statement.by is not None else ""
    return f"{statement.variable} in {statement.items.source}{by}"


def _step(step: Step) -> tuple[str, ...]:
    until = () if step.until is None else (f"until {step.until.test.source}",)
    failure = _failure(step.on_failure)
    return (*_when(step.when), *until, *_as(step.agent), *failure)


def _when(condition: Formula | None) -> tuple[str, ...]:
    return () if condition is None else (f"when {condition.source}",)


def _as(agent: str) -> tuple[str, ...]:
    return (f"as {agent}",) if agent else ()


def _failure(means: OnFailure) -> tuple[str, ...]:
    return () if means == "rollback" else (f"else {means}",)


def _within(within: int | None, otherwise: OnFailure) -> tuple[str, ...]:
    return () if within is None else (f"within {duration(within)} else {otherwise}",)


def _calls(most: int | None) -> str:
    if most is None:
        return "calls these in any order, as often as it likes"
    return "calls one of these" if most == 1 else f"calls these in any order, at most {most} times"


def _held(deadline: int | None, guards: tuple[Guard, ...]) -> tuple[str, ...]:
    """Says what holds in the whole of a saga."""
    until = () if deadline is None else (f"deadline {duration(deadline)}",)
    return (
        *until,
        *(f"guard readiness >= {guard.least.source} needs {guard.group}" for guard in guards),
    )
