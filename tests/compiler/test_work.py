"""Programs such as people write at work: emitted, run with every single fault, and replayed."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from sagalang.runtime.explorer import explore
from sagalang.runtime.kernel.decide import begin
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.index import Index
from sagalang.runtime.kernel.views import FINAL, status_of_run
from sagalang.runtime.plan import Plan, statements
from sagalang.runtime.samples import sample_inputs
from sagalang.runtime.shapes import Schema
from sagalang.runtime.values import encode

from .modules import loaded, made
from .programs import compiled_file

WORK = sorted((Path(__file__).parents[1] / "corpus/real").glob("*.saga"))
RUNS = 60
"""So many runs of each program: the one without faults first, then one fault after another."""


def plans() -> list[tuple[str, Plan]]:
    """Every saga of every program, by its name in the file."""
    return [
        (f"{path.stem}:{name}", plan)
        for path in WORK
        for name, plan in sorted(compiled_file(path).plans.items())
    ]


PLANS = plans()
IDS = [name for name, _ in PLANS]


@pytest.mark.parametrize("path", WORK, ids=lambda path: path.stem)
def test_the_module_of_a_program_has_its_plans(path: Path) -> None:
    known = compiled_file(path).plans
    module = loaded(made(tuple(known.values()), path.name))
    for name, plan in known.items():
        assert getattr(module, name).plan == plan


@pytest.mark.parametrize(("name", "plan"), PLANS, ids=IDS)
def test_a_program_comes_to_an_end_whatever_fails(name: str, plan: Plan) -> None:
    index = Index(plan)
    inputs = sample_inputs(plan.parameters, Schema.of(plan))
    stored = {key: encode(value) for key, value in inputs.items()}
    afterwards = {node.path for node in statements(plan.on_rollback)}
    statuses: set[str] = set()
    for end in islice(explore(plan, stored, 1), RUNS):
        statuses.add(end.status)
        if end.incident is None:
            assert end.status in FINAL
            assert {path for path, n in end.net.items() if n} - afterwards == set(end.standing)
        assert not end.pivots
        assert not end.stranded
        state = begin(index, end.events[0].run_id)
        for event in end.events:
            apply(state, event)
        assert status_of_run(state) == end.status
    assert statuses & {"succeeded", "rolled_back"}
