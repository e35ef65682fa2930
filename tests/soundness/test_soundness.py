"""What is proved is true, and what is reported can happen: every run of random programs.

Each program goes through the whole compiler. Then the kernel is driven through every outcome of
every call, up to a number of faults at once, for every value of the conditions and small lists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, note, settings

from sagalang.compiler.pipeline import Compilation, compile
from sagalang.compiler.proving.view import view
from sagalang.dsl.loader import Unreadable
from sagalang.dsl.source import Source
from sagalang.runtime.explorer import End, explore
from sagalang.runtime.plan import Plan, Step, statements

from .programs import Program, programs

EXAMPLES = int(os.environ.get("SAGA_EXAMPLES", "0")) or settings().max_examples
"""How many random programs; `SAGA_EXAMPLES=1000000 pytest tests/soundness` is the long version."""

MOST_CHOICES = 3
"""Inputs that are tried in every combination; a program with more of them is not looked at."""

MOST_RUNS = 300
"""Runs of one program with so many faults after which no more of them are looked at."""

STATEMENTS = (
    frozenset({"if", "parallel", "gate"}),
    frozenset({"if", "scope", "wait"}),
    frozenset({"parallel", "each", "gate"}),
    frozenset({"scope", "each"}),
    frozenset({"tolerate", "each"}),
    frozenset({"tolerate", "each", "saga", "scope"}),
    frozenset({"first", "repeat"}),
    frozenset({"saga", "scope", "if"}),
    frozenset({"saga", "parallel", "first", "each"}),
    frozenset({"undo", "scope", "if"}),
    frozenset({"undo", "each", "first"}),
    frozenset({"undo", "saga", "parallel"}),
)
"""What is mixed: all of them in one program would make each of them rare."""


@dataclass
class Happened:
    """What some run of a program came to."""

    after_pivot: frozenset[str] = frozenset()
    without_undo: frozenset[str] = frozenset()
    other: tuple[End, ...] = ()
    runs: int = 0
    complete: bool = True


def inputs(program: Program) -> Iterator[dict[str, Any]]:
    """Every value of the conditions, and lists of as many items as matter, and of fewer."""
    names = (*program.conditions, *program.lists)
    options: list[list[Any]] = [[True, False] for _ in program.conditions]
    lists = [list(range(1, most + 1)) for most in range(program.items, -1, -1)]
    options += [lists for _ in program.lists]
    for values in product(*options):
        yield dict(zip(names, values, strict=True))


def happens(plan: Plan, program: Program, faults: int) -> Happened:
    """Looks at the runs of a plan: what is forbidden, and whether what is said is true.

    Not `complete` for a plan that has too many of them.
    """
    found = Happened()
    for given_values in inputs(program):
        for end in explore(plan, given_values, faults):
            if found.runs == MOST_RUNS:
                found.complete = False
                return found
            found.runs += 1
            truth(end)
            found.after_pivot |= static(end.pivots)
            found.without_undo |= static(end.stranded)
            if end.incident is not None:
                found.other += (end,)
    return found


def static(paths: Any) -> frozenset[str]:
    """The paths as the plan writes them: whichever item it was."""
    return frozenset(_static(path) for path in paths)


def _static(path: str) -> str:
    parts = path.split("[")
    return parts[0] + "".join(f"[*]{part.split(']', 1)[1]}" for part in parts[1:])


def truth(end: End) -> None:
    """What the run says is what the services hold."""
    assert all(0 <= n <= 1 for n in end.net.values()), ("an effect landed twice", end)
    assert all(n <= 1 for n in end.taken.values()), ("a part was taken back twice", end)
    said = {e.path for e in end.events if e.status == "undone"}
    assert {path for path, n in end.taken.items() if n} == {p for p in said if ".undo." in p}
    there = {path for path, n in end.net.items() if n}
    if end.incident is None:
        assert there == set(end.standing), (end.status, there, end.standing)
    if end.status == "rolled_back":
        assert not there


def compiled(program: Program) -> Compilation:
    return compile(Source("main.saga", program.text), lambda by, path: Unreadable("nothing"))


def reported(found: Compilation, code: str) -> frozenset[str]:
    """The paths of the steps and the names of the tools at which a code is an error."""
    plan = found.plans["main"]
    spots = [d.primary for d in found.diagnostics if d.code == code and d.severity == "error"]
    known = [(node.at, node.path) for node in statements(plan.body)]
    known += [(tool.at, tool.name) for tool in plan.tools]
    return frozenset(
        name
        for spot in spots
        for at, name in known
        if at.start <= spot.start and spot.end <= at.end
    )


def tools(plan: Plan, paths: frozenset[str]) -> frozenset[str]:
    """The tools that the steps with these paths call."""
    return frozenset(
        node.tool for node in statements(plan.body) if isinstance(node, Step) and node.path in paths
    )


@pytest.mark.parametrize("kinds", STATEMENTS, ids=lambda kinds: " ".join(sorted(kinds)))
def test_what_is_proved_is_true_and_what_is_reported_happens(kinds: frozenset[str]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(programs(kinds))
    def holds(program: Program) -> None:
        assume(len(program.conditions) + 2 * len(program.lists) <= MOST_CHOICES)
        found = compiled(program)
        note(program.text)
        plan = found.plans["main"]
        pivots, stranded = reported(found, "R502"), reported(found, "R503")
        # The else of a scope that breaks R502 may run while what is in its body stands: then more
        # is told than one way of answering people brings about.
        leaky = bool(view(plan).graph.leaky)
        # One fault is enough where no item may fail: then nothing is said that needs more.
        for faults in range(program.items - 1, 4):
            happened = happens(plan, program, faults)
            note(f"{happened.runs} runs with {faults} faults: {happened}")
            assert not happened.other, happened.other[0]
            assert happened.after_pivot <= pivots
            assert tools(plan, happened.without_undo) <= stranded
            if happened.after_pivot == pivots and tools(plan, happened.without_undo) == stranded:
                return
            assume(happened.complete)
        assert leaky, "what is reported does not happen"

    holds()
