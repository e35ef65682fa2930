"""The index of a plan: its statements numbered, with what a kernel looks up at every event."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import msgspec

from ..formula import Formula, Node as Tree, names
from ..plan import Gate, Guard, If, Let, Node, Parallel, Parameter, Plan, Step, Tool
from ..shapes import Schema

ROOT = -1


@dataclass(frozen=True, slots=True)
class Entry:
    """One statement: its number, its parent's, what follows it, and its inner blocks by number.

    `follower` is the next statement of the same sequence (None at its end and in a `parallel`).
    """

    number: int
    statement: Node
    parent: int
    follower: int | None
    then: tuple[int, ...] = ()
    otherwise: tuple[int, ...] = ()


class Index:
    """A plan with numbers: built once per definition in O(statements), never changed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.schema = Schema.of(plan)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in plan.tools}
        self.entries: list[Entry] = []
        self.numbers: dict[str, list[int]] = {}
        self.root: tuple[int, ...] = ()
        self.baselines: dict[str, list[Step]] = {}
        self.steps: dict[int, Step] = {}
        self.holes: dict[int, Any] = {}
        self.hole_trees: dict[int, Tree] = {}
        self.given: dict[int, list[tuple[Parameter, Formula | None]]] = {}
        self._build(plan)
        self._note_holes()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def tool_of(self, step: Step) -> Tool:
        """Gives the tool that a step calls."""
        return self.tools[step.tool]

    def guards_of(self, number: int) -> tuple[Guard, ...]:
        """Gives the guards that hold for a step."""
        return self.plan.guards

    def step(self, number: int) -> Step:
        """Gives the step with that number."""
        return self.steps[number]

    def _note_holes(self) -> None:
        """Keeps the stored form of every undo argument that waits for `result` alone."""
        for step in self.steps.values():
            for undo in step.undos:
                for argument in undo.args:
                    tree = argument.value.tree
                    if names(tree) == frozenset(("result",)):
                        wire = self.holes[id(tree)] = msgspec.to_builtins(tree)
                        self.hole_trees[id(wire)] = tree

    def _build(self, plan: Plan) -> None:
        slots: list[Entry | None] = []

        def number(body: tuple[Node, ...], parent: int, sequence: bool) -> tuple[int, ...]:
            given: list[int] = []
            for statement in body:
                given.append(len(slots))
                slots.append(None)
                mine = given[-1]
                then: tuple[int, ...] = ()
                otherwise: tuple[int, ...] = ()
                if isinstance(statement, If):
                    then = number(statement.then, mine, True)
                    otherwise = number(statement.otherwise, mine, True)
                elif isinstance(statement, Parallel):
                    then = number(statement.body, mine, False)
                slots[mine] = Entry(mine, statement, parent, None, then, otherwise)
                self.numbers.setdefault(statement.path, []).append(mine)
            if sequence:
                for mine, following in pairwise(given):
                    entry = slots[mine]
                    assert entry is not None
                    slots[mine] = Entry(
                        entry.number,
                        entry.statement,
                        parent,
                        following,
                        entry.then,
                        entry.otherwise,
                    )
            return tuple(given)

        self.root = number(plan.body, ROOT, True)
        self.entries = [entry for entry in slots if entry is not None]
        for entry in self.entries:
            step = entry.statement
            if not isinstance(step, Step):
                continue
            self.steps[entry.number] = step
            args = {argument.name: argument.value for argument in step.args}
            self.given[entry.number] = [
                (parameter, args.get(parameter.name, parameter.default))
                for parameter in self.tools[step.tool].parameters
            ]
            if step.expecting is not None:
                self.baselines.setdefault(step.expecting.since, []).append(step)


def named(statement: Node) -> str:
    """Gives the name under which a statement's value is known, or an empty text."""
    return statement.name if isinstance(statement, (Step, Let, Gate)) else ""
