"""The paths of a saga's statements, segment by segment, as scenarios write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dsl.nodes import Saga
from ..runtime.plan import Each, First, Repeat, statements
from .analysis import Analysis

_KEY = re.compile(r"\[[^\]]*\]")


def segments(analysis: Analysis, saga: str, written: str) -> Iterator[tuple[str, str]]:
    """Yields what may come next in a path, with what it is; `written` ends with a dot or is empty.

    Where the saga has errors, its outline tells at least the statements of its own block.
    """
    found = analysis.named(saga)
    if found is None or not isinstance(found.node, Saga):
        return
    prefix = _KEY.sub("[*]", written)
    seen: set[str] = set()
    for path, kind in _paths(analysis, found.plan_name, found.node):
        if path.startswith(prefix):
            word = path[len(prefix) :].split(".")[0]
            plain = _KEY.sub("", word)
            if plain and "#" not in plain and plain not in seen:
                seen.add(plain)
                yield plain, kind if path == prefix + plain else ""


def _paths(analysis: Analysis, plan_name: str, saga: Saga) -> Iterator[tuple[str, str]]:
    programs = [analysis.program, *([analysis.good.program] if analysis.good else [])]
    for program in programs:
        plan = program.compilation.plans.get(plan_name) if program.compilation else None
        if plan is not None:
            for node in statements(plan.body):
                keyed = isinstance(node, Each | First | Repeat)
                yield node.path, f"{type(node).__name__.lower()}{', by key' if keyed else ''}"
            return
    for program in programs:
        outline = program.resolved.outlines.get(id(saga))
        if outline is not None:
            for site in outline.sites:
                if site.name is not None:
                    yield site.path, type(site.statement).__name__.lower()
            return
