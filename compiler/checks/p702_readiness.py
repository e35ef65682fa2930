"""P702: a promise of `readiness` holds."""

from __future__ import annotations

from collections.abc import Iterator

from ...dsl.diagnostics import Diagnostic
from ..codes import declare
from ..proving.promises import broken
from ..proving.view import View

CODE = declare("P702", "error", "promise of readiness broken")


def run(view: View) -> Iterator[Diagnostic]:
    """Finds promises that some state of some run breaks.

    Cost: for each promise a few passes over the steps (Dinkelbach's method), and a minimum cut in
    each `parallel` whose statements wait for each other.
    """
    return broken(view, "readiness", CODE)
