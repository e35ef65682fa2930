"""`saga compile`: a readable, runnable module, or another target."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..paths import no_saga, split
from .options import path_argument
from .output import say
from .programs import Mistakes, compiled
from .writing import write_made

if TYPE_CHECKING:
    from ..runtime.plan import Plan


@click.command()
@path_argument()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: stdout.")
@click.option("--target", type=click.Choice(["python", "json"]), default="python")
def compile(path: str, output: Path | None, target: str) -> None:
    """Makes a Python module of a file: to read, to import, to run.

    \b
    Example:
      saga compile fulfil.saga -o fulfil_saga.py
      python fulfil_saga.py --input '{"order": {...}}'
    """
    file, name = split(path)
    seen = compiled(file)
    if seen.compilation is None or not seen.compilation.ok:
        click.echo(str(Mistakes(seen)), err=True)
        sys.exit(1)
    plans = seen.compilation.plans
    wanted = [plans[name]] if name in plans else list(plans.values())
    if (name and name not in plans) or not wanted:
        say(f"error: {no_saga(file, name, plans)}")
        sys.exit(2)
    text = _text(wanted, Path(file).name, target)
    if output is None:
        click.echo(text, nl=False)
        return
    write_made(output, text)
    say(f"made {output}")


def _text(plans: list[Plan], file: str, target: str) -> str:
    from .. import __version__
    from ..compiler.emit import emit_json, emit_python

    if target == "python":
        return emit_python(plans, name=file, version=__version__)
    if len(plans) != 1:
        from .faults import Unreadable

        raise Unreadable(f"JSON holds one saga; {file} has several. Say which: {file}:NAME.")
    return emit_json(plans[0])
