"""The index of a plan: its statements numbered, with what a kernel looks up at every event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace as changed
from itertools import pairwise
from typing import Any, Literal as OneOf

import msgspec
from msgspec.structs import replace

from ..formula import Node as Tree, names
from ..plan import (
    AgentCall,
    Binding,
    Each,
    Effect,
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
    Wait,
    as_tool,
    statements,
)
from ..shapes import Schema
from .agency import as_step, call_as_step
from .sites import Site, between_runs, given_to, site

ROOT = -1
"""Stands for the statement around a block: a block's own statements have no other parent."""

UNDO_PATH = "undo "
"""What the paths of sagas that undos name begin with; no name has a space in it."""

BlockKind = OneOf[
    "saga", "scope", "else", "item", "candidate", "round", "call", "rollback", "agent", "undo"
]
"""What a block is run as: `candidate` is an item of a `first`, `rollback` an `on rollback`.

`undo` is a saga that an undo names.
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A body that is run as a frame of its own: what owns it, and its statements by number."""

    kind: BlockKind
    owner: int
    numbers: tuple[int, ...]


Role = OneOf["call", "gate", "wait", "scope", "parallel", "if", "judged", "other"]
"""What happens when a statement's turn comes; what is `judged` is found anew in a frame run again,
other choices stay as they are on record."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement: its number, its parent's, what follows it, and what it holds.

    `follower` is the next statement of the same sequence (None at its end and in a `parallel`);
    `local` is its path within its block, `name` that of its value or empty; `then` and `otherwise`
    are the statements of `if` and `parallel`, which belong to the same block; `blocks` are those
    that it runs as frames.
    """

    number: int
    statement: Node
    parent: int
    follower: int | None
    block: int
    local: str
    role: Role
    name: str
    then: tuple[int, ...] = ()
    otherwise: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()


