"""Promises judged: what an author promises of every state of a run, held against all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic
from ...runtime.plan import AgentCall, Gate, Promise, Step, Tool, Wait
from ..codes import Code
from .conditions import Conditions, number
from .failures import quoted
from .guarding import approved, plain
from .meanings import Access, accesses
from .readiness import ended, least, reachable, stake
from .spots import Spot, visible
from .tables import undoable
from .view import Called, View
from .words import FEW, named, thing


class Judgement(Struct, frozen=True):
    """Whether a promise holds; when not, the run that breaks it, what it is about, the ways out."""

    holds: bool
    run: str = ""
    spots: tuple[tuple[Spot, str], ...] = ()
    helps: tuple[str, ...] = ()


def judge(view: View, promise: Promise) -> Judgement:
    """Judges one promise over every state before the first effect of what its `until` names."""
    match promise.kind:
        case "reversible":
            return _reversible(view, promise)
        case "readiness":
            return _readiness(view, promise)
        case "gated":
            return _gated(view, promise)


def broken(view: View, kind: str, code: Code) -> Iterator[Diagnostic]:
    """Gives a diagnostic for each promise of one kind that does not hold."""
    for promise in view.plan.promises:
        if promise.kind == kind:
            found = judge(view, promise)
            if not found.holds:
                also = [(view.span(spot.node.at), said) for spot, said in found.spots[: FEW + 1]]
                at = view.span(promise.at)
                yield code(found.run, at, "does not hold", also=also, helps=found.helps)


def before(view: View, until: Sequence[str]) -> Callable[[Spot], bool]:
    """Gives the predicate of the steps that can land before the first effect of any in `until`."""
    ends, reached = ended(view, until), reachable(view, until)
    sure = [view.graph.moments[index] for index in sorted(ends)]
    sure = [spot for spot in sure if _settles(spot)]
    return lambda spot: (
        spot.index in reached and spot.index not in ends and not view.graph.certain(spot, sure)
    )


def _settles(spot: Spot) -> bool:
    match spot.node:
        case Step(when=when, on_failure=policy) | Gate(when=when, otherwise=policy):
            return when is None and policy != "continue"
        case Wait(otherwise=policy):
            return policy != "continue"
        case AgentCall():
            return False
        case _:
            return True


def _reversible(view: View, promise: Promise) -> Judgement:
    lands = before(view, promise.until)
    for called in view.steps:
        spot, step, tool = called
        held = stake(view, called)
        if held.kept == held.whole or not lands(spot):
            continue
        final = next((e for e in tool.effects if not undoable(e)), None)
        effect = tool.effects[0] if final is None else final
        why = f"nothing takes the {thing(effect.kind)} back"
        if final is None:
            why = f"no undo is sure to take the {thing(effect.kind)} back"
        ahead = f" before {named(promise.until)}" if promise.until else ""
        return Judgement(False, f"`{step.path}` is done{ahead}: {why}.", ((spot, why),))
    return Judgement(True)


def _readiness(view: View, promise: Promise) -> Judgement:
    bound = number(promise.bound.tree) if promise.bound is not None else None
    if bound is None:
        return Judgement(False, "The bound of this promise is not known before the run.")
    found = least(view, promise.until)
    if found.value >= bound:
        return Judgement(True)
    paths = [step.path for _, step, _ in found.landed]
    have = "has" if len(paths) == 1 else "have"
    often = f"{have} landed" if not found.approached else f"{have} landed again and again"
    least_ = "only" if not found.approached else "little more than"
    return Judgement(
        False,
        f"When {named(paths)} {often}, {least_} {shown(found.value)} of the impact can be taken "
        f"back: less than {shown(bound)}.",
        tuple((called[0], _share(view, called)) for called in found.landed),
    )


def _share(view: View, called: Called) -> str:
    held = stake(view, called)
    kept, whole = held.kept, held.whole
    if not kept:
        return f"impact {whole}, and nothing takes it back"
    return f"impact {whole}, can be taken back" + ("" if kept == whole else f" up to {kept}")


def _gated(view: View, promise: Promise) -> Judgement:
    bound = number(promise.bound.tree) if promise.bound is not None else None
    lands = before(view, promise.until)
    gates = [spot for spot in view.graph.spots if isinstance(spot.node, Gate)]
    conditions = Conditions(view)
    for spot, step, tool in view.steps:
        effect = max(tool.effects, key=lambda each: each.impact, default=None)
        if effect is None or bound is None or effect.impact < bound or not lands(spot):
            continue
        if _own_gate(view, spot, tool) or approved(conditions, spot, gates):
            continue
        others = [(at, _why(view, at, spot)) for at in gates[:FEW]]
        return Judgement(
            False,
            f"`{step.path}` touches the {thing(effect.kind)} with impact {effect.impact}, and "
            "nobody had to agree before.",
            ((spot, f"impact {effect.impact}"), *others),
            tuple(_ways_to_ask(view, spot, gates)),
        )
    return Judgement(True)


def _own_gate(view: View, spot: Spot, tool: Tool) -> bool:
    """True for a call of an agent that waits for a gate of its own."""
    if not isinstance(spot.node, AgentCall):
        return False
    uses = view.agents[spot.node.agent].uses
    return all(use.needs for use in uses if use.tool == tool.name)


def _ways_to_ask(view: View, at: Spot, gates: Sequence[Spot]) -> Iterator[str]:
    """Gives what lets people agree before a step: a gate that is nearly so, or one of its own."""
    name = at.path.rpartition(".")[2]
    if isinstance(at.node, AgentCall):
        yield f'Let each call of the tool wait for a gate: `needs "group"` in the list of `{name}`.'
        return
    for spot in gates:
        gate = spot.node
        if isinstance(gate, Gate) and view.graph.precedes(spot, at) and not plain(spot):
            if gate.when is not None:
                yield (
                    f"Let `{gate.name}` ask always, or wherever `{name}` is done: its `when` must "
                    "follow from an `if`, a `requires` or the step's own `when`."
                )
            if gate.otherwise == "continue":
                yield f"Let `{gate.name}` fail when nobody answers: `else rollback`."
                if spot.frame in visible(at.frame):
                    seen = f"{gate.name} != none and {gate.name}.approved"
                    yield f"Or do `{name}` only when it was approved: `when {seen}`."
            return
    shows = ", ".join(dict.fromkeys(map(str, _given(at)))) or "..."
    yield f'Put a gate before `{name}`: `gate NAME needs "group" shows {shows}`.'


def _given(at: Spot) -> Iterator[Access]:
    """Gives what a call is given, as people may be shown it."""
    if isinstance(at.node, Step):
        for each in at.node.args:
            if each.value.type.kind != "secret":
                yield from accesses(each.value.tree)


def _why(view: View, spot: Spot, at: Spot) -> str:
    gate = spot.node
    if not isinstance(gate, Gate) or not view.graph.precedes(spot, at):
        return f"need not be decided before `{at.path}`"
    if gate.when is not None:
        return f"asks only when {quoted(gate.when)}"
    if gate.otherwise == "continue":
        return "goes on when nobody answers"
    return "does not stand on every way"


def shown(value: Fraction) -> str:
    """Writes a ratio as a decimal; one that does not end is cut, never rounded up.

    >>> shown(Fraction(1, 4)), shown(Fraction(2, 3)), shown(Fraction(1))
    ('0.25', '0.6666', '1')
    """
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    cut = exact.quantize(Decimal("0.0001"), ROUND_DOWN).normalize()
    return format(cut, "f")
