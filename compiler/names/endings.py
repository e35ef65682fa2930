"""How bodies end: where `return` and `next` stand, and what stands behind them and never runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Next, Repeat, Return, Statement
from ...dsl.span import Span
from ..codes import declare
from .catalogue import spelled
from .declared import N207
from .outline import BodyKind, Outline, Site

G403 = declare("G403", "warning", "never runs")

ENDS: Mapping[BodyKind, str] = {
    "saga": "`return` ends the saga",
    "each": "`return` ends the item",
    "first": "`return` ends the item",
}


def endings(outline: Outline) -> Iterator[Diagnostic]:
    """Yields every `return` and `next` that stands where it cannot, and what is behind it."""
    for site in outline.sites:
        if isinstance(site.statement, Return) and not outline.areas[site.area].parallel:
            yield from _return(outline, site, site.statement)
        elif isinstance(site.statement, Next) and not outline.areas[site.area].parallel:
            yield from _next(outline, site, site.statement)
    for body in outline.bodies:
        loop = body.owner.statement if body.owner is not None else None
        if isinstance(loop, Repeat) and not _goes_on(loop):
            yield N207(
                f"{spelled(loop.name)} never says what it goes on with.",
                loop.name.span,
                "no `next` in it",
                helps=["End it with `next E`; when `E` is none, it is over."],
            )


def _return(outline: Outline, site: Site, node: Return) -> Iterator[Diagnostic]:
    kind = outline.body(site).kind
    owner = outline.body(site).owner
    if kind in ("scope", "else") and owner is not None and owner.name is not None:
        yield N207(
            "A scope returns nothing: outside, it is a record of its steps.",
            node.span,
            also=[(owner.name.span, "in this scope")],
            helps=[f"Return behind it, for example `return {owner.name.text}.NAME`."],
        )
    elif kind == "repeat":
        behind = _behind(outline, site)
        alone = outline.areas[site.area].branch_of is None
        goes_on = owner is not None and _goes_on(owner.statement)
        # Without a `next` it is said what is missing, and the `return` stands well before it.
        if goes_on and not (alone and len(behind) == 1 and isinstance(behind[0], Next)):
            yield N207(
                "In a `repeat`, `return` stands just before `next`.",
                node.span,
                helps=["Let an `if` choose the value, not the way out."],
            )
    elif kind in ENDS and not outline.ends(site):
        behind = _behind(outline, site)
        yield N207(
            f"{ENDS[kind]}: it stands last, or last in every branch of a last `if`.",
            node.span,
            also=[(behind[0].span, "this would never run")] if behind else (),
            helps=["Move it to the end; let an `if` choose the value, not the way out."],
        )
        yield from _never(behind, node.span, f"the {'saga' if kind == 'saga' else 'item'} has "
                          "returned before", "returns here")  # fmt: skip


def _next(outline: Outline, site: Site, node: Next) -> Iterator[Diagnostic]:
    body = outline.body(site)
    start = node.span.start
    word = Span(node.span.source, start, start + len("next"))
    if body.kind == "on rollback":
        return
    if body.kind != "repeat":
        yield N207("`next` stands in a `repeat` only.", word)
    elif outline.areas[site.area].branch_of is not None:
        yield N207(
            "`next` is the last statement of the `repeat` itself.",
            word,
            helps=["Let the value choose: `next if E then A else none`."],
        )
    elif not outline.ends(site):
        behind = _behind(outline, site)
        yield N207(
            "`next` ends the round: it stands last.",
            word,
            also=[(behind[0].span, "this would never run")],
            helps=["Move it to the end of the `repeat`."],
        )
        yield from _never(behind, node.span, "the round is over before", "ends here")


def _goes_on(loop: Statement) -> bool:
    return isinstance(loop, Repeat) and any(isinstance(s, Next) for s in loop.body.statements)


def _behind(outline: Outline, site: Site) -> tuple[Statement, ...]:
    return outline.areas[site.area].members[site.trail[-1][1] + 1 :]


def _never(behind: tuple[Statement, ...], at: Span, why: str, label: str) -> Iterator[Diagnostic]:
    if behind:
        yield G403(
            f"This never runs: {why}.",
            behind[0].span,
            also=[(at, label)],
            helps=[
                "Take it out, or move it before the `return`."
                if label == "returns here"
                else "Take it out, or move it before the `next`."
            ],
        )
