"""X602: what an agent or a signal says is not done for good before anybody has looked at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Fix, Severity, replacement
from ...dsl.span import Span
from ...runtime.formula import Formula
from ...runtime.plan import AgentCall, Gate, Step, Tool, Wait
from ..codes import declare
from ..proving.failures import pivot
from ..proving.guarding import Guards, approved
from ..proving.meanings import Access, accesses
from ..proving.origins import Key, Origins, Value, terms
from ..proving.spots import Spot
from ..proving.view import View
from ..proving.words import thing

CODE = declare("X602", "error", "not looked at before it is done for good")

MENDED = 8
"""So many findings of one saga get a fix: each looks at all gates."""


class _Unseen(Struct, frozen=True):
    """A name in an argument or condition, and the answer that reaches it."""

    access: Access
    value: Value
    source: Spot
    formula: Formula
    argument: str = ""


def run(view: View) -> Iterator[Diagnostic]:
    """Finds answers of agents and signals that reach a pivot unseen: one finding for each pivot.

    Cost: nothing in a saga without agents and signals; else every expression is looked at once,
    and once more between each two of what may look at values.
    """
    if any(_outside(spot) for spot in view.graph.spots):
        looking = _Looking(view)
        for spot, step, tool in view.steps:
            if isinstance(spot.node, Step) and pivot(step, tool):
                found = looking.finding(spot, step, tool)
                if found is not None:
                    yield found


def _outside(spot: Spot) -> bool:
    return isinstance(spot.node, AgentCall | Wait)


class _Looking:
    def __init__(self, view: View) -> None:
        self.view = view
        self.origins = Origins(view)
        self.reached = self.origins.reached(_outside)
        self.guards = Guards(view, self.origins)
        self.memory: dict[Hashable, dict[Key, Spot | None]] = defaultdict(dict)
        self.mended = 0

    def finding(self, spot: Spot, step: Step, tool: Tool) -> Diagnostic | None:
        given = [
            each
            for argument in step.args
            for each in self.unseen(argument.value, spot, spot, argument.name)
        ]
        if given:
            return self.told(spot, tool, given)
        for formula, at in self.origins.decisions(spot):
            deciding = list(self.unseen(formula, at, spot))
            if deciding:
                return replace(self.told(spot, tool, deciding), severity=Severity.WARNING)
        return None

    def unseen(
        self, formula: Formula, at: Spot, before: Spot, argument: str = ""
    ) -> Iterator[_Unseen]:
        """Gives the names in an expression whose answers need not have been looked at."""

        def known(value: Value) -> bool:
            return value.name not in self.reached or self.guards.guarded(value, before)

        guards = self.guards
        memory = self.memory[terms(self.view, before, guards.indices, guards.plain)]
        for access in accesses(formula.tree):
            value = self.origins.value(access, at)
            source = self.origins.first(value, known, _outside, memory)
            if source is not None:
                yield _Unseen(access, value, source, formula, argument)

    def told(self, spot: Spot, tool: Tool, unseen: Sequence[_Unseen]) -> Diagnostic:
        view, first = self.view, unseen[0]
        source = first.source
        agent = isinstance(source.node, AgentCall)
        answer = "the agent answers in" if agent else "comes in as"
        effect = next(each for each in tool.effects if each.effect_class == "irreversible")
        what = thing(effect.kind)
        if first.argument:
            run = f"goes into `{spot.path}` as `{first.argument}`: nothing takes the {what} back"
        else:
            run = f"decides whether `{spot.path}` is called: nothing takes the {what} back then"
        texts = list(dict.fromkeys(str(each.access) for each in unseen))
        names = ", ".join(f"`{text}`" for text in texts)
        also = [(view.span(spot.node.at), "cannot be taken back")]
        also += [
            (view.span(each.formula.at), f"holds what `{each.source.path}` gives")
            for each in unseen[1:]
            if each.argument
        ]
        also.append((view.span(source.node.at), "an agent decides" if agent else "from outside"))
        fix = None
        if first.argument and self.mended < MENDED:
            self.mended += 1
            fix = self.fix(spot, unseen)
        return CODE(
            f"Whatever {answer} `{source.path}` {run}, and nobody has looked at it before.",
            view.span(first.formula.at),
            f"holds what `{source.path}` gives",
            also=also,
            helps=(
                f"Put a gate between that shows it: `gate ... shows {', '.join(texts)}`.",
                f"Or say what it must be: a `requires` that names {names}.",
            ),
            fix=fix,
        )

    def fix(self, spot: Spot, unseen: Sequence[_Unseen]) -> Fix | None:
        """Lets a gate that is there anyway show the values too, where that is enough."""
        view = self.view
        accesses_ = dict.fromkeys(each.access for each in unseen)
        for gate in view.graph.spots:
            node = gate.node
            if not isinstance(node, Gate) or not node.shows or not view.text(node.at):
                continue
            seen = [self.origins.value(each.access, gate).key == each.value.key for each in unseen]
            late = [view.graph.precedes(each.source, gate) for each in unseen]
            if all(seen) and all(late) and approved(self.guards.conditions, spot, (gate,)):
                place = view.span(node.shows[-1].at)
                end = Span(place.source, place.end, place.end)
                return replacement("ask", end, "".join(f", {each}" for each in accesses_))
        return None
