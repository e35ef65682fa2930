"""`saga graph`: the graph of a saga's steps."""

from __future__ import annotations

from pathlib import Path

import click

from .options import path_argument
from .output import say
from .programs import chosen
from .writing import write_made


@click.command()
@path_argument()
@click.option("--format", "form", type=click.Choice(["mermaid", "svg", "json"]), default="mermaid")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: stdout.")
def graph(path: str, form: str, output: Path | None) -> None:
    """Draws the graph of a saga's steps.

    \b
    Example:
      saga graph fulfil.saga --format svg -o fulfil.svg
    """
    from ..compiler.emit import emit_json, emit_mermaid, emit_svg

    _, plan = chosen(path)
    text = {"mermaid": emit_mermaid, "svg": emit_svg, "json": emit_json}[form](plan)
    if output is None:
        click.echo(text, nl=False)
        return
    write_made(output, text)
    say(f"made {output}")
