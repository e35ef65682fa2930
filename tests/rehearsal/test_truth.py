"""Random scenarios of the flagship: what a run says of itself is what the simulated world says."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st
from msgspec.structs import replace

from sagalang.compiler.pipeline import compile
from sagalang.dsl.render_terminal import render
from sagalang.dsl.source import Source
from sagalang.files import FileReader
from sagalang.runtime.rehearsal.rehearse import Play, rehearse
from sagalang.runtime.scenario import Scenario
from sagalang.runtime.shapes import Schema

FLAGSHIP = (Path(__file__).parent / "flagship.saga").read_text("utf-8").split("\nscenario")[0]
STEPS = ("pay", 'picks["a"].pick', 'picks["b"].pick', "shipping.ship", "shipping.else.ship", "mail")
UNDOABLE = STEPS[:3]
ERRORS = {
    "pay": ("CardDeclined", "RateLimited", "Boom"),
    "mail": ("Bounced", "Boom"),
    "shipping.ship": ("CarrierDown", "Boom"),
    "shipping.else.ship": ("CarrierDown", "Boom"),
}
GIVEN = """
scenario "random" for fulfil {
  given order = {
    id: "o-1", items: [{ sku: "a" }, { sku: "b" }], total: TOTAL, email: "a@example.org",
    address: "Street 1",
  }
"""


@st.composite
def lines(draw: st.DrawFn) -> str:
    """One line that lets something go wrong."""
    path = draw(st.sampled_from(STEPS))
    undoable = draw(st.sampled_from(UNDOABLE))
    moment = draw(st.sampled_from(("before", "after")))
    after = draw(st.sampled_from(("", " landing after 2s", " landing after 12s")))
    error = draw(st.sampled_from(ERRORS.get(path, ("OutOfStock", "Boom"))))
    times = draw(st.sampled_from(("", " 1 times", " 3 times")))
    return draw(
        st.sampled_from(
            (
                f'fail {path} with "{error}"{times}',
                f"crash {path} {moment} call",
                f"crash {undoable} {moment} undo",
                f"timeout {path}{after}",
                f"lose {path}",
                f"refuse undo {undoable}",
                "drift pay",
                f"cancel at {path}",
                'approve release by "ann"',
                "reject release",
            )
        )
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """A scenario with up to four things that go wrong."""
    total = draw(st.sampled_from(("12.50", "20000.00")))
    body = "\n  ".join(draw(st.lists(lines(), max_size=4)))
    text = GIVEN.replace("TOTAL", total) + f"  {body}\n}}\n"
    made = compile(Source("flagship.saga", FLAGSHIP + text), FileReader())
    assert made.ok, render(made.diagnostics, made.sources)
    (scenario,) = made.scenarios
    return scenario


@given(scenarios())
def test_a_run_says_what_is_so(scenario: Scenario) -> None:
    play = Play(scenario, Schema.of(scenario.plan))
    played = play.played()
    assert played == rehearse(scenario), "played again it gives the same"
    assert not played.shortfalls, "nothing is expected, and nothing has to be mocked"
    standing = {path for path in play.world.standing if path != "sorry"}
    match played.status:
        case "rolled_back":
            assert not standing
        case "succeeded":
            assert {"pay", 'picks["a"].pick', 'picks["b"].pick'} <= standing
            assert standing & {"shipping.ship", "shipping.else.ship"}
        case "partly_rolled_back" | "cancelled" | "escalated":
            pass
        case status:
            raise AssertionError(f"it stands {status}: time has passed, nobody is waited for")


def test_what_is_expected_changes_nothing() -> None:
    text = GIVEN.replace("TOTAL", "12.50") + "  expect succeeded expect done pay\n}\n"
    (scenario,) = compile(Source("flagship.saga", FLAGSHIP + text), FileReader()).scenarios
    assert rehearse(scenario).timeline == rehearse(replace(scenario, expectations=())).timeline
