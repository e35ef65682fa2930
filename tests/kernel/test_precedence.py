"""Several runs on the same resources, in any order: never two at once, nobody waits for ever."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import given, strategies as st

from sagalang.runtime.kernel.commands import Survey
from sagalang.runtime.kernel.neighbours import claims, meet
from sagalang.runtime.kernel.precedence import in_the_way, is_youngest_in_circle
from sagalang.runtime.kernel.state import State
from sagalang.runtime.plan import Argument
from sagalang.runtime.simulator import Simulator

from .kit import World, plan, step, text, tool


class Shared:
    """A log that several simulated runs share: each event has its place in it."""

    def __init__(self, sagas: Sequence[Sequence[str]], ages: Sequence[int]) -> None:
        self.simulators: dict[str, Simulator] = {}
        self.places: dict[tuple[str, int], int] = {}
        self.ages: dict[str, int] = {}
        for number, things in enumerate(sagas):
            tools = [tool(thing, between_runs="wait") for thing in sorted(set(things))]
            by_name = {made.name: made for made in tools}
            steps = [
                step(
                    by_name[thing],
                    name=f"s{k}",
                    args=(Argument(name="id", value=text(thing)),),
                    waits=[f"s{k - 1}"] if k else [],
                )
                for k, thing in enumerate(things)
            ]
            run_id = f"r{number}"
            simulator = Simulator(plan(steps, tools), {}, World(), run_id=run_id)
            simulator.neighbours = partial(self.look, run_id)
            self.simulators[run_id] = simulator
            self.ages[run_id] = ages[number]

    def turn(self, run_id: str) -> bool:
        """Lets the next thing happen to a run; False: nothing is left but what others do."""
        simulator, before = self.simulators[run_id], len(self.places)
        moved = simulator.turn()
        if not moved:
            simulator.look_around()
        for event in simulator.events:
            self.places.setdefault((run_id, event.n), len(self.places))
        return moved or len(self.places) > before

    def look(self, run_id: str, survey: Survey) -> tuple[list[str], bool]:
        others = [
            other
            for other in self.simulators
            if other != run_id and in_the_way(self, run_id, survey.path, survey.resources, other)
        ]
        return others, any(is_youngest_in_circle(self, run_id, other) for other in others)

    def state(self, run_id: str) -> State | None:
        state = self.simulators[run_id].state
        return None if state.finished else state

    def announced(self, run_id: str, path: str) -> int:
        return max(
            (
                self.places.get((run_id, event.n), len(self.places))
                for event in self.simulators[run_id].events
                if event.status == "announced" and event.path == path
            ),
            default=len(self.places),
        )

    def age(self, run_id: str) -> tuple[int, str]:
        return self.ages[run_id], run_id

    def no_two_hold_one_thing(self) -> None:
        held = [
            (run_id, claim.resources)
            for run_id, simulator in self.simulators.items()
            if not simulator.state.finished
            for claim in claims(simulator.state)
            if claim.stage == "held"
        ]
        for k, (run_id, things) in enumerate(held):
            for other, theirs in held[:k]:
                assert run_id == other or not meet(things, theirs)

    def to_the_end(self, order: Sequence[int]) -> list[str]:
        """Lets runs take turns as `order` says, then all in turn; gives their statuses."""
        names = list(self.simulators)
        for at in order:
            self.turn(names[at % len(names)])
            self.no_two_hold_one_thing()
        while True in {self.turn(name) for name in names}:
            self.no_two_hold_one_thing()
        return [simulator.status for simulator in self.simulators.values()]


ORDERS = st.lists(st.integers(0, 3), max_size=60)
AGES = st.lists(st.integers(0, 9), min_size=4, max_size=4)


@given(st.integers(2, 4), st.integers(1, 3), AGES, ORDERS)
def test_of_runs_on_one_resource_all_go_on_one_after_the_other(
    runs: int, steps: int, ages: list[int], order: list[int]
) -> None:
    """Whenever they began: one that is inside is never made to wait for one that waits for it."""
    shared = Shared([["x"] * steps] * runs, ages)
    assert shared.to_the_end(order) == ["succeeded"] * runs


@given(
    st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3), min_size=2, max_size=4),
    AGES,
    ORDERS,
)
def test_a_circle_is_laid_before_people_and_nobody_else_is_stuck(
    sagas: list[list[str]], ages: list[int], order: list[int]
) -> None:
    shared = Shared(sagas, ages)
    statuses = shared.to_the_end(order)
    assert set(statuses) <= {"succeeded", "escalated", "running"}
    # Who stands without having been told to people waits for one that was told to them.
    assert "escalated" in statuses or set(statuses) == {"succeeded"}
    alphabetical = all(list(things) == sorted(things) for things in sagas)
    assert not alphabetical or set(statuses) == {"succeeded"}, "who takes in one order never meets"
