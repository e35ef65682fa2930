"""Where everything of a picture stands: each body laid out alone, then as a box in what is around.

Coordinates are those of the whole picture, of upper left corners, in pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..drawing.layout import Layout, Point, lay_out
from ..drawing.layout_rows import in_rows
from .boxes import TEXT, Box, around, box
from .diagram import Diagram, Edge, Panel
from .lettering import measure
from .standings import gather

PAD = 16
"""Between the border of a statement and the bodies in it."""
BETWEEN = 32
"""Between bodies that belong together, where nothing is said."""
CAPTION = 38
"""What a line between two bodies takes, with what it says."""


class Caption(NamedTuple):
    """What a line across a box says of the body below it; `y` is the line's."""

    text: str
    y: int


class Spot(NamedTuple):
    """A node's box, where it stands, and the captions in it."""

    box: Box
    x: float
    y: float
    captions: tuple[Caption, ...] = ()
    header: int = 0


class Route(NamedTuple):
    """An edge, and its points from box to box."""

    edge: Edge
    points: tuple[Point, ...]


class Scene(NamedTuple):
    """A part of the picture: its size, and what stands in it by the nodes' numbers."""

    width: float
    height: float
    spots: dict[int, Spot]
    routes: list[Route]

    def add(self, other: Scene, x: float, y: float) -> None:
        """Puts what stands in another part into this one, at some place."""
        for node, spot in other.spots.items():
            self.spots[node] = spot._replace(x=spot.x + x, y=spot.y + y)
        for edge, points in other.routes:
            self.routes.append(Route(edge, tuple((px + x, py + y) for px, py in points)))


def compose(diagram: Diagram, states: Mapping[str, str] | None) -> Scene:
    """Composes the picture of a diagram, or, with the status of each path of a run, of that run."""
    composer = _Composer(diagram, states)
    parts = [composer.body(panel) for panel in diagram.panels]
    width = max(part.width for part in parts)
    height = sum(part.height for part in parts) + BETWEEN * (len(parts) - 1)
    whole = Scene(width, height, {}, [])
    top = 0.0
    for part in parts:
        whole.add(part, (width - part.width) / 2, top)
        top += part.height + BETWEEN
    return whole


class _Composer:
    """Lays out the bodies of one diagram from the inside out."""

    def __init__(self, diagram: Diagram, states: Mapping[str, str] | None) -> None:
        self._nodes = diagram.nodes
        self._states = None if states is None else gather(states)

    def body(self, panel: Panel) -> Scene:
        """Lays out a body: first whatever is in its statements, then these."""
        parts = [self._statement(node) for node in panel.nodes]
        sizes = [(part.width, part.height) for part in parts]
        layout = in_rows(sizes) if panel.free else _layered(panel, sizes)
        scene = Scene(layout.width, layout.height, {}, [])
        for (x, y), part in zip(layout.centres, parts, strict=True):
            scene.add(part, x - part.width / 2, y - part.height / 2)
        routes = zip(panel.edges, layout.routes, strict=True)
        scene.routes.extend(Route(edge, points) for edge, points in routes)
        return scene

    def _statement(self, number: int) -> Scene:
        node = self._nodes[number]
        header = box(node, self._states)
        parts = [(panel.caption, self.body(panel)) for panel in node.panels]
        parts = [(caption, part) for caption, part in parts if part.spots or caption]
        if not parts:
            return Scene(header.width, header.height, {number: Spot(header, 0, 0)}, [])
        rooms = [max(part.width, measure(caption, TEXT)) for caption, part in parts]
        width = 2 * round((max(header.width, *rooms) + 2 * PAD) / 2)
        top = float(header.height)
        tops: list[float] = []
        captions: list[Caption] = []
        for index, (caption, part) in enumerate(parts):
            if caption:
                captions.append(Caption(caption, round(top)))
                top += CAPTION
            else:
                top += PAD if not index else BETWEEN - PAD
            tops.append(top)
            top += part.height + PAD
        spot = Spot(around(header, width, round(top)), 0, 0, tuple(captions), header.height)
        scene = Scene(width, round(top), {number: spot}, [])
        for (_, part), y in zip(parts, tops, strict=True):
            scene.add(part, (width - part.width) / 2, y)
        return scene


def _layered(panel: Panel, sizes: Sequence[tuple[float, float]]) -> Layout:
    at = {node: index for index, node in enumerate(panel.nodes)}
    return lay_out(sizes, [(at[edge.source], at[edge.target]) for edge in panel.edges])
