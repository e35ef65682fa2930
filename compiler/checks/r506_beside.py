"""R506: what may come in any order does not touch one resource."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, Fix, Severity
from ...runtime.plan import Each, If, Parallel, Step
from ..codes import declare
from ..proving.clashes import Clash, clashes
from ..proving.editing import Editing
from ..proving.rearranging import waiting
from ..proving.resources import Use, shown
from ..proving.spots import Spot
from ..proving.view import View, view as viewed
from ..proving.words import thing

CODE = declare("R506", "error", "one resource, no order")

MENDED = 8
"""So many findings of one saga get a fix: each is tried on the whole plan."""


def run(view: View) -> Iterator[Diagnostic]:
    """Finds steps without an order that touch one resource, an error, or may do so, a warning.

    Cost: that of `clashes`.
    """
    told: set[tuple[int, int]] = set()
    for found in clashes(view):
        pair = (found.first.spot.index, found.second.spot.index)
        if pair in told:
            continue
        told.add(pair)
        fix = _fix(view, found) if len(told) <= MENDED else None
        made = _beside(view, found, fix) if found.loop is None else _items(view, found, found.loop)
        yield made if found.sameness == "equal" else replace(made, severity=Severity.WARNING)


def _beside(view: View, found: Clash, fix: Fix | None) -> Diagnostic:
    one, other = found.first, found.second
    what = thing(other.kind)
    sure = found.sameness == "equal"
    if one.touches and other.touches:
        both = "touch the same" if sure else "may touch the same"
        run = f"`{one.spot.path}` and `{other.spot.path}` run beside each other and {both} {what}"
        then = "what is left depends on which comes last"
    else:
        reading, touching = (other, one) if one.touches else (one, other)
        both = "touches" if sure else "may touch"
        run = f"`{reading.spot.path}` reads the {what} that `{touching.spot.path}` {both} beside it"
        then = "what it reads depends on which comes first"
    if not sure:
        then = "when it is the same one, the run lets one wait for the other"
    return CODE(
        f"{run}: {then}.",
        view.span(other.spot.node.at),
        _says(other),
        also=[
            (view.span(one.spot.node.at), _says(one)),
            *((view.span(use.at), _names(use)) for use in (one, other)),
        ],
        helps=(
            _order(*_members(one.spot, other.spot)),
            _commuting(one, other),
        ),
        fix=fix,
    )


def _items(view: View, found: Clash, loop: Spot) -> Diagnostic:
    one, other = found.first, found.second
    each = loop.node
    assert isinstance(each, Each)
    what = thing(other.kind)
    verb = "touch" if one.touches and other.touches else "read and touch"
    forwards = each.at_once > 1
    run = "run at once" if forwards else "are undone at once"
    many = each.at_once if forwards else each.undo_at_once
    if found.sameness == "equal":
        run = f"Two items of `{each.name}` {run} and both {verb} the same {what}"
        then = "what is left depends on which comes last"
    else:
        run = f"Two items of `{each.name}` {run} and may {verb} the same {what}"
        then = "when it is the same one, the run lets one wait for the other"
    where = [] if one.spot is other.spot else [(view.span(one.spot.node.at), _says(one))]
    by = "their place in the list" if each.by is None else f"`{each.by.source}`"
    clause = "at most" if forwards else "undo"
    helps = [f"Let it be one at a time: leave out `{clause} {many} at once`."]
    if found.sameness == "may be":
        helps.insert(0, _key(other, each, what))
    return CODE(
        f"{run}: {then}.",
        view.span(other.spot.node.at),
        _says(other),
        also=[
            *where,
            (view.span(each.at), f"{many} items at once, told apart by {by}"),
            (view.span(other.at), _names(other)),
        ],
        helps=(*helps, _commuting(one, other)),
    )


def _key(use: Use, each: Each, what: str) -> str:
    words = shown(use).removeprefix(f"{use.kind}(").removesuffix(")")
    if use.ids and words.split(".")[0] == each.variable:
        return f"Write `by {words}` at `{each.name}`, when no two items have the same one."
    return f"Let `by` be what identifies the {what}, when no two items share it."


def _says(use: Use) -> str:
    return f"{'touches' if use.touches else 'reads'} `{shown(use)}`"


def _names(use: Use) -> str:
    return "says which one" if use.ids else "says no id: this is every resource of the kind"


def _commuting(one: Use, other: Use) -> str:
    if one.tool.name == other.tool.name:
        return f"Or, when its calls may come in any order, add `commutes` to `{one.tool.name}`."
    return (
        f"Or, when the two may come in any order, add `commutes with {one.tool.name}` to "
        f"`{other.tool.name}`."
    )


def _members(one: Spot, other: Spot) -> tuple[Spot, Spot]:
    """Gives the members of the innermost body around two statements that hold them."""
    outer = {each.index: inner for inner, each in pairwise((one, *one.around()))}
    for inner, each in pairwise((other, *other.around())):
        if each.index in outer:
            return outer[each.index], inner
    return one, other


def _order(one: Spot, other: Spot) -> str:
    """Says how a member of a `parallel` waits for another one; an `if` has no name."""
    if isinstance(one.node, If | Parallel) or isinstance(other.node, If | Parallel):
        return "Say which comes first: one behind the other, outside of the `parallel`."
    return (
        f"Say which comes first: `after {_name(one)}` at `{_name(other)}`, or one behind the other "
        "outside of the `parallel`."
    )


def _name(spot: Spot) -> str:
    return spot.path.rpartition(".")[2]


def _fix(view: View, found: Clash) -> Fix | None:
    """Lets the second wait for the first, where both are members of one `parallel`."""
    one, other = found.first.spot, found.second.spot
    text = view.texts.get(other.node.at.file)
    together = one.parent is other.parent and other.parent is not None
    if not together or text is None or not isinstance(one.parent and one.parent.node, Parallel):
        return None
    if found.loop is not None or other.node.after or not isinstance(other.node, Step):
        return None
    plan = waiting(view.plan, other, (one,))
    tried = viewed(plan).graph
    first, second = tried.named(one.path), tried.named(other.path)
    if len(first) != 1 or len(second) != 1 or not tried.precedes(first[0], second[0]):
        return None
    return Fix("ask", Editing(text).clause(other, f"after {_name(one)}"))
