"""The card of a saga: what it takes, its graph, what is proved of it, and what is not right yet."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..compiler.emit import emit_svg
from ..compiler.emit.palette import STATES, STYLES
from ..compiler.emit.standings import gather
from ..compiler.proving.proofs import Proofs
from ..dsl.diagnostics import Diagnostic
from ..dsl.render_terminal import render
from ..loading import LoadedSaga
from ..runtime.engine.saga import Saga
from ..runtime.plan import Plan, Step, statements
from . import card
from .card import Html

LARGEST = 250
"""Most statements of a graph that a card shows: beyond, a notebook's file would swell."""


def saga_html(saga: Saga, *, dag: bool = True) -> Html:
    """Gives the card of a saga as HTML."""
    plan = saga.plan
    parts = [card.title(plan.saga, card.code(_signature(plan)))]
    if plan.doc:
        parts.append(card.paragraph(plan.doc))
    proofs = _proofs(saga)
    parts.append(card.paragraph(card.quiet(" · ".join(_facts(plan, proofs)))))
    if dag:
        parts.append(graph(plan))
    if proofs is not None:
        parts += _proved(proofs)
    if isinstance(saga, LoadedSaga) and saga.diagnostics:
        shown = render(saga.diagnostics, saga.compilation.sources).rstrip()
        parts += [card.heading(_counted(saga.diagnostics)), card.block(shown)]
    return card.card(*parts)


def saga_text(saga: Saga) -> str:
    """Gives the card of a saga as text."""
    plan, proofs = saga.plan, _proofs(saga)
    lines = [f"saga {plan.saga}{_signature(plan)}", "  " + ", ".join(_facts(plan, proofs))]
    if proofs is not None:
        width = max((len(step.path) for step in proofs.steps), default=0)
        lines += [
            f"  {step.path:<{width}}  {step.step_class}, {_reliable(step.retriable)}"
            for step in proofs.steps
        ]
        lines += [
            f"  {'holds' if promise.holds else 'broken'}: {promise.text}"
            for promise in proofs.promises
        ]
    if isinstance(saga, LoadedSaga) and saga.diagnostics:
        lines += ["", render(saga.diagnostics, saga.compilation.sources).rstrip()]
    return "\n".join(lines)


def graph(plan: Plan, states: dict[str, str] | None = None) -> Html:
    """Gives the picture of a plan, or of a run of it, or says why there is none."""
    number = sum(1 for _ in statements(plan.body))
    if number > LARGEST:
        left_out = (
            f"The picture of {number:,} statements is left out; `dag()` of the saga gives it."
        )
        return card.paragraph(card.quiet(left_out))
    known = gather(states or {})
    names = ", ".join(
        f"{one.path} {known[one.path].word}" if one.path in known else one.path
        for one in statements(plan.body)
        if isinstance(one, Step)
    )
    what = "Run" if states is not None else "Graph"
    return card.picture(emit_svg(plan, states), f"{what} of the saga {plan.saga}: {names}.")


def _proofs(saga: Saga) -> Proofs | None:
    return saga.compilation.proofs.get(saga.name) if isinstance(saga, LoadedSaga) else None


def _signature(plan: Plan) -> str:
    inputs = ", ".join(f"{one.name}: {one.type}" for one in plan.parameters)
    return f"({inputs}) -> {plan.result}"


def _facts(plan: Plan, proofs: Proofs | None) -> list[str]:
    steps = len({one.path for one in statements(plan.body) if isinstance(one, Step)})
    facts = [f"{steps} step{'' if steps == 1 else 's'}"]
    if proofs is not None:
        after = ", ".join(proofs.readiness.after)
        least = f"least readiness {_decimal(proofs.readiness.least)}"
        more = "with ever more of" if proofs.readiness.approached else "after"
        facts.append(f"{least}, {more} {after}" if after else least)
        broken = sum(not promise.holds for promise in proofs.promises)
        if proofs.promises:
            facts.append(f"{broken} promises broken" if broken else "every promise holds")
    return facts


def _proved(proofs: Proofs) -> list[Html]:
    rows: list[Sequence[object]] = []
    for step in proofs.steps:
        style = STYLES[step.step_class]
        rows.append(
            (
                card.code(step.path),
                card.code(step.tool),
                f"{style.glyph} {step.step_class}",
                _reliable(step.retriable),
            )
        )
    parts = [
        card.heading("What is proved of its steps"),
        card.table(
            ("step", "tool", "what it changes", "whether it goes through"), rows, "`explain`"
        ),
    ]
    if proofs.promises:
        promises = [
            (_verdict(one.holds), card.code(one.text), one.counterexample or "in every run")
            for one in proofs.promises
        ]
        parts += [
            card.heading("What it promises"),
            card.table(("", "promise", "where"), promises, "`proofs`"),
        ]
    return parts


def _verdict(holds: bool) -> Html:
    state = STATES["succeeded" if holds else "failed"]
    return card.badge(state, "holds" if holds else "broken")


def _reliable(retriable: bool) -> str:
    return "always, when tried again" if retriable else "may fail"


def _counted(diagnostics: Sequence[Diagnostic]) -> str:
    number = len(diagnostics)
    return f"{number} thing{'' if number == 1 else 's'} to look at"


def _decimal(value: Fraction) -> str:
    # Never rounded up: a readiness that is not whole must not look so.
    scaled = value * 10_000
    return f"{scaled.numerator // scaled.denominator / 10_000:.4f}".rstrip("0").rstrip(".") or "0"
