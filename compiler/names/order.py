"""The order of statements: what each waits for beyond its place, and waits that can never end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, replacement
from ...dsl.nodes import (
    After,
    Each,
    Expecting,
    First,
    Gate,
    Name,
    Repeat,
    Scope,
    Step,
    Wait,
    of,
)
from ...dsl.span import Span
from ..codes import declare
from .catalogue import near, spelled
from .outline import Outline, Site
from .references import free, of_statement

G402 = declare("G402", "error", "`after` names nothing in this block")
G406 = declare("G406", "error", "gate that guards nothing")
G407 = declare("G407", "hint", "`after` that says what the order says")


class Need(Struct, frozen=True):
    """One reason to wait: the sites (two when both branches of an `if` name it), and where."""

    sites: tuple[Site, ...]
    at: Span
    by_after: bool


Needs = Mapping[int, tuple[Need, ...]]
"""The needs of each site, by its number; what the written order guarantees is not among them."""


def needs(outline: Outline) -> Needs:
    """Finds what each statement waits for: the values that it reads and what its `after` names.

    What the inside of a scope or loop reads from outside, the whole waits for.
    """
    found: dict[int, list[Need]] = {}
    for site in outline.sites:
        for need in (*_data(outline, site), *_after(outline, site)):
            waiting = outline.lifted(site, need.sites[0].body)
            found.setdefault(waiting.number, []).append(need)
    return {number: tuple(mine) for number, mine in found.items()}


def waits(site: Site, found: Needs) -> tuple[str, ...]:
    """Gives the paths that a statement waits for, in the order written."""
    first = {need.sites[0].path: need.sites[0].number for need in found.get(site.number, ())}
    return tuple(sorted(first, key=lambda path: first[path]))


def order(outline: Outline, found: Needs) -> Iterator[Diagnostic]:
    """Yields what is wrong with `after` clauses and with gates beside other statements."""
    guarding = {other.number for mine in found.values() for need in mine for other in need.sites}
    for site in outline.sites:
        for clause in _after_clauses(site):
            yield from _checked(outline, site, clause, found)
        gate = site.statement
        if (
            isinstance(gate, Gate)
            and outline.areas[site.area].parallel
            and site.number not in guarding
        ):
            yield G406(
                f"The gate {spelled(gate.name)} guards nothing: "
                "what stands beside it in `parallel` does not wait for it.",
                gate.name.span,
                helps=[f"Write `after {gate.name.text}` at the steps that it is for, "
                       "or put the gate before the `parallel`."],
            )  # fmt: skip


def _data(outline: Outline, site: Site) -> Iterator[Need]:
    seen: set[str] = set()
    names = [
        name
        for use in of_statement(site.statement)
        for name, _ in free(use.expr)
        if name.text not in use.words
    ]
    if isinstance(site.statement, Step):
        names += [expecting.since for expecting in of(site.statement.clauses, Expecting)]
    for name in names:
        if name.text not in seen:
            seen.add(name.text)
            yield from _need(outline, site, name, by_after=False)


def _need(outline: Outline, site: Site, name: Name, by_after: bool) -> Iterator[Need]:
    sites = outline.sites_of(site, name.text)
    if by_after:
        sites = outline.body(site).by_name.get(name.text, ())
    wanted = {"beside", "later", "same"} if by_after else {"beside"}
    beside = tuple(s for s in sites if outline.relation(site, s) in wanted)
    if beside:
        yield Need(beside, name.span, by_after)


def _after(outline: Outline, site: Site) -> Iterator[Need]:
    for clause in _after_clauses(site):
        for name in clause.names:
            yield from _need(outline, site, name, by_after=True)


def _after_clauses(site: Site) -> tuple[After, ...]:
    match site.statement:
        case Step() | Gate() | Wait() | Each() | First() | Repeat() | Scope():
            return of(site.statement.clauses, After)
        case _:
            return ()


def _checked(outline: Outline, site: Site, clause: After, found: Needs) -> Iterator[Diagnostic]:
    read = {
        other.number
        for need in found.get(site.number, ())
        if not need.by_after
        for other in need.sites
    }
    seen: set[str] = set()
    for name in clause.names:
        sites = outline.body(site).by_name.get(name.text, ())
        relations = {outline.relation(site, other) for other in sites}
        if not sites:
            yield _nothing(outline, site, name)
        elif relations == {"other branch"}:
            yield G402(
                f"{spelled(name)} is in the other branch: it never runs where this one does.",
                name.span,
                also=[(s.name.span, "here") for s in sites if s.name],
                helps=["Leave this `after` out."],
            )
        elif name.text in seen or "before" in relations or read & {s.number for s in sites}:
            read_anyway = "is waited for anyway, as its value is used"
            why = read_anyway if "beside" in relations else "comes before it as written"
            yield G407(
                f"This `after` changes nothing: {spelled(name)} {why}.",
                name.span,
                also=[(s.name.span, "here") for s in sites[:1] if s.name],
                helps=["Leave it out."],
                fix=replacement("safe", clause.span, "") if len(clause.names) == 1 else None,
            )
        seen.add(name.text)


def _nothing(outline: Outline, site: Site, name: Name) -> Diagnostic:
    elsewhere = next((s for s in outline.sites if s.name and s.name.text == name.text), None)
    if elsewhere is not None:
        return _elsewhere(outline, site, name, elsewhere)
    guess = near(name.text, outline.body(site).by_name)
    return G402(
        f"There is no statement {spelled(name)} to wait for.",
        name.span,
        "names nothing",
        helps=[f"Did you mean `{guess}`?"]
        if guess
        else ["`after` names statements of this block."],
        fix=replacement("ask", name.span, guess) if guess else None,
    )


def _elsewhere(outline: Outline, site: Site, name: Name, found: Site) -> Diagnostic:
    """Tells an `after` that names a statement of a block around this one, or inside another."""
    also = [(found.name.span, "here")] if found.name else []
    if any(body.number == found.body for body in outline.around(outline.body(site))):
        whole = outline.lifted(site, found.body)
        where = f"at {spelled(whole.name)}" if whole.name else "outside"
        return G402(
            f"{spelled(name)} stands outside of this block: only the whole block can wait for it.",
            name.span,
            "not in this block",
            also=also,
            helps=[f"Write `after {name.text}` {where}."],
        )
    owners = [s for s in outline.owners(found) if s.body == site.body and s.name]
    inside = owners[0].name if owners else None
    return G402(
        f"{spelled(name)} is inside {spelled(inside)}, which is waited for as a whole."
        if inside
        else f"{spelled(name)} stands in another block: only a statement of this one can be "
        "waited for.",
        name.span,
        "not in this block",
        also=also,
        helps=[f"Write `after {inside.text}`."] if inside else ["Leave this `after` out."],
        fix=replacement("ask", name.span, inside.text) if inside else None,
    )
