"""Every good program of the corpus can be played with samples, and comes to a stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagalang.compiler.pipeline import compile
from sagalang.dsl.source import Source
from sagalang.files import FileReader
from sagalang.runtime.formula import Formula, Literal
from sagalang.runtime.plan import Plan
from sagalang.runtime.rehearsal.rehearse import rehearse
from sagalang.runtime.samples import sample_inputs
from sagalang.runtime.scenario import Given, Scenario
from sagalang.runtime.shapes import Schema
from sagalang.runtime.values import encode

OK = sorted((Path(__file__).parents[1] / "corpus" / "ok").glob("*.saga"))
STANDS = {"succeeded", "rolled_back", "partly_rolled_back", "escalated", "waiting"}


def with_samples(plan: Plan) -> Scenario:
    """A scenario of a saga in which nothing goes wrong, with a sample of each input."""
    samples = sample_inputs(plan.parameters, Schema.of(plan))
    given = tuple(
        Given(
            source=f"given {one.name}",
            name=one.name,
            value=Formula(Literal(encode(samples[one.name])), one.type, one.name),
        )
        for one in plan.parameters
    )
    return Scenario(title="samples", plan=plan, given=given)


@pytest.mark.parametrize("path", OK, ids=lambda path: path.stem)
def test_a_program_is_played(path: Path) -> None:
    source = Source(str(path), path.read_text("utf-8"))
    for plan in compile(source, FileReader()).plans.values():
        played = rehearse(with_samples(plan))
        asked = [one.happened for one in played.shortfalls]
        assert played.status in STANDS or any("no such value was found" in a for a in asked), asked
