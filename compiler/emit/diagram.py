"""The DAG of a saga as people see it: statements as nodes, what must settle first as edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal as OneOf, NamedTuple

from ...runtime.formula import Formula
from ...runtime.plan import (
    Checkpoint,
    Gate,
    If,
    Let,
    Node as Statement,
    Parallel,
    Plan,
    Requires,
    Return,
    Step,
    Tool,
)
from ..proving.proofs import step_class

Look = OneOf[
    "start", "end", "branch", "fork", "read", "reversible", "compensatable", "irreversible",
    "accepted", "restoring", "gate", "checkpoint", "requires", "let",
]  # fmt: skip
"""How a node looks; for a step it is the class that `saga check` prints."""


class Node(NamedTuple):
    """One statement: what it is called, what it does, and what else there is to say.

    `branches` are the choices that lead to it: the path of each `if` around it, and its side.
    """

    look: Look
    path: str
    title: str
    subtitle: str = ""
    notes: tuple[str, ...] = ()
    doc: str = ""
    branches: tuple[tuple[str, str], ...] = ()


class Edge(NamedTuple):
    """What must have settled (an index of a node) before what; the label says when it is taken."""

    source: int
    target: int
    label: str = ""


class Diagram(NamedTuple):
    """The nodes in the order written, and the edges between them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


class Span(NamedTuple):
    """A part of the drawing: the node where it begins, and the nodes where it may end."""

    entry: int
    exits: tuple[tuple[int, str], ...]


def draw(plan: Plan) -> Diagram:
    """Makes the diagram of a plan."""
    drawing = _Drawing({tool.name: tool for tool in plan.tools})
    inputs = tuple(f"{p.name}: {p.type}" for p in plan.parameters)
    start = drawing.add(Node("start", "", plan.saga, notes=inputs, doc=plan.doc))
    exits = drawing.sequence(plan.body, ((start, ""),))
    if exits:
        drawing.join(exits, drawing.add(Node("end", "", "done")))
    return drawing.finished()