class Index:
    """A plan with numbers: built once per definition in O(statements), never changed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schema = Schema.of(plan)
        self.outside = msgspec.structs.replace(self.schema, texts=True)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in plan.tools}
        for saga in plan.undo_sagas:
            self.tools[saga.name] = as_tool(saga, self.tools)
        self.entries: list[Entry] = []
        self.numbers: dict[str, list[int]] = {}
        self.blocks: list[Block] = []
        self.rollback: int | None = None
        self.sites: dict[int, Site] = {}
        self.holes: dict[int, Any] = {}
        self.hole_trees: dict[int, Tree] = {}
        self.neighbourly = any(between_runs(tool) != "allow" for tool in plan.tools)
        self.calls: dict[tuple[int, str], int] = {}
        self.entries = _Numbering(self.blocks).of(plan)
        self.written = len(self.entries)
        self.undo_blocks = {
            saga.name: number
            for saga, number in zip(
                plan.undo_sagas,
                (n for n, block in enumerate(self.blocks) if block.kind == "undo"),
                strict=True,
            )
        }
        self.forward = next(
            (e.number for e in self.entries if e.statement.path.startswith(UNDO_PATH)), self.written
        )
        self.undo_word = _free_word(plan) if plan.undo_sagas else "undo"
        self.guarded = bool(plan.guards) or any(
            isinstance(entry.statement, SagaCall) and entry.statement.guards
            for entry in self.entries
        )
        self.meeting = any(map(_side_by_side, self.entries))
        self.watchful = self.meeting or self.guarded
        self.awaited = frozenset(path for e in self.entries for path in e.statement.waits)
        self._note()
        self._note_holes()

    def step(self, number: int) -> Step:
        """Gives the step with that number."""
        return self.sites[number].step

    def takes_back(self, number: int) -> bool:
        """True for a statement of a saga that undos name."""
        return self.forward <= number < self.written

    def _note_holes(self) -> None:
        """Keeps the stored form of every undo argument that waits for `result` alone."""
        for at in self.sites.values():
            for undo in at.step.undos:
                for argument in undo.args:
                    tree = argument.value.tree
                    if names(tree) == frozenset(("result",)):
                        wire = self.holes[id(tree)] = msgspec.to_builtins(tree)
                        self.hole_trees[id(wire)] = tree

    def _note(self) -> None:
        for number, block in enumerate(self.blocks):
            if block.kind == "rollback" and block.owner == ROOT:
                self.rollback = number
        baselines: dict[str, list[Step]] = {}
        for entry in self.entries:
            statement = entry.statement
            self.numbers.setdefault(statement.path, []).append(entry.number)
            if isinstance(statement, Step) and statement.expecting is not None:
                baselines.setdefault(statement.expecting.since, []).append(statement)
        for entry in self.entries[: self.written]:
            number, node = entry.number, entry.statement
            later = baselines.get(node.path, ())
            if isinstance(node, Step):
                tool = self.tools[node.tool]
                given = given_to(tool.parameters, node.args)
                step = node
                if self.takes_back(number) and not tool.is_read:
                    step, tool = _as_undo(node, tool)
                    self.tools[tool.name] = tool
                self.sites[number] = site(number, step, tool, given, baselines=later)
            elif isinstance(node, SagaCall):
                step, tool = _as_step(node)
                self.tools[tool.name] = tool
                given = given_to(node.parameters, node.args)
                self.sites[number] = site(number, step, tool, given, is_call=True, baselines=later)
            elif isinstance(node, AgentCall):
                self._note_agent(number, entry.block, node, later)

    def _note_agent(self, number: int, block: int, node: AgentCall, later: Sequence[Step]) -> None:
        """Gives each tool of an agent step a statement of its own, behind those written."""
        agent = next(a for a in self.plan.agents if a.name == node.agent)
        step, self.tools[agent.name] = as_step(node, agent)
        given = given_to(agent.parameters, node.args)
        self.sites[number] = site(
            number, step, self.tools[agent.name], given, agent=agent, baselines=later
        )
        for use in agent.uses:
            mine = len(self.entries)
            tool = self.tools[use.tool]
            step = call_as_step(node, tool)
            self.sites[mine] = site(mine, step, tool, needs=use.needs)
            self.entries.append(Entry(mine, step, ROOT, None, block, "", "call", ""))
            self.numbers.setdefault(step.path, []).append(mine)
            self.calls[number, use.tool] = mine


class _Numbering:
    """Numbers the statements of a plan, outer before inner, and its blocks."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.slots: list[Entry | None] = []

    def of(self, plan: Plan) -> list[Entry]:
        """Gives the entries; the block of the saga is the first."""
        self._block("saga", ROOT, plan.body, "")
        if plan.on_rollback:
            self._block("rollback", ROOT, plan.on_rollback, "")
        for saga in plan.undo_sagas:
            self._block("undo", ROOT, saga.body, f"{UNDO_PATH}{saga.name}.")
        return [entry for entry in self.slots if entry is not None]

    def _block(self, kind: BlockKind, owner: int, body: tuple[Node, ...], prefix: str) -> int:
        number = len(self.blocks)
        self.blocks.append(Block(kind, owner, ()))
        numbers = self._number(body, ROOT, True, number, prefix)
        self.blocks[number] = Block(kind, owner, numbers)
        return number

    def _number(
        self, body: tuple[Node, ...], parent: int, sequence: bool, block: int, prefix: str
    ) -> tuple[int, ...]:
        given: list[int] = []
        for statement in body:
            mine = len(self.slots)
            given.append(mine)
            self.slots.append(None)
            then: tuple[int, ...] = ()
            otherwise: tuple[int, ...] = ()
            if isinstance(statement, If):
                then = self._number(statement.then, mine, True, block, prefix)
                otherwise = self._number(statement.otherwise, mine, True, block, prefix)
            elif isinstance(statement, Parallel):
                then = self._number(statement.body, mine, False, block, prefix)
            self.slots[mine] = Entry(
                mine,
                statement,
                parent,
                None,
                block,
                statement.path.removeprefix(prefix),
                _role(statement),
                named(statement),
                then,
                otherwise,
                self._blocks(statement, mine),
            )
        if sequence:
            for mine, following in pairwise(given):
                entry = self.slots[mine]
                assert entry is not None
                self.slots[mine] = changed(entry, follower=following)
        return tuple(given)

    def _blocks(self, node: Node, mine: int) -> tuple[int, ...]:
        path = node.path
        match node:
            case Scope(body=body, otherwise=other):
                block = self._block("scope", mine, body, f"{path}.")
                if other is None:
                    return (block,)
                return (block, self._block("else", mine, other, f"{path}.else."))
            case Each(body=body):
                return (self._block("item", mine, body, f"{path}[*]."),)
            case First(body=body):
                return (self._block("candidate", mine, body, f"{path}[*]."),)
            case Repeat(body=body):
                return (self._block("round", mine, body, f"{path}[*]."),)
            case SagaCall(body=body, on_rollback=after):
                block = self._block("call", mine, body, f"{path}.")
                if not after:
                    return (block,)
                return (block, self._block("rollback", mine, after, f"{path}."))
            case _:
                return ()


