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
        """Gives every finding, each told as a run that goes wrong."""
        ...


def _collect() -> Sequence[Check]:
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(
        cast(Check, import_module(f"{__name__}.{name}")) for name in names if _FILE.fullmatch(name)
    )


CHECKS = _collect()
"""Every check of the compiler, by code."""


def check(*views: View) -> tuple[Diagnostic, ...]:
    """Runs every check on some sagas, and gives what they find by position.

    What several sagas say of one place of a tool that they share is said by the first.
    """
    found: list[Diagnostic] = []
    told: set[tuple[str, Span]] = set()
    for view in views:
        mine = [_plain(each) for every in CHECKS for each in every.run(view)]
        found += (each for each in mine if (each.code, each.primary.span) not in told)
        told.update((each.code, each.primary.span) for each in mine)
    return in_order(found)


def _plain(found: Diagnostic) -> Diagnostic:
    """Drops what is said a second time of one place; a tool checked alone is its own step."""
    first = found.primary
    labels = {label.span: label for label in reversed(found.labels) if label is not first}
    labels.pop(first.span, None)
    kept = tuple(label for label in found.labels if labels.get(label.span) is label)
    return replace(found, labels=(first, *kept))
