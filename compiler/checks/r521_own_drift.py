"""R521: what must not have changed is not changed by the saga itself."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from ...dsl.diagnostics import Diagnostic, Fix, replacement
from ...dsl.span import Span
from ...runtime.formula import Name, Node, Place
from ...runtime.plan import Argument, Expecting
from ..codes import declare
from ..proving.identity import Identity
from ..proving.resources import Use, apart, same, shown, uses
from ..proving.spots import Spot
from ..proving.view import View
from ..proving.words import thing

CODE = declare("R521", "error", "drift of one's own making")


class _Watched(Struct, frozen=True):
    """A resource that a read tells of: its kind, its ids at the step, and where that is said."""

    kind: str
    ids: tuple[Node, ...]
    at: Place


def run(view: View) -> Iterator[Diagnostic]:
    """Finds changes between the step and the call that expects the world as it was then.

    Cost: O(steps + changes between): statements are looked up by kind and position, and of those
    between the last that may concern the same resource ends the search.
    """
    expecting = [
        (spot, step.expecting) for spot, step, _ in view.steps if step.expecting is not None
    ]
    if not expecting:
        return
    identity = Identity(view)
    changes = _Changes(identity, (use for use in uses(view, identity) if use.touches))
    for spot, clause in expecting:
        since = next((each for each in view.graph.named(clause.since)), None)
        if since is None:
            continue
        for watched in _watched(view, identity, spot, clause):
            found = _between(view, identity, since, spot, watched, changes.near(watched))
            if found is not None:
                yield _diagnostic(view, since, spot, clause, watched, *found)
                break


class _Changes:
    """The changes of a saga by kind, those apart that can only be the same as one other."""

    def __init__(self, identity: Identity, uses: Iterable[Use]) -> None:
        self.identity = identity
        self.kinds: dict[str, list[Use]] = defaultdict(list)
        self.open: dict[str, list[Use]] = defaultdict(list)
        self.equal: dict[tuple[str, str], list[Use]] = defaultdict(list)
        for use in uses:
            self.kinds[use.kind].append(use)
            if apart(identity, use.ids):
                self.equal[use.kind, repr(use.ids)].append(use)
            else:
                self.open[use.kind].append(use)

    def near(self, watched: _Watched) -> Iterator[Sequence[Use]]:
        """Gives changes, in the order written, among them all that may be of a resource."""
        if apart(self.identity, watched.ids):
            yield self.equal.get((watched.kind, repr(watched.ids)), ())
            yield self.open.get(watched.kind, ())
        else:
            yield self.kinds.get(watched.kind, ())


def _watched(view: View, identity: Identity, at: Spot, clause: Expecting) -> Iterator[_Watched]:
    """Gives what a read tells of: what it says itself, and what it is asked about as a witness.

    Of a tool that the read verifies, or remembers the earlier state for, it tells the resource; the
    ids that are passed to it are known by the arguments here.
    """
    reader = view.tools[clause.tool]
    given = {argument.name: argument.value.tree for argument in clause.args}
    for reading in reader.reads:
        ids = tuple(identity.given(each.tree, at, given) for each in reading.ids)
        yield _Watched(reading.kind, ids, reading.at)
    for tool in view.plan.tools:
        asked = [(each.tool, each.args) for each in tool.remember]
        asked += [] if tool.verify is None else [(tool.verify.tool, tool.verify.args)]
        for name, args in asked:
            if name == reader.name:
                for effect in tool.effects:
                    passed = [_passed(each.tree, args) for each in effect.ids]
                    ids = tuple(
                        identity.written(given[word], at)
                        if word in given
                        else Name(f"#{at.path}#{effect.kind}")
                        for word in passed
                    )
                    yield _Watched(effect.kind, ids, effect.at)


def _passed(tree: Node, args: tuple[Argument, ...]) -> str:
    """Gives the parameter of a read to which an expression is passed, "" for none."""
    return next((each.name for each in args if each.value.tree == tree), "")


def _between(
    view: View,
    identity: Identity,
    since: Spot,
    at: Spot,
    watched: _Watched,
    near: Iterable[Sequence[Use]],
) -> tuple[Use, bool] | None:
    """Gives the last change that may come between, and whether it is sure to be the same one."""
    graph = view.graph
    first = since.index if since.region is None else since.region.index
    last = at.index if at.region is None else at.region.stop
    best: tuple[Use, bool] | None = None
    for changes in near:
        start = bisect_left(changes, first, key=lambda use: use.spot.index)
        stop = bisect_left(changes, last, key=lambda use: use.spot.index)
        for place in range(stop - 1, start - 1, -1):
            use = changes[place]
            spot = use.spot
            if best is not None and spot.index < best[0].spot.index:
                break
            if spot is since or spot is at or graph.precedes(spot, since):
                continue
            if graph.precedes(at, spot) or graph.excl(spot, at) or graph.excl(spot, since):
                continue
            sameness = same(identity, use.ids, watched.ids)
            if sameness != "distinct":
                best = use, sameness == "equal"
                break
    return best


def _diagnostic(
    view: View, since: Spot, at: Spot, clause: Expecting, watched: _Watched, use: Use, sure: bool
) -> Diagnostic:
    what, spot = thing(watched.kind), use.spot
    field = "".join(f".{name}" for name in clause.field)
    changes = f"changes the {what}" if sure else f"changes a {what} that may be the same one"
    if view.graph.precedes(since, spot):
        run = f"`{since.path}` is over, then `{spot.path}` {changes}"
    else:
        run = f"`{since.path}` is over while beside it `{spot.path}` {changes}"
    return CODE(
        f"{run}: `{at.path}` finds it other than it was and people are asked, although nobody else "
        "was there.",
        view.span(clause.at),
        f"expects `{clause.tool}(...){field}` as it was since `{since.path}`",
        also=[
            (view.span(spot.node.at), f"changes `{shown(use)}`"),
            (view.span(since.node.at), "since here nothing may have changed"),
            (view.span(use.at), "this effect"),
            (view.span(watched.at), f"the read tells of this {what}"),
        ],
        helps=[
            f"Expect it unchanged since `{_name(spot)}`, or let `{_name(spot)}` come behind "
            f"`{_name(at)}`."
        ],
        fix=_fix(view, since, spot, at, clause),
    )


def _fix(view: View, since: Spot, spot: Spot, at: Spot, clause: Expecting) -> Fix | None:
    """Expects it unchanged since the last change instead, where that is sure to be over."""
    text = view.text(clause.at)
    words = f"since {_name(since)}"
    beside = spot.path.rpartition(".")[0] == at.path.rpartition(".")[0]
    if not beside or not text.endswith(words) or not view.graph.certain(at, (spot,)):
        return None
    span = view.span(clause.at)
    end = Span(span.source, span.end - len(_name(since)), span.end)
    return replacement("ask", end, _name(spot))


def _name(spot: Spot) -> str:
    return spot.path.rpartition(".")[2]
