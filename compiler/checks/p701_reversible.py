"""P701: a promise of `reversible` holds."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.promises import broken
from ..proving.view import View

CODE = declare("P701", "error", "promise of reversible broken")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds promises that some state of some run breaks.

    Cost: for each promise O(steps x statements that its `until` ends at).
    """
    return broken(view, "reversible", CODE)
