"""The SVG target: the DAG of a saga as a picture that needs nothing but itself.

The ground is opaque and the colours are fixed, so that it reads the same in light and dark pages;
there is no script, no style sheet, no font and no link in it. Each node is a group with an id and
with its path, class and state as data, so that a live view can patch it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...runtime.plan import Plan
from .boxes import Box
from .diagram import Diagram, Panel
from .flow import draw
from .naming import identifier
from .origin import SVG
from .palette import GROUND, QUIET, STYLES
from .scene import Caption, Route, compose
from .templating import template

MARGIN = 24
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Placed(NamedTuple):
    """A box with its id, its path and the place of its upper left corner."""

    id: str
    path: str
    box: Box
    x: int
    y: int
    said: str
    captions: tuple[Caption, ...] = ()
    header: int = 0


class Line(NamedTuple):
    """An edge: its path, its arrow head, and its label."""

    path: str
    head: str
    label: str
    x: float
    y: float
    anchor: str


def emit_svg(plan: Plan, states: Mapping[str, str] | None = None) -> str:
    """Gives the picture of a saga, or, with the status of each path, of a run of it.

    The nodes of a definition and of all its runs have the same ids; the pictures of runs have one
    more line in each node.
    """
    diagram = draw(plan)
    scene = compose(diagram, states)
    name = identifier(plan.saga)
    placed = [
        Placed(
            f"{name}-{number}",
            clean(spot.box.node.path),
            spot.box,
            round(spot.x) + MARGIN,
            round(spot.y) + MARGIN,
            _said(spot.box),
            spot.captions,
            spot.header,
        )
        for number, spot in sorted(scene.spots.items())
    ]
    return template("graph.svg.j2").render(
        marker=SVG,
        width=round(scene.width) + 2 * MARGIN,
        height=round(scene.height) + 2 * MARGIN,
        title=clean(f"Saga {plan.saga}" if states is None else f"A run of the saga {plan.saga}"),
        desc=clean(_description(diagram, placed)),
        frames=[one for one in placed if one.header],
        nodes=[one for one in placed if not one.header],
        lines=list(_lines(scene.routes)),
        ground=GROUND,
        ink=QUIET,
    )


def _lines(routes: Sequence[Route]) -> Iterator[Line]:
    for edge, route in sorted(routes):
        points = [(x + MARGIN, y + MARGIN) for x, y in route]
        begin, end = points[0], points[-1]
        path = f"M{begin[0]:g} {begin[1]:g}"
        for (_, _), (x0, y0), (x1, y1) in zip(
            points[::2], points[1::2], points[2::2], strict=False
        ):
            middle = (y0 + y1) / 2
            path += f"V{y0:g}" + (
                f"V{y1:g}" if x0 == x1 else f"C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"
            )
        path += f"V{end[1] - 6:g}"
        head = f"M{end[0]:g} {end[1]:g}l-4.5-8h9z"
        # The label stands where the edge arrives in its column, on the side it does not come from.
        arrived = points[2]
        side, anchor = (-7, "end") if arrived[0] < begin[0] else (7, "start")
        yield Line(path, head, edge.label, arrived[0] + side, arrived[1] - 5, anchor)


def _said(one: Box) -> str:
    """Gives the whole text of a node, for its tooltip and for those who do not see it."""
    node = one.node
    parts = [f"{STYLES[node.look].word} {node.title}".strip(), node.subtitle, *node.notes]
    if one.state:
        parts.append(one.state.word)
    said = ", ".join(part for part in parts if part)
    return clean(f"{said}\n{node.doc}" if node.doc else said)


def clean(text: str) -> str:
    """Gives a text without what XML cannot hold, not even escaped."""
    return NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _description(diagram: Diagram, placed: Sequence[Placed]) -> str:
    """Says the whole picture in words, node by node, and what is inside of what."""
    return " ".join(_told(diagram, placed, diagram.panels))


def _told(diagram: Diagram, placed: Sequence[Placed], panels: Sequence[Panel]) -> Iterator[str]:
    for panel in panels:
        if panel.caption:
            yield f"{panel.caption}:"
        after: dict[int, list[str]] = {}
        for edge in panel.edges:
            after.setdefault(edge.target, []).append(diagram.nodes[edge.source].title or "parallel")
        for number in panel.nodes:
            said = placed[number].said.split("\n")[0]
            before = after.get(number)
            yield f"{said}; after {', '.join(before)}." if before else f"{said}."
            if inside := diagram.nodes[number].panels:
                yield f"In {diagram.nodes[number].title}:"
                yield from _told(diagram, placed, inside)
                yield f"End of {diagram.nodes[number].title}."
