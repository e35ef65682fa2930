"""`saga explain`: the page of a code."""

from __future__ import annotations

import sys
from difflib import get_close_matches

import click

from .faults import Unreadable
from .pages import codes, page


@click.command()
@click.argument("code")
def explain(code: str) -> None:
    """Explains the code of a diagnostic: the rule, why it is one, wrong and right.

    \b
    Example:
      saga explain R502
    """
    known = codes()
    if code.upper() not in known:
        near = get_close_matches(code.upper(), known, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise Unreadable(f"there is no code `{code}`.{hint} The codes are {', '.join(known)}.")
    text = page(code.upper())
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text, code_theme="ansi_dark"))
