"""Where a run is said to go on with another definition, the kernel carries it to its end there."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings, strategies as st

from sagalang.runtime.continuing import compare
from sagalang.runtime.events import Event
from sagalang.runtime.kernel.commands import Answer, Call
from sagalang.runtime.kernel.decide import begin
from sagalang.runtime.kernel.fold import apply
from sagalang.runtime.kernel.index import Index
from sagalang.runtime.kernel.people import Request
from sagalang.runtime.plan import Gate, Parallel, Plan, Step, statements
from sagalang.runtime.simulator import Reply, Simulator, World

from .test_continuing import plan

Line = tuple[str, ...]
"""The names of a statement's steps: one stands alone, several side by side; `g...` is a gate."""


def text(body: list[Line], changed: frozenset[str]) -> str:
    def step(name: str) -> str:
        return f'step {name} = put("{{id}}-{name}{"!" if name in changed else ""}")'

    lines: list[str] = []
    for names in body:
        if names[0].startswith("g"):
            lines.append(f'gate {names[0]} needs "ops" shows id')
        elif len(names) == 1:
            lines.append(step(names[0]))
        else:
            lines.append("parallel {\n" + "\n".join(map(step, names)) + "\n}")
    return "\n".join(lines) or "checkpoint nothing"


@st.composite
def edits(draw: st.DrawFn) -> tuple[Plan, Plan]:
    """A saga and what became of it: lines inserted, removed, moved, arguments changed."""
    names = iter(f"s{number}" for number in range(99))
    body: list[Line] = []
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["step", "step", "gate", "parallel"]))
        if kind == "gate":
            body.append((f"g{number}",))
        else:
            body.append(tuple(next(names) for _ in range(1 if kind == "step" else 2)))
    new = list(body)
    changed: set[str] = set()
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(new) - 1)))
        match draw(st.sampled_from(["insert", "remove", "swap", "change"])):
            case "insert":
                new.insert(at, (next(names),))
            case "remove" if new:
                del new[at]
            case "swap" if len(new) > 1:
                new[at], new[at - 1] = new[at - 1], new[at]
            case "change" if new:
                changed |= set(new[at])
            case _:
                pass
    return plan(text(body, frozenset())), plan(text(new, frozenset(changed)))


def world(stuck: str = "") -> World:
    """Services that answer, except that of one call, which never does."""

    def answer(call: Call) -> Reply:
        if call.path == stuck:
            return Reply(None, 10**9)
        return Reply(Answer("returned", "x"))

    return answer


def on(simulator: Simulator, stop: str = "") -> Simulator:
    """Goes on until a place: people say yes at every other gate."""
    simulator.groups = {"ops": ["ann"]}
    while simulator.run(until=simulator.now + 10) == "waiting":
        [row] = [row["path"] for row in _open(simulator)]
        if row == stop:
            break
        simulator.ask(Request("approve", actor="ann", path=row))
    return simulator


def _open(simulator: Simulator) -> list[dict[str, str]]:
    from sagalang.runtime.kernel.views import waiting_for

    return waiting_for(simulator.state)


def taken_over(events: list[Event], new: Plan) -> Simulator:
    """A recorded run, folded with another definition, goes on with it."""
    state = begin(Index(new), "simulated")
    for event in events:
        apply(state, event)
    return on(Simulator.of(state, world(), events))


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(edits())
def test_a_run_goes_on_where_it_is_said_to(pair: tuple[Plan, Plan]) -> None:
    old, new = pair
    calls = {node.path for node in statements(new.body) if isinstance(node, Step)}
    for place in compare(old, new).places:
        if place.verdict != "goes_on":
            continue
        stands = on(Simulator(old, {"id": "i"}, world(place.at)), place.at)
        landed = {e.path for e in stands.events if e.kind == "outcome" and e.status == "succeeded"}
        run = taken_over(stands.events, new)
        assert run.status == "succeeded"
        assert {call.path for call in run.calls} == calls - landed
        assert landed <= calls


def test_the_programs_of_this_test_have_every_kind_of_line() -> None:
    made = plan(text([("a",), ("b", "c"), ("g0",)], frozenset("a")))
    assert [type(node) for node in made.body] == [Step, Parallel, Gate]