class _Drawing:
    """A diagram on its way: nodes and edges so far, and which nodes stand at a path."""

    def __init__(self, tools: dict[str, Tool]) -> None:
        self._tools = tools
        self._nodes: list[Node] = []
        self._edges: dict[tuple[int, int], str] = {}
        self._at: dict[str, list[int]] = {}
        self._branches: tuple[tuple[str, str], ...] = ()
        self._waits: list[tuple[int, tuple[str, ...]]] = []

    def add(self, node: Node) -> int:
        """Adds a node and gives its index."""
        self._nodes.append(node._replace(branches=self._branches))
        return len(self._nodes) - 1

    def join(self, exits: Iterable[tuple[int, str]], target: int) -> None:
        """Lets a node follow others."""
        for source, label in exits:
            self._edges.setdefault((source, target), label)

    def sequence(
        self, body: Sequence[Statement], exits: tuple[tuple[int, str], ...]
    ) -> tuple[tuple[int, str], ...]:
        """Draws statements one after another; gives where the last one may end."""
        for statement in body:
            span = self._statement(statement)
            self.join(exits, span.entry)
            exits = span.exits
        return exits

    def finished(self) -> Diagram:
        """Adds the edges of what waits for other branches, but for those that others imply."""
        extra = {
            (source, entry): ""
            for entry, paths in self._waits
            for path in paths
            for source in self._at.get(path, ())
            if source != entry and (source, entry) not in self._edges
        }
        edges = {**self._edges, **extra}
        implied = _implied(len(self._nodes), edges)
        kept = (
            Edge(source, target, label)
            for (source, target), label in sorted(edges.items())
            if (source, target) not in extra or (source, target) not in implied
        )
        return Diagram(tuple(self._nodes), tuple(kept))

    def _statement(self, statement: Statement) -> Span:
        match statement:
            case If():
                span = self._branch(statement)
            case Parallel():
                span = self._parallel(statement)
            case Return():
                span = Span(self.add(self._node(statement)), ())
            case _:
                entry = self.add(self._node(statement))
                span = Span(entry, ((entry, ""),))
        self._at.setdefault(statement.path, []).append(span.entry)
        self._waits.append((span.entry, statement.waits))
        return span

    def _branch(self, statement: If) -> Span:
        entry = self.add(self._node(statement))
        around = self._branches
        self._branches = (*around, (statement.path, "then"))
        then = self.sequence(statement.then, ((entry, "yes"),))
        self._branches = (*around, (statement.path, "else"))
        otherwise = self.sequence(statement.otherwise, ((entry, "no"),))
        self._branches = around
        return Span(entry, (*then, *otherwise))

    def _parallel(self, statement: Parallel) -> Span:
        fork = self.add(self._node(statement))
        before = set(self._at)
        spans = [(inner, self._statement(inner)) for inner in statement.body]
        inside = {path for path in self._at if path not in before}
        awaited = {
            source
            for inner, _ in spans
            for path in inner.waits
            if path in inside
            for source in self._at[path]
        }
        for inner, span in spans:
            if inside.isdisjoint(inner.waits):
                self.join(((fork, ""),), span.entry)
        exits = tuple(end for _, span in spans for end in span.exits if end[0] not in awaited)
        return Span(fork, exits or ((fork, ""),))

    def _class(self, step: Step) -> Look:
        tool = self._tools.get(step.tool)
        return "read" if tool is None else step_class(step, tool)

    def _node(self, statement: Statement) -> Node:
        path, doc = statement.path, statement.doc
        match statement:
            case Step(name=name, tool=called):
                return Node(
                    self._class(statement),
                    path,
                    name,
                    called,
                    _notes(statement),
                    doc,
                )
            case Gate(name=name, needs=needs, group=group):
                notes = _when(statement.when)
                if statement.within is not None:
                    notes += (f"within {duration(statement.within)} else {statement.otherwise}",)
                return Node("gate", path, name, f"{needs} of {group}", notes, doc)
            case Checkpoint(name=name):
                return Node("checkpoint", path, name, doc=doc)
            case Let(name=name, value=value):
                return Node("let", path, name, value.source, doc=doc)
            case Requires(test=test):
                return Node("requires", path, test.source, doc=doc)
            case If(condition=condition):
                return Node("branch", path, condition.source, doc=doc)
            case Parallel():
                return Node("fork", path, "", doc=doc)
            case Return(value=value):
                return Node("end", path, value.source, doc=doc)
            case _:
                return Node("let", path, path, doc=doc)


def _notes(step: Step) -> tuple[str, ...]:
    undo = (f"undo {step.undos[0].tool}",) if step.undos else ()
    agent = (f"as {step.agent}",) if step.agent else ()
    failure = () if step.on_failure == "rollback" else (f"else {step.on_failure}",)
    until = () if step.until is None else (f"until {step.until.test.source}",)
    return (*undo, *_when(step.when), *until, *agent, *failure)


def _when(condition: Formula | None) -> tuple[str, ...]:
    return () if condition is None else (f"when {condition.source}",)


def duration(milliseconds: int) -> str:
    """Gives a length of time as the language writes it."""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)):
        if milliseconds and milliseconds % size == 0:
            return f"{milliseconds // size}{unit}"
    return f"{milliseconds}ms"


def _implied(count: int, edges: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Gives the edges whose ends are joined by a longer way too."""
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        after[source].append(target)
        missing[target] += 1
    order = [node for node in range(count) if not missing[node]]
    for node in order:
        for target in after[node]:
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    reached = [0] * count
    found: set[tuple[int, int]] = set()
    for node in reversed(order):
        through = 0
        for target in after[node]:
            through |= reached[target]
        found |= {(node, target) for target in after[node] if through >> target & 1}
        for target in after[node]:
            through |= 1 << target
        reached[node] = through
    return found