def _as_step(call: SagaCall) -> tuple[Step, Tool]:
    """Gives the call of a saga as the step that it is for its caller: its own undos, no effect.

    With undos that replace those of its effects it is one effect once it has completed.
    """
    effects = (Effect(kind=call.saga, effect_class="compensatable"),) if call.undos else ()
    tool = Tool(
        name=f"saga {call.path}",
        parameters=call.parameters,
        result=call.result,
        call=Binding(target="", args=()),
        effects=effects,
    )
    step = Step(
        path=call.path,
        name=call.name,
        tool=tool.name,
        args=call.args,
        type=call.type,
        when=call.when,
        agent=call.agent,
        on_failure=call.on_failure,
        timeout=0,
        settle=0,
        retry=tool.retry,
        undos=call.undos,
        replaces=("undo",),
    )
    return step, tool


def _as_undo(step: Step, tool: Tool) -> tuple[Step, Tool]:
    """Gives a step of a saga that undos name as what it is in a run: an undo, and nothing else."""
    only = Undo(
        tool=step.tool,
        args=step.args,
        timeout=step.timeout,
        settle=step.settle,
        retry=step.retry,
        verify=step.verify if "verify" in step.replaces else None,
    )
    made = Tool(
        name=f"undo {tool.name}",
        parameters=tool.parameters,
        result=tool.result,
        call=Binding(target="", args=()),
        commutes=tool.commutes,
        commutes_with=tool.commutes_with,
        service=tool.service,
        runbook=tool.runbook,
    )
    return replace(step, tool=made.name, undos=(only,), verify=None, replaces=("undo",)), made


def _free_word(plan: Plan) -> str:
    """Gives the word that stands in paths before what an undo does: one that no statement has."""
    taken = {part.removesuffix("[*]") for node in statements(plan.body)
             for part in node.path.split(".")}  # fmt: skip
    word = "undo"
    while word in taken:
        word += "_"
    return word


_NAMED = (Step, Let, Gate, Each, First, Repeat, Scope, Wait, SagaCall, AgentCall)


def _side_by_side(entry: Entry) -> bool:
    """True for what lets two steps be in flight at one time; else one is, and meets no other."""
    match entry.statement:
        case Parallel() | AgentCall():
            return True
        case Each(at_once=forward, undo_at_once=back):
            return forward > 1 or back > 1
        case _:
            return False


def _role(statement: Node) -> Role:
    match statement:
        case Step() | SagaCall() | AgentCall():
            return "call"
        case Gate():
            return "gate"
        case Wait() | Sleep():
            return "wait"
        case Scope():
            return "scope"
        case Parallel():
            return "parallel"
        case If():
            return "if"
        case Let() | Requires() | Return() | Next():
            return "judged"
        case _:
            return "other"


def named(statement: Node) -> str:
    """Gives the name under which a statement's value is known, or an empty text."""
    return statement.name if isinstance(statement, _NAMED) else ""
