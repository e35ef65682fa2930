"""P703: a promise of `gated` holds."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.promises import broken
from ..proving.view import View

CODE = declare("P703", "error", "promise of gated broken")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds promises that some state of some run breaks.

    Cost: for each promise O(pivots x gates before them).
    """
    return broken(view, "gated", CODE)
