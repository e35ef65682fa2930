"""Sagas that would be too large with all that they call, and all that takes them back.

What is called stands inside the plan wherever it is called; a saga that undos name stands in it
once, whoever names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from ...dsl.diagnostics import Diagnostic
from ...dsl.nodes import Saga
from .catalogue import Catalogue, Declared, spelled
from .declared import N299
from .outline import Outline
from .recursion import Calls, rings
from .undosagas import undone_by

LARGEST = 100_000
"""Statements of one plan; a run's state is as long."""
DEEPEST = 60
"""Blocks inside one another over all sagas of a plan; one file by itself may have more."""


def size(
    catalogue: Catalogue, outlines: Mapping[int, Outline], called: Calls
) -> Iterator[Diagnostic]:
    """Yields N299 at each saga whose plan would be too large or nested too deep."""
    back = undone_by(catalogue, outlines)
    named: dict[str, frozenset[str]] = {}
    endless = {name for ring in rings(catalogue, called) for name in ring}
    known: dict[str, tuple[int, int]] = {}
    for declared in catalogue.order:
        waiting = [declared]
        while waiting:
            here = waiting[-1]
            inner = [to for _, to in called[here.plan_name]]
            missing = [d for d in inner if d.plan_name not in known]
            if here.plan_name in known or not isinstance(here.node, Saga):
                waiting.pop()
            elif here.plan_name in endless:
                known[here.plan_name], named[here.plan_name] = (0, 0), frozenset()
            elif missing:
                waiting += missing
            else:
                sites = outlines[id(here.node)].sites
                sizes = [known[d.plan_name] for d in inner]
                known[here.plan_name] = (
                    len(sites) + sum(count for count, _ in sizes),
                    max((len(site.trail) for site in sites), default=0)
                    + max((depth for _, depth in sizes), default=0),
                )
                named[here.plan_name] = back[here.plan_name].union(
                    *(named[d.plan_name] for d in inner)
                )

    def whole(one: Declared) -> tuple[int, int]:
        """Gives how many statements a plan has, and how deep they stand, with the undos' sagas."""
        count, depth = known.get(one.plan_name, (0, 0))
        undos = [known[name] for name in named.get(one.plan_name, ())]
        deep = max((depth for _, depth in undos), default=0)
        return count + sum(more for more, _ in undos), max(depth, deep)

    for declared in catalogue.order:
        count, depth = whole(declared)
        below = [whole(to) for _, to in called[declared.plan_name]]
        below += [known[name] for name in named.get(declared.plan_name, ())]
        name = declared.node.name
        if count > LARGEST and all(one <= LARGEST for one, _ in below):
            yield N299(
                f"With all that {_parts(named[declared.plan_name])}, {spelled(name)} would have "
                f"{count:,} statements; more than {LARGEST:,} are not carried out.",
                name.span,
                helps=["Start some of the sagas as runs of their own."],
            )
        elif below and depth > DEEPEST and all(one <= DEEPEST for _, one in below):
            yield N299(
                f"With all that {_parts(named[declared.plan_name])}, blocks stand {depth} deep "
                f"inside {spelled(name)}; more than {DEEPEST} are not carried out.",
                name.span,
                helps=["Let one saga call several of them, one after another."],
            )


def _parts(undos: Set[str]) -> str:
    return "it calls and what takes it back" if undos else "it calls"
