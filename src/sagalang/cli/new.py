"""`saga new`: a small project that works."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from .faults import Unreadable
from .output import say
from .writing import write_text

FILES = {
    "trip.saga": "trip.saga",
    # Kept under another name: it is a module of the new project, not one of this package.
    "tools.py": "tools.txt",
    "saga.toml": "saga.toml",
    "README.md": "README.md",
    "trip.ipynb": "trip.ipynb",
}
"""The files of a new project, and where their texts are kept."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new(folder: Path) -> None:
    """Makes a small project that works: a saga, its tools, settings, a notebook.

    Nothing that is there is overwritten.

    \b
    Example:
      saga new trips
    """
    if folder.exists() and not folder.is_dir():
        raise Unreadable(f"{folder}: it is a file. Name a folder.")
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise Unreadable(
            f"{folder}: {', '.join(there)} is there already, and nothing is overwritten. "
            "Name another folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    starter = files("sagalang.cli") / "starter"
    for name, kept in FILES.items():
        write_text(folder / name, starter.joinpath(kept).read_text("utf-8"))
        click.echo(f"made {folder / name}")
    say(
        f"\nGo on with:\n  cd {folder}\n  saga check trip.saga\n"
        "  saga run trip.saga --id t-1 --set traveller=ada --set city=Lisbon"
    )
