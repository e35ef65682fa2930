"""Bodies of a plan as nodes and edges: what follows what, and what waits for what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...runtime.plan import (
    AgentCall,
    Each,
    First,
    If,
    Node as Statement,
    Parallel,
    Plan,
    Repeat,
    SagaCall,
    Scope,
)
from .captions import Captions
from .diagram import Diagram, Edge, Node, Panel

ELSE = "else: when the above has failed and is rolled back"


AFTERWARDS = Node("after", "", "on rollback")


class Span(NamedTuple):
    """A part of the drawing: the node where it begins, and the nodes where it may end."""

    entry: int
    exits: tuple[tuple[int, str], ...]


def draw(plan: Plan) -> Diagram:
    """Makes the diagram of a plan."""
    captions = Captions(plan)
    nodes: list[Node] = []
    main = _Body(captions, nodes, ())
    start = main.add(captions.start())
    exits = main.sequence(plan.body, ((start, ""),))
    open_ends = tuple(end for end in exits if nodes[end[0]].look != "end")
    if open_ends:
        main.join(open_ends, main.add(Node("end", "", "done")))
    panels = [main.panel()]
    if plan.on_rollback:
        panels.append(main.apart(plan.on_rollback))
    panels += [main.apart(saga.body, node) for node, saga in captions.undo_sagas()]
    return Diagram(tuple(nodes), tuple(panels))


class _Body:
    """A body on its way: its nodes and edges so far, and which nodes stand at a path."""

    def __init__(
        self, captions: Captions, nodes: list[Node], branches: tuple[tuple[str, str], ...]
    ) -> None:
        self._captions = captions
        self._nodes = nodes
        self._branches = branches
        self._mine: list[int] = []
        self._edges: dict[tuple[int, int], str] = {}
        self._at: dict[str, list[int]] = {}
        self._waits: list[tuple[int, tuple[str, ...]]] = []

    def add(self, node: Node) -> int:
        """Adds a node and gives its index."""
        self._nodes.append(node._replace(branches=self._branches))
        self._mine.append(len(self._nodes) - 1)
        return self._mine[-1]

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

    def apart(self, body: Sequence[Statement], head: Node = AFTERWARDS) -> Panel:
        """Draws what goes back, or runs after that, beside everything else, in a box of its own."""
        around = _Body(self._captions, self._nodes, self._branches)
        entry = around.add(head)
        first = len(self._nodes)
        inner = self._inner(body)
        for number, node in enumerate(self._nodes[first:], first):
            if node.look == "irreversible":
                self._nodes[number] = node._replace(look="final")
        self._nodes[entry] = self._nodes[entry]._replace(panels=(inner,))
        return around.panel()

    def panel(self, caption: str = "", *, free: bool = False) -> Panel:
        """Adds the edges of what waits for other branches, but for those that others imply."""
        extra = {
            (source, entry): ""
            for entry, paths in self._waits
            for path in paths
            for source in self._at.get(path, ())
            if source != entry and (source, entry) not in self._edges
        }
        edges = {**self._edges, **extra}
        order = _order(self._mine, edges)
        if len(order) < len(self._mine):
            # A plan that waits for itself has no order to show: what is written stays.
            edges = self._edges
            order = _order(self._mine, edges)
        implied = _implied(order, edges)
        kept = (
            Edge(source, target, label)
            for (source, target), label in sorted(edges.items())
            if (source, target) not in extra or (source, target) not in implied
        )
        return Panel(caption, tuple(self._mine), tuple(kept), free)

    def _statement(self, statement: Statement) -> Span:
        match statement:
            case If():
                span = self._branch(statement)
            case Parallel():
                span = self._parallel(statement)
            case _:
                entry = self._around(statement)
                span = Span(entry, ((entry, ""),))
        self._at.setdefault(statement.path, []).append(span.entry)
        self._waits.append((span.entry, statement.waits))
        return span

    def _branch(self, statement: If) -> Span:
        entry = self.add(self._captions.node(statement))
        around = self._branches
        self._branches = (*around, (statement.path, "then"))
        then = self.sequence(statement.then, ((entry, "yes"),))
        self._branches = (*around, (statement.path, "else"))
        otherwise = self.sequence(statement.otherwise, ((entry, "no"),))
        self._branches = around
        return Span(entry, (*then, *otherwise))

    def _parallel(self, statement: Parallel) -> Span:
        fork = self.add(self._captions.node(statement))
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

    def _around(self, statement: Statement) -> int:
        """Adds a node and, in it, the bodies of its statement."""
        entry = self.add(self._captions.node(statement))
        panels = tuple(self._panels(statement))
        if panels:
            self._nodes[entry] = self._nodes[entry]._replace(panels=panels)
        return entry

    def _panels(self, statement: Statement) -> Iterator[Panel]:
        match statement:
            case Each(body=body) | First(body=body) | Repeat(body=body):
                yield self._inner(body)
            case Scope(body=body, otherwise=otherwise):
                yield self._inner(body)
                if otherwise:
                    yield self._inner(otherwise, ELSE)
            case SagaCall(body=body, on_rollback=after):
                yield self._inner(body)
                if after:
                    yield self.apart(after)
            case AgentCall():
                uses = _Body(self._captions, self._nodes, self._branches)
                for node in self._captions.uses(statement):
                    uses.add(node)
                yield uses.panel(free=True)
            case _:
                pass

    def _inner(self, body: Sequence[Statement], caption: str = "") -> Panel:
        inner = _Body(self._captions, self._nodes, self._branches)
        inner.sequence(body, ())
        return inner.panel(caption)


def _order(nodes: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[int]:
    """Gives the nodes so that every edge leads forwards; those on a cycle are left out."""
    after, missing = _neighbours(nodes, edges)
    order = [node for node in nodes if not missing[node]]
    for node in order:
        for target in after[node]:
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    return order


def _implied(order: Sequence[int], edges: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Gives the edges whose ends are joined by a longer way too."""
    after, _ = _neighbours(order, edges)
    reached = dict.fromkeys(order, 0)
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


def _neighbours(
    nodes: Sequence[int], edges: Iterable[tuple[int, int]]
) -> tuple[dict[int, list[int]], dict[int, int]]:
    after: dict[int, list[int]] = {node: [] for node in nodes}
    missing = dict.fromkeys(nodes, 0)
    for source, target in edges:
        after[source].append(target)
        missing[target] += 1
    return after, missing
