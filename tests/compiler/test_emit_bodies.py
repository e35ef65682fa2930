"""Bodies in the picture: each statement with a body is a box around it, at every depth."""

from __future__ import annotations

import re
from itertools import combinations
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.compiler.drawing.layout_rows import WIDEST, in_rows
from sagalang.compiler.emit import emit_svg
from sagalang.compiler.emit.diagram import Diagram, Panel
from sagalang.compiler.emit.flow import draw
from sagalang.compiler.emit.scene import Scene, compose
from sagalang.runtime.plan import Plan

from .any_plans import any_plans
from .journey import whole

SVG = "{http://www.w3.org/2000/svg}"


class Area(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Area) -> bool:
        return (
            self.left <= other.left + 1
            and self.top <= other.top + 1
            and other.right <= self.right + 1
            and other.bottom <= self.bottom + 1
        )

    def meets(self, other: Area) -> bool:
        across = self.left < other.right - 1 and other.left < self.right - 1
        return across and self.top < other.bottom - 1 and other.top < self.bottom - 1


def areas(scene: Scene) -> dict[int, Area]:
    return {
        number: Area(spot.x, spot.y, spot.x + spot.box.width, spot.y + spot.box.height)
        for number, spot in scene.spots.items()
    }


def bodies(diagram: Diagram) -> list[tuple[int | None, Panel]]:
    """Every body, with the node that it is in."""
    inner = [(at, panel) for at, node in enumerate(diagram.nodes) for panel in node.panels]
    return [*((None, panel) for panel in diagram.panels), *inner]


def hold(plan: Plan) -> None:
    diagram = draw(plan)
    scene = compose(diagram, None)
    found = areas(scene)
    assert sorted(found) == list(range(len(diagram.nodes)))
    page = Area(0, 0, scene.width, scene.height)
    for around, panel in bodies(diagram):
        for node in panel.nodes:
            assert page.holds(found[node])
            if around is not None:
                below = found[around]._replace(
                    top=scene.spots[around].y + scene.spots[around].header
                )
                assert below.holds(found[node])
        for one, other in combinations(panel.nodes, 2):
            assert not found[one].meets(found[other])
        for edge in panel.edges:
            assert {edge.source, edge.target} <= set(panel.nodes)
    # An edge stays in the box that its ends stand in, and touches both.
    inside = {node: around for around, panel in bodies(diagram) for node in panel.nodes}
    for edge, points in scene.routes:
        around = inside[edge.source]
        area = page if around is None else found[around]
        assert all(area.holds(Area(x, y, x, y)) for x, y in points)
        assert points[0][1] == pytest.approx(found[edge.source].bottom)
        assert points[-1][1] == pytest.approx(found[edge.target].top)


def test_every_body_lies_in_the_box_of_its_statement() -> None:
    hold(whole())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(any_plans())
def test_bodies_of_any_plan_lie_in_their_boxes(plan: Plan) -> None:
    hold(plan)


def said(plan: Plan) -> dict[str, str]:
    root = ElementTree.fromstring(emit_svg(plan))
    return {
        group.attrib["data-path"]: " ".join(part.text or "" for part in group.iter(f"{SVG}tspan"))
        for group in root.iter(f"{SVG}g")
        if group.attrib.get("data-path")
    }


def test_a_body_says_how_it_runs() -> None:
    texts = said(whole())
    assert "each   item in order.items by item.sku" in texts["picks"]
    assert "at most 8 at once · undo 4 at once" in texts["picks"]
    assert "tolerate 2" in texts["picks"]
    assert "first   name in" in texts["carrier"]
    assert "until one succeeds" in texts["carrier"]
    assert "at most 20 times" in texts["pages"]
    assert "goes on without it" in texts["extra"]
    assert "deadline 2h" in texts["child"]
    assert "guard readiness >= 0.9 needs ops" in texts["child"]
    assert "at most 20 times" in texts["buyer"]
    assert "within 1d else continue" in texts["paid"]


def test_an_agent_shows_what_it_may_do() -> None:
    nodes = draw(whole()).nodes
    [buyer] = [node for node in nodes if node.path == "buyer"]
    [panel] = buyer.panels
    assert panel.free
    assert [(nodes[at].title, nodes[at].look) for at in panel.nodes] == [
        ("charge_of", "read"),
        ("charge", "compensatable"),
        ("reserve", "reversible"),
        ("send", "irreversible"),
    ]
    assert "needs leads" in nodes[panel.nodes[-1]].notes


def test_what_runs_after_a_rollback_is_no_pivot() -> None:
    looks = {node.path: node.look for node in draw(whole()).nodes}
    assert (looks["sorry"], looks["child.told"]) == ("final", "final")
    assert looks["shipping.ship"] == "irreversible"


def test_the_words_of_the_picture_say_what_is_in_what() -> None:
    desc = re.search("<desc>(.*)</desc>", emit_svg(whole()))
    assert desc is not None
    assert (
        "In shipping: pivot, irreversible ship, send. "
        "else: when the above has failed and is rolled back: sleep 1h. " in desc[1]
    )


@given(st.lists(st.tuples(st.integers(40, 400), st.integers(20, 90)), max_size=12))
def test_what_has_no_order_stands_in_a_grid(sizes: list[tuple[int, int]]) -> None:
    layout = in_rows(sizes)
    boxes = [
        Area(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        for (width, height), (x, y) in zip(sizes, layout.centres, strict=True)
    ]
    assert not any(one.meets(other) for one, other in combinations(boxes, 2))
    assert all(Area(0, 0, layout.width, layout.height).holds(box) for box in boxes)
    assert layout.width <= max(WIDEST, *(width for width, _ in sizes)) if sizes else True
