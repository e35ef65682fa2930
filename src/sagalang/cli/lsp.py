"""`saga lsp`: the language server that editors start."""

from __future__ import annotations

from importlib.util import find_spec

import click

from .faults import Unreadable


@click.command()
@click.option("--stdio", is_flag=True, hidden=True, help="What editors say; there is no other way.")
def lsp(stdio: bool) -> None:
    """Serves an editor over standard input and output: what is wrong, hovers, completion, renaming.

    \b
    Editors start it by themselves; docs/editors.md has their settings. Example:
      saga lsp
    """
    if find_spec("pygls") is None:
        raise Unreadable(
            "the language server is an extra part: install it with  pip install 'sagalang[lsp]'"
        )
    from ..compiler.proving.points import points
    from ..lsp.server import serve
    from ..runtime.foresight import foresee
    from .plan import told

    # An editor shows the text as it is: no colours of a terminal.
    serve(lambda plan: click.unstyle(told(plan.saga, foresee(plan, points(plan)))))
