"""The picture: safe in any page, readable by everyone, complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from sagalang.compiler.emit import emit_svg, made_by_us
from sagalang.compiler.emit.boxes import DARK, LETTERS, ROOM, box
from sagalang.compiler.emit.flow import draw
from sagalang.compiler.emit.lettering import fit, measure
from sagalang.compiler.emit.palette import GROUND, INK, QUIET, STATES, STYLES
from sagalang.compiler.emit.standings import gather
from sagalang.runtime.plan import Plan

from .any_plans import any_plans
from .journey import whole
from .modules import NASTY, with_texts
from .plans import fulfil

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "desc", "rect", "g", "path", "text", "tspan"}


def picture(plan: Plan, states: dict[str, str] | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(emit_svg(plan, states))


def nodes(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (group for group in root.iter(f"{SVG}g") if "data-class" in group.attrib)


def words(element: ElementTree.Element) -> str:
    return " ".join(text for part in element.iter() for text in (part.text or "").split())


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(any_plans())
def test_any_plan_gives_a_safe_picture(plan: Plan) -> None:
    root = picture(plan)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ALLOWED
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert "href" not in name
            assert "url(" not in value or name == "data-path"
    ids = [group.attrib["id"] for group in nodes(root)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("made", [fulfil, whole])
@pytest.mark.parametrize("text", NASTY)
def test_texts_stay_texts(text: str, made: Callable[[], Plan]) -> None:
    plan = with_texts(made(), cycle([text]))
    plain = with_texts(made(), cycle(["x"]))
    kinds = [element.tag for element in picture(plan).iter() if element.tag != f"{SVG}text"]
    expected = [element.tag for element in picture(plain).iter() if element.tag != f"{SVG}text"]
    assert set(kinds) == set(expected)
    assert "49" not in words(picture(plan).find(f"{SVG}title") or picture(plan))


def test_it_stands_alone_on_its_own_ground() -> None:
    root = picture(fulfil())
    ground = root.find(f"{SVG}rect")
    assert ground is not None
    assert ground.attrib["fill"] == GROUND
    assert (ground.attrib["width"], ground.attrib["height"]) == (
        root.attrib["width"],
        root.attrib["height"],
    )


def test_every_step_shows_its_class_by_word_sign_and_border() -> None:
    classes = {group.attrib["data-path"]: group for group in nodes(picture(fulfil()))}
    assert {path: group.attrib["data-class"] for path, group in classes.items() if path} == {
        "requires#1": "requires",
        "release": "gate",
        "parallel#1": "fork",
        "pay": "compensatable",
        "stock": "reversible",
        "look": "read",
        "paid": "checkpoint",
        "urgent": "let",
        "if#1": "branch",
        "ship": "irreversible",
        "mail": "irreversible",
        "return#1": "end",
    }
    assert "compensatable charge undo refund" in words(classes["pay"])
    assert "2 of ops" in words(classes["release"])
    seen = {(STYLES[look].sign, STYLES[look].border, STYLES[look].dash) for look in STYLES}
    assert len(seen) == len(STYLES) - 1, "only the two ends of an irreversible step may share"


def test_it_says_itself_to_those_who_do_not_see_it() -> None:
    root = picture(fulfil())
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.attrib["role"] == "img"
    assert title is not None
    assert title.text == "Saga fulfil"
    assert desc is not None
    assert "compensatable pay, charge, undo refund, as billing; after parallel." in (
        desc.text or ""
    )
    for group in nodes(root):
        assert group[0].tag == f"{SVG}title"


def test_a_run_shows_the_state_of_each_path() -> None:
    states = {"pay": "compensated", "stock": "compensation_failed", "mail": "never_heard_of"}
    root = picture(fulfil(), states)
    groups = {group.attrib["data-path"]: group for group in nodes(root)}
    assert groups["pay"].attrib["data-state"] == "compensated"
    assert "undone" in words(groups["pay"])
    assert "undo failed" in words(groups["stock"])
    assert "never heard of" in words(groups["mail"])
    assert "pending" in words(groups["look"])
    assert "pending" not in words(groups["paid"])
    # A live view patches by id: the same for the definition and all its runs.
    assert [g.attrib["id"] for g in nodes(root)] == [
        g.attrib["id"] for g in nodes(picture(fulfil()))
    ]


def test_a_branch_that_is_not_taken_is_skipped() -> None:
    """Both branches may hold the same path; only one of them ran."""
    root = picture(fulfil(), {"if#1": "else", "ship": "succeeded"})
    ships = [group for group in nodes(root) if group.attrib["data-path"] == "ship"]
    assert [group.attrib["data-state"] for group in ships] == ["skipped", "succeeded"]
    [choice] = [group for group in nodes(root) if group.attrib["data-path"] == "if#1"]
    assert words(choice).endswith("if no")


def test_states_never_move_a_node() -> None:
    paths = [node.path for node in draw(fulfil()).nodes]
    places = {
        tuple(
            group.attrib["transform"]
            for group in nodes(picture(fulfil(), dict.fromkeys(paths, state)))
        )
        for state in STATES
    }
    assert len(places) == 1


def test_items_are_told_together() -> None:
    states = {
        "picks": "items",
        'picks["a"].pick': "succeeded",
        'picks["]\\"[x"].pick': "succeeded",
        'picks["c"].pick': "compensation_failed",
        "pages[0].page": "succeeded",
        "pages[1].page": "in_flight",
        "shipping.ship": "failed",
        "shipping.else.ship": "succeeded",
        "child": "completed",
        "paid": "waiting",
    }
    groups = {group.attrib["data-path"]: group for group in nodes(picture(whole(), states))}
    assert words(groups["picks[*].pick"]).endswith("1 undo failed, 2 other")
    assert words(groups["pages[*].page"]).endswith("1 running, 1 other")
    assert groups["shipping.ship"].attrib["data-state"] == "failed"
    assert "saga invoice succeeded" in words(groups["child"])
    assert words(groups["paid"]).endswith("waiting")
    assert "data-state" not in groups["picks"].attrib
    assert all("key" not in value for group in groups.values() for value in group.attrib.values())


def test_a_branch_that_one_item_takes_is_not_skipped() -> None:
    counted = gather({"p[0].if#1": "then", "p[1].if#1": "else", "p[2].x": "skipped"})
    assert counted["p[*].if#1"].all_of_them == {"then", "else"}
    assert counted["p[*].x"].word == "1 skipped"


def test_states_of_many_never_move_a_node() -> None:
    one = {f"picks[{number}].pick": "succeeded" for number in range(3)}
    other = {f"picks[{number}].pick": "compensation_failed" for number in range(900)}
    places = [
        tuple(group.attrib["transform"] for group in nodes(picture(whole(), states)))
        for states in (one, other, one | {"picks[7].pick": "compensation_failed"})
    ]
    assert len(set(places)) == 1


def test_what_is_too_long_is_cut_and_whole_in_the_tooltip() -> None:
    long = "a_very_long_name_" * 40
    plan = fulfil()
    body = (msgspec.structs.replace(plan.body[-2], name=long), plan.body[-1])
    root = picture(msgspec.structs.replace(plan, body=body))
    assert int(root.attrib["width"]) < ROOM + 160
    [group] = [group for group in nodes(root) if group.attrib["data-path"] == "mail"]
    assert long in (group[0].text or "")
    assert long not in words(group.find(f"{SVG}text") or root[0])


def test_cut_texts_fit() -> None:
    for text in (*NASTY, "名" * 90, "W" * 90, "i" * 300):
        assert measure(fit(text, 14, 200, bold=True), 14, bold=True) <= 200


def test_every_line_fits_its_box() -> None:
    for states in (None, {"pay": "compensation_failed"}):
        for node in draw(fulfil()).nodes:
            made = box(node, None if states is None else gather(states))
            for line in made.lines:
                assert line.width <= made.width


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_texts_have_the_contrast_of_level_aa() -> None:
    assert contrast(QUIET, GROUND) >= 4.5
    for look, style in STYLES.items():
        letters = LETTERS if look in DARK else (INK, QUIET, style.stroke)
        for letter in letters:
            assert contrast(letter, style.fill) >= 4.5, look
    for name, state in STATES.items():
        for letter in (INK, QUIET, state.colour):
            assert contrast(letter, state.fill) >= 4.5, name


def test_borders_and_signs_have_the_contrast_of_level_aa() -> None:
    for look, style in STYLES.items():
        assert contrast(style.stroke, GROUND) >= 3, look
        if look not in DARK:
            for state in STATES.values():
                assert contrast(style.stroke, state.fill) >= 3, (look, state)


def test_it_is_known_again() -> None:
    assert made_by_us(emit_svg(fulfil()))
    assert not made_by_us('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    assert re.match(r"<svg [^\n]*\n<!-- Made by sagalang -->\n", emit_svg(fulfil()))
