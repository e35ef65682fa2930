"""Cards: readable anywhere, with nothing in them that runs, and all that users gave escaped."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from sagalang.compiler.emit.palette import GROUND, INK, QUIET, STATES
from sagalang.notebooks import axis, card
from sagalang.notebooks.bundles import BUNDLES, run_bundle, saga_bundle
from sagalang.notebooks.card import HEAD
from sagalang.notebooks.curve import curve
from sagalang.notebooks.timeline import timeline
from sagalang.runtime import Log, Refused
from sagalang.runtime.engine.run import Run

from .programs import TEXT, saga

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&<!--]]>\u202e\x07"
TAGS = {
    "div", "p", "strong", "span", "code", "pre", "img", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Tags(HTMLParser):
    """Collects the tags, attributes and texts of a card."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def book(room: str) -> dict[str, str]:
    return {"id": f"b-{room}"}


def unbook(room: str) -> None:
    return None


def pay(amount: object) -> None:
    raise Refused(HOSTILE)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that was refused and took back what it did, with a hostile text in every place."""
    monkeypatch.chdir(tmp_path)
    trip = saga(TEXT, book=book, unbook=unbook, pay=pay)
    with Log(tmp_path / "cards.duckdb") as log:
        return trip.start(log, run_id="o<1>", room=HOSTILE).wait()


def every(run: Run) -> list[dict[str, str]]:
    """The bundles of everything that a notebook shows of a run."""
    table = run.sql("SELECT run_id, inputs, kind FROM runs JOIN events USING (run_id)")
    rows = (run.effects, run.readiness, run.timeline(), run.events(), run.approvals)
    shown = (run, run.at(3), *rows, table, saga(TEXT))
    return [show(one) for one in shown for type_, show in BUNDLES.items() if isinstance(one, type_)]


def test_cards_have_only_plain_tags(run: Run) -> None:
    bundles = every(run)
    assert len(bundles) == 9
    for bundle in bundles:
        found = Tags(bundle["text/html"])
        assert found.open == []
        assert {tag for tag, _ in found.tags} <= TAGS
        for tag, attributes in found.tags:
            assert set(attributes) <= ({"style", "src", "alt"} if tag == "img" else {"style"})
            assert "url(" not in attributes.get("style", "")


def test_what_users_gave_is_text_and_nothing_else(run: Run) -> None:
    html = run_bundle(run)["text/html"]
    shown = "".join(Tags(html).texts)
    assert "</script><img src=x onerror=alert(1)>" in shown
    assert "<U+202E>" in shown
    assert "\u202e" not in html
    assert "o<1>" in shown


def test_pictures_are_well_formed_and_say_what_they_show(run: Run) -> None:
    pictures = 0
    for bundle in every(run):
        for tag, attributes in Tags(bundle["text/html"]).tags:
            if tag == "img":
                head, data = attributes["src"].split(",", 1)
                assert head == "data:image/svg+xml;base64"
                root = ElementTree.fromstring(base64.b64decode(data))
                names = {element.tag.rpartition("}")[2] for element in root.iter()}
                assert not names & {"script", "style", "a", "image", "foreignObject"}
                assert len(attributes["alt"]) > 10
                pictures += 1
    # A graph of the saga, two of the run, and its timeline on two cards.
    assert pictures >= 5


def test_a_card_and_its_text_say_the_same(run: Run) -> None:
    bundle = run_bundle(run)
    html = "".join(Tags(bundle["text/html"]).texts)
    for said in ("rolled back", "trip", "hotel", "Refused"):
        assert said in html
        assert said in bundle["text/plain"]


def test_an_incident_says_what_people_can_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(amount: object) -> None:
        raise RuntimeError("connection reset")

    monkeypatch.chdir(tmp_path)
    text = TEXT.replace(
        'by hand"\n  idempotent naturally',
        'by hand"\n  on unknown escalate\n  timeout 1s settle 10ms',
    )
    trip = saga(text, book=book, unbook=unbook, pay=lost)
    with Log(tmp_path / "cards.duckdb") as log:
        run = trip.start(log, run_id="o-1", room="blue").wait()
        assert run.incident is not None
        bundles = [run_bundle(run), BUNDLES[type(run.incident)](run.incident)]
    for bundle in bundles:
        html = "".join(Tags(bundle["text/html"]).texts)
        assert "nothing settles the outcome of `paid`" in html
        assert 'run.resolve("paid", "done", by="...")' in html
        assert "answers: retry, done, skip" in bundle["text/plain"]
    assert "? paid   unknown" in bundles[0]["text/plain"]


def test_a_saga_shows_what_is_proved_of_it() -> None:
    bundle = saga_bundle(saga(TEXT))
    html = "".join(Tags(bundle["text/html"]).texts)
    for said in ("Books a room", "least readiness", "hotel", "reversible", "may fail"):
        assert said in html
    assert "hotel  reversible, may fail" in bundle["text/plain"]


def test_the_graph_can_be_left_out() -> None:
    assert "<img" not in saga_bundle(saga(TEXT), dag=False)["text/html"]


def test_text_alone_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGA_UI", "text")
    assert list(saga_bundle(saga(TEXT))) == ["text/plain"]


def test_a_long_table_says_how_long_it_is() -> None:
    html = card.table(("n",), [(n,) for n in range(1200)], "`run.effects`")
    assert html.count("<tr") == card.MOST + 1
    assert f"{card.MOST} of 1,200 rows; `run.effects` has all" in html


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *((ink, ground) for ink in (INK, QUIET) for ground in (GROUND, HEAD)),
        *((state.colour, state.fill) for state in STATES.values()),
        *((INK, state.fill) for state in STATES.values()),
        *((state.colour, GROUND) for state in STATES.values()),
    ],
)
def test_all_words_stand_out_from_their_ground(ink: str, ground: str) -> None:
    assert contrast(ink, ground) >= 4.5


def test_every_cell_says_its_own_colours(run: Run) -> None:
    """The style sheets of front ends colour tables by the theme."""
    for bundle in every(run):
        for tag, attributes in Tags(bundle["text/html"]).tags:
            if tag in ("td", "th"):
                assert re.search(r"(?<!-)background:#", attributes["style"])
                assert re.search(r"(?<!-)color:#", attributes["style"])


ATTEMPTS = st.lists(
    st.fixed_dictionaries(
        {
            "path": st.sampled_from(["pay", "a.b", "x" * 80, HOSTILE]),
            "direction": st.sampled_from(["do", "undo", "corrective"]),
            "attempt": st.integers(1, 9),
            "tool": st.just("t"),
            "begin": st.integers(0, 10**6),
            "end": st.none() | st.integers(10**6, 10**9),
            "status": st.sampled_from(["succeeded", "refused", "lost", "in_flight", "odd"]),
        }
    ),
    min_size=1,
)


@given(ATTEMPTS, st.integers(10**6, 10**9))
def test_bars_stay_within_the_picture(rows: list[dict[str, object]], elapsed: int) -> None:
    root = ElementTree.fromstring(timeline(rows, elapsed))
    width = float(root.attrib["width"])
    for bar in root.iter("{http://www.w3.org/2000/svg}rect"):
        left = float(bar.get("x", "0"))
        assert 0 <= left <= left + float(bar.attrib["width"]) <= width


@given(st.lists(st.integers(0, 100), max_size=20))
def test_a_readiness_of_any_length_is_drawn(values: list[int]) -> None:
    rows = [{"n": n, "readiness": str(value / 100)} for n, value in enumerate(values, start=1)]
    root = ElementTree.fromstring(curve(rows, max(1, len(rows))))
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == len(values)


@given(st.integers(0, 10**12))
def test_an_axis_has_few_round_ticks(length: int) -> None:
    found = axis.ticks(length)
    assert found[0] == 0
    assert len(found) <= 9
    assert length < 8 or len(found) >= 2
    assert all(0 <= at <= length for at in found)
