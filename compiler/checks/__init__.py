"""The checks: one file for each code, found by its name, so that no list is kept by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from msgspec.structs import replace

from ...dsl.diagnostics import Diagnostic, in_order
from ...dsl.span import Span
from ...runtime.plan import SagaCall
from ..codes import Code
from ..proving.view import View

_FILE = re.compile(r"[a-z]\d{3}_\w+")


class Check(Protocol):
    """What each module of this package is: a code and what finds it in one saga."""

    @property
    def CODE(self) -> Code:
        """The code, with its severity unless a finding says otherwise, and its title."""
        ...

    def run(self, view: View) -> Iterable[Diagnostic]:
        """Gives every finding, each told as a run that goes wrong; says what it costs."""
        ...


def _collect() -> Sequence[Check]:
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(
        cast(Check, import_module(f"{__name__}.{name}")) for name in names if _FILE.fullmatch(name)
    )


NOWHERE = Span("", 0, 0)
"""The place of what no source says."""

CHECKS = _collect()
"""Every check of the compiler, by code."""


def check(*views: View) -> tuple[Diagnostic, ...]:
    """Runs every check on some sagas, and gives what they find by position.

    What is said of one place more than once, by several sagas that share a tool or by several calls
    of one saga, is said the first time only.
    """
    found: list[Diagnostic] = []
    told: set[tuple[str, Span]] = set()
    # A saga that others call is judged by itself first: there it can be mended.
    for view in sorted(views, key=_calling):
        for each in (_plain(each) for every in CHECKS for each in every.run(view)):
            at = each.primary.span
            if (each.code, at) not in told or at == NOWHERE:
                told.add((each.code, at))
                found.append(each)
    return in_order(found)


def _calling(view: View) -> int:
    calls = any(isinstance(spot.node, SagaCall) for spot in view.graph.spots)
    return len(view.graph.spots) if calls else 0


def _plain(found: Diagnostic) -> Diagnostic:
    """Drops what is said a second time of one place; a tool checked alone is its own step."""
    first = found.primary
    labels = {label.span: label for label in reversed(found.labels) if label is not first}
    labels.pop(first.span, None)
    kept = tuple(label for label in found.labels if labels.get(label.span) is label)
    return replace(found, labels=(first, *kept))
