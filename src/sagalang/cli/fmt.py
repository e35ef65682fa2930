"""`saga fmt`: the canonical layout, comments kept."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .faults import Unreadable
from .options import path_argument
from .output import say
from .programs import Mistakes, Seen, files
from .writing import as_it_was, write_text


@click.command()
@path_argument("paths", many=True)
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 when a file would change."
)
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
def fmt(paths: tuple[str, ...], only_check: bool, diff: bool) -> None:
    """Brings files into the canonical layout; comments are kept.

    \b
    Example:
      saga fmt fulfil.saga
      saga fmt --check sagas/
    """
    changed = 0
    wrong = 0
    for path in files(paths):
        try:
            before, after = _formatted(path)
        except Mistakes as mistakes:
            say(str(mistakes))
            wrong += 1
            continue
        if before == after:
            continue
        changed += 1
        if diff:
            _show(path, before, after)
        elif only_check:
            click.echo(f"would change {path}")
        else:
            write_text(Path(path), after)
            click.echo(f"changed {path}")
    if wrong or (changed and (only_check or diff)):
        sys.exit(1)


def _formatted(path: str) -> tuple[str, str]:
    from ..dsl.diagnostics import Diagnostic
    from ..dsl.formatter import format_module
    from ..dsl.loader import Unreadable as Gone
    from ..dsl.parser import parse
    from ..files import read_source

    source = read_source(path)
    if isinstance(source, Gone):
        raise Unreadable(f"{path}: {source.reason}. {source.advice}")
    if isinstance(source, Diagnostic):
        raise Mistakes(Seen(path, None, (source,), {}))
    parsed = parse(source)
    if not parsed.ok:
        raise Mistakes(Seen(path, None, parsed.diagnostics, {source.name: source}))
    raw = Path(path).read_bytes().decode("utf-8")
    return raw, as_it_was(format_module(parsed), raw)


def _show(path: str, before: str, after: str) -> None:
    from difflib import unified_diff

    lines = unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        path,
        f"{path} (formatted)",
    )
    click.echo("".join(lines), nl=False)
