"""Cycles of waiting: statements each of which waits for the next, shown member by member.

Every statement has a begin and an end. What a statement needs, its place in a sequence and the
block around it are edges between these; a strongly connected part of that graph is a deadlock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import If, Parallel
from ...dsl.span import Span
from ..codes import declare
from .catalogue import spelled
from .order import Needs
from .outline import COMPOUND, Outline, Site
from .placement import headline

G401 = declare("G401", "error", "cycle")
HOLDING = (If, Parallel, *COMPOUND)


class Edge(Struct, frozen=True):
    """The event `to` must come first; `at` is where the program says so, if in words."""

    to: int
    at: Span | None = None


Graph = Sequence[Sequence[Edge]]


def cycles(outline: Outline, found: Needs) -> Iterator[Diagnostic]:
    """Yields one G401 for each separate cycle, beginning at its first member as written."""
    if not found:
        return
    graph = _graph(outline, found)
    for part in _parts(graph):
        starts = [event for event in part if any(e.at for e in graph[event] if e.to in part)]
        if starts:
            yield _told(outline, graph, _round(graph, min(starts), part))


def _graph(outline: Outline, found: Needs) -> Graph:
    """Builds the edges: event 2n is the begin of site n, 2n + 1 its end."""
    graph: list[list[Edge]] = [[] for _ in range(2 * len(outline.sites))]
    members: dict[int, list[Site]] = {}
    parents: dict[int, Site] = {}
    open_: list[Site] = []
    for site in outline.sites:
        del open_[len(site.trail) - 1 :]
        if open_:
            parents[site.area] = open_[-1]
        open_.append(site)
        members.setdefault(site.area, []).append(site)
    for site in outline.sites:
        graph[2 * site.number + 1].append(Edge(2 * site.number))
        for need in found.get(site.number, ()):
            for other in need.sites:
                graph[2 * site.number].append(Edge(2 * other.number + 1, need.at))
    for area, inside in members.items():
        parent = parents.get(area)
        beside = outline.areas[area].parallel
        for place, site in enumerate(inside):
            if place and not beside:
                graph[2 * site.number].append(Edge(2 * inside[place - 1].number + 1))
            elif parent is not None:
                graph[2 * site.number].append(Edge(2 * parent.number))
            if parent is not None and (beside or place == len(inside) - 1):
                graph[2 * parent.number + 1].append(Edge(2 * site.number + 1))
    return graph


def _parts(graph: Graph) -> Iterator[frozenset[int]]:
    """Yields the strongly connected parts of several events (Tarjan, 1972)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in range(len(graph)):
        work = [] if root in index else [(root, 0)]
        while work:
            event, place = work.pop()
            if place == 0:
                index[event] = low[event] = len(index)
                stack.append(event)
                on_stack.add(event)
            if place < len(graph[event]):
                work.append((event, place + 1))
                to = graph[event][place].to
                if to not in index:
                    work.append((to, 0))
                elif to in on_stack:
                    low[event] = min(low[event], index[to])
                continue
            if work:
                caller = work[-1][0]
                low[caller] = min(low[caller], low[event])
            if low[event] == index[event]:
                part: set[int] = set()
                while event not in part:
                    part.add(stack.pop())
                on_stack -= part
                if len(part) > 1:
                    yield frozenset(part)


def _round(graph: Graph, start: int, part: frozenset[int]) -> list[int]:
    """Gives a shortest way from an event back to itself inside a part, the start once."""
    came: dict[int, int] = {}
    todo = deque([start])
    while todo:
        event = todo.popleft()
        for edge in graph[event]:
            if edge.to == start:
                way = [event]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way[::-1]
            if edge.to in part and edge.to not in came:
                came[edge.to] = event
                todo.append(edge.to)
    return [start]


def _told(outline: Outline, graph: Graph, way: list[int]) -> Diagnostic:
    members: list[Site] = []
    labels: list[tuple[Span, str]] = []
    for event, following in zip(way, [*way[1:], way[0]], strict=True):
        site, other = outline.sites[event // 2], outline.sites[following // 2]
        at = next((e.at for e in graph[event] if e.to == following and e.at), None)
        if site.number == other.number and at is None:
            continue
        members.append(site)
        if at is not None:
            labels.append((at, f"{_word(site)} waits for {_word(other)}"))
        else:
            labels.append((headline(site.statement), f"{_word(site)} {_shape(site, other)}"))
    # What has no name is shown below the code, where people see it; in the chain it would puzzle.
    named = [site for site in members if site.name is not None] or members
    chain = " → ".join(_word(site) for site in (*named, named[0]))
    text = (
        f"{_word(named[0])} waits for itself: it could never run."
        if len(named) == 1
        else f"{chain}: each waits for the next, so none of them could ever run."
    )
    return G401(
        text,
        labels[0][0],
        labels[0][1],
        also=labels[1:],
        helps=["Take one of these waits out."],
    )


def _word(site: Site) -> str:
    word = site.path.rpartition(".")[2].partition("#")[0]
    return f"`{word}`" if site.name is None else spelled(site.name)


def _shape(site: Site, other: Site) -> str:
    if isinstance(other.statement, HOLDING) and len(other.trail) < len(site.trail):
        article = "the " if other.name is None else ""
        return f"is inside {article}{_word(other)}"
    if isinstance(site.statement, HOLDING) and len(site.trail) < len(other.trail):
        return f"is over when {_word(other)} is"
    return f"comes after {_word(other)} as written"
