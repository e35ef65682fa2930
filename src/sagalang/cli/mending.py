"""Fixes made in a file: those that keep the meaning, and those that somebody agrees to."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from .faults import Unreadable
from .output import coloured
from .programs import Seen, compiled
from .writing import as_it_was, write_text

if TYPE_CHECKING:
    from ..dsl.diagnostics import Diagnostic, Fix
    from ..dsl.source import Source

ROUNDS = 20
"""Most rounds of fixes and a new look; each must leave fewer than the one before."""
CONTEXT = 2
"""Lines around a change that is shown."""


class Mended(Struct, frozen=True):
    """What became of a file: whether it was changed, and how many fixes nobody agreed to."""

    changed: bool
    left: int


def mend(path: str, agreed: Callable[[str], bool] | None) -> Mended:
    """Makes the safe fixes in one file, not in what it imports, then those that `agreed` takes.

    `agreed` is shown what is wrong and the change; None when there is nobody to ask. Each fix is
    made whole and in a file written whole: whoever stops in between has a file that is consistent.
    """
    changed = _safe(path)
    refused: Counter[tuple[str, str]] = Counter()
    while True:
        seen = compiled(path)
        source = seen.sources.get(path)
        offered = [] if source is None else list(_fixes(seen, source, "ask"))
        wanted = None if agreed is None else _next(offered, refused)
        if source is None or agreed is None or wanted is None:
            return Mended(changed, len(offered))
        diagnostic, fix = wanted
        after = _made(source, [fix])
        if after != source.text and agreed(_shown(diagnostic, source, after)):
            _rewrite(path, source, after)
            _safe(path)
            changed = True
        else:
            refused[diagnostic.code, diagnostic.message] += 1


def ask(shown: str) -> bool:
    """Shows a change on a terminal and asks whether it is to be made."""
    click.echo(shown, err=True)
    return click.confirm("Make this change?", default=False, err=True)


def somebody_is_there() -> bool:
    """Whether there is somebody to ask: both ends of the talk are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _next(
    offered: list[tuple[Diagnostic, Fix]], refused: Counter[tuple[str, str]]
) -> tuple[Diagnostic, Fix] | None:
    """Gives the first fix that nobody was asked about: places move, so what was refused counts."""
    passed: Counter[tuple[str, str]] = Counter()
    for diagnostic, fix in offered:
        key = (diagnostic.code, diagnostic.message)
        passed[key] += 1
        if passed[key] > refused[key]:
            return diagnostic, fix
    return None


def _safe(path: str) -> bool:
    made = False
    for _ in range(ROUNDS):
        seen = compiled(path)
        source = seen.sources.get(path)
        if source is None:
            return made
        text = _made(source, [fix for _, fix in _fixes(seen, source, "safe")])
        if text == source.text:
            return made
        made = True
        _rewrite(path, source, text)
    return made


def _fixes(seen: Seen, source: Source, kind: str) -> Iterator[tuple[Diagnostic, Fix]]:
    """Gives the fixes of a kind; while there is an error, those of errors alone.

    What looks unused may be what a misspelled name means.
    """
    from ..dsl.diagnostics import Severity, has_errors

    wrong = has_errors(seen.diagnostics)
    for diagnostic in seen.diagnostics:
        fix = diagnostic.fix
        if fix is None or fix.applicability != kind:
            continue
        its_turn = not wrong or diagnostic.severity is Severity.ERROR
        if its_turn and all(edit.source == source.name for edit in fix.edits):
            yield diagnostic, fix


def _made(source: Source, fixes: list[Fix]) -> str:
    from ..dsl.fixes import apply

    return apply(source, fixes, fixes[0].applicability) if fixes else source.text


def _rewrite(path: str, source: Source, text: str) -> None:
    """Writes a text with the line ends and the mark at its head that the file had."""
    from ..dsl.source import from_bytes

    data = Path(path).read_bytes()
    if from_bytes(path, data) != source:
        raise Unreadable(f"{path}: it was changed while it was looked at. Say it again.")
    write_text(Path(path), as_it_was(text, data.decode("utf-8")))


def _shown(diagnostic: Diagnostic, source: Source, after: str) -> str:
    """Shows what is wrong and the lines that a fix changes."""
    from difflib import unified_diff

    before, now = source.text.split("\n"), after.split("\n")
    lines = list(unified_diff(before, now, lineterm="", n=CONTEXT))[3:]
    at = source.position(diagnostic.primary.start)
    head = f"{source.name}:{at.line}:{at.column}: {diagnostic.code}: {diagnostic.message}"
    return "\n".join(["", head, *map(_painted, lines)])


def _painted(line: str) -> str:
    if line.startswith("@@"):
        return "..."
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return click.style(line, fg=colour) if colour and coloured() else line
