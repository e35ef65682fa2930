"""R512: what was approved is what is done."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...runtime.formula import Formula
from ...runtime.plan import AgentCall, Gate, Step, Wait
from ..codes import declare
from ..proving.conditions import Conditions
from ..proving.failures import pivot
from ..proving.guarding import approved, plain
from ..proving.meanings import Access, accesses
from ..proving.origins import Key, Origins, Value, terms
from ..proving.spots import Spot
from ..proving.view import View

CODE = declare("R512", "error", "other than what was approved")


class _Late(Struct, frozen=True):
    """A name in an argument or condition, the answer that reaches it, and the gate before that."""

    access: Access
    source: Spot
    gate: Spot
    formula: Formula
    argument: str = ""


def run(view: View) -> Iterator[Diagnostic]:
    """Finds what is read, waited for or made by an agent behind the gate of a pivot it reaches.

    Cost: every expression is looked at once, and once more between each two gates what has come
    since.
    """
    gates = [spot for spot in view.graph.spots if isinstance(spot.node, Gate)]
    if gates:
        looking = _Looking(view, gates)
        for spot, step, tool in view.steps:
            if isinstance(spot.node, Step) and pivot(step, tool):
                found = looking.first(spot, step)
                if found is not None:
                    yield _diagnostic(view, spot, found)


class _Looking:
    def __init__(self, view: View, gates: list[Spot]) -> None:
        self.view = view
        self.graph = view.graph
        self.origins = Origins(view)
        self.gates = gates
        self.indices = [gate.index for gate in gates]
        self.plain = all(map(plain, gates))
        self.conditions = Conditions(view)
        self.reached = self.origins.reached(self.answers)
        self.memory: dict[Hashable, dict[Key, Spot | None]] = defaultdict(dict)

    def answers(self, spot: Spot) -> bool:
        """True for what brings something in that was not there before."""
        node = spot.node
        if isinstance(node, Step):
            return self.view.tools[node.tool].is_read
        return isinstance(node, Wait | AgentCall)

    def first(self, spot: Spot, step: Step) -> _Late | None:
        last = self.last(spot)
        if last is None:
            return None
        for argument in step.args:
            found = self.late(argument.value, spot, spot, last, argument.name)
            if found is not None:
                return found
        return next(
            (
                found
                for formula, at in self.origins.decisions(spot)
                if (found := self.late(formula, at, spot, last)) is not None
            ),
            None,
        )

    def last(self, spot: Spot) -> Spot | None:
        """Gives the last gate, in the order written, that is decided before a step."""
        stop = spot.index if spot.region is None else spot.region.stop
        for place in range(bisect_left(self.indices, stop) - 1, -1, -1):
            if self.graph.precedes(self.gates[place], spot):
                return self.gates[place]
        return None

    def late(
        self, formula: Formula, at: Spot, pivot: Spot, gate: Spot, argument: str = ""
    ) -> _Late | None:
        def known(value: Value) -> bool:
            if value.name not in self.reached:
                return True
            spots = value.meaning.spots
            own = value.meaning.kind == "statement"
            return own and all(self.shown_after(spot, pivot) for spot in spots)

        def wanted(source: Spot) -> bool:
            return self.answers(source) and self.decided(source, pivot, gate) is not None

        memory = self.memory[terms(self.view, pivot, self.indices, self.plain)]
        for access in accesses(formula.tree):
            value = self.origins.value(access, at)
            source = self.origins.first(value, known, wanted, memory)
            before = None if source is None else self.decided(source, pivot, gate)
            if source is not None and before is not None:
                return _Late(access, source, before, formula, argument)
        return None

    def shown_after(self, spot: Spot, pivot: Spot) -> bool:
        """True when every run that calls the pivot asks at a gate when a statement is over."""
        start = spot.index if spot.region is None else spot.region.index
        stop = pivot.index if pivot.region is None else pivot.region.stop
        low, high = bisect_left(self.indices, start), bisect_left(self.indices, stop)
        between = [gate for gate in self.gates[low:high] if self.graph.precedes(spot, gate)]
        return approved(self.conditions, pivot, between, spot)

    def decided(self, source: Spot, pivot: Spot, last: Spot) -> Spot | None:
        """Gives a gate that is decided before the pivot and need not wait for an answer."""
        if not self.graph.precedes(source, last):
            return last
        place = bisect_left(self.indices, last.index) - 1
        for gate in reversed(self.gates[: place + 1]):
            if not self.graph.precedes(source, gate) and self.graph.precedes(gate, pivot):
                return gate
        return None


def _diagnostic(view: View, spot: Spot, late: _Late) -> Diagnostic:
    source, gate = late.source, late.gate
    match source.node:
        case AgentCall():
            comes, said = f"the agent answers in `{source.path}`", "an agent decides here"
        case Wait():
            comes, said = f"`{source.path}` comes in", "comes from outside here"
        case _:
            comes, said = f"`{source.path}` is read", "read here"
    if late.argument:
        goes = f"and goes into `{spot.path}` as `{late.argument}`"
    else:
        goes = f"and decides whether `{spot.path}` is called"
    when = "then" if view.graph.precedes(gate, source) else "and beside that"
    return CODE(
        f"`{gate.path}` is approved, {when} {comes} {goes}: what is done is not what was approved.",
        view.span(late.formula.at),
        "not known when people approved",
        also=[
            (view.span(gate.node.at), "approved here"),
            (view.span(source.node.at), said),
            (view.span(spot.node.at), "cannot be taken back"),
        ],
        helps=(
            f"Put `{_name(gate)}` behind `{_name(_around(source, gate))}` and let it show what "
            "comes in there.",
            f"Or take for `{_name(spot)}` what was known before.",
        ),
    )


def _around(source: Spot, gate: Spot) -> Spot:
    """Gives what holds a statement in the body of a gate, or the statement itself."""
    if source.frame is gate.frame:
        return source
    return next((outer for outer in source.around() if outer.frame is gate.frame), source)


def _name(spot: Spot) -> str:
    return spot.path.rpartition(".")[2]
