"""`saga test`: the scenarios in the files, played on the real kernel with simulated services."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..paths import no_saga, split
from .faults import Unreadable
from .options import json_option, path_argument
from .output import coloured, columns, plain, print_json, quantity, say
from .programs import Seen, compiled, files, rendered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..dsl.source import Source
    from ..runtime.rehearsal.report import Rehearsal


@dataclass(frozen=True, slots=True)
class Played:
    """A file with the scenarios of it that were played; `wrong`: none, because of its errors."""

    seen: Seen
    rehearsals: tuple[Rehearsal, ...] = ()
    wrong: bool = False


@click.command()
@path_argument("paths", many=True)
@json_option
def test(paths: tuple[str, ...], as_json: bool) -> None:
    """Plays the scenarios in the files: what each expects, what happened, and when.

    Nothing is called: services are simulated, time passes at once. The exit code is 0 when all
    pass, 1 when one fails or a file has errors.

    \b
    Example:
      saga test trip.saga
      saga test examples
    """
    found: list[Played] = []
    unreadable = 0
    for path in paths:
        named, saga = split(path)
        for file in files((path,)):
            try:
                found.append(_play(compiled(file), saga, named=file == named))
            except Unreadable as reason:
                say(f"error: {reason}")
                unreadable += 1
    if as_json:
        print_json(_document(found))
    else:
        _print(found)
    if unreadable:
        sys.exit(2)
    failed = any(one.wrong or not all(r.passed for r in one.rehearsals) for one in found)
    sys.exit(1 if failed else 0)


def _play(seen: Seen, saga: str, *, named: bool) -> Played:
    from ..runtime.rehearsal.rehearse import rehearse

    if seen.compilation is None or not seen.compilation.ok:
        # A file that was only found in a folder may be wrong on purpose; it is for `saga check`.
        there = any("scenario" in source.text for source in _own(seen))
        return Played(seen, wrong=named or there)
    if saga and saga not in seen.compilation.plans:
        raise Unreadable(no_saga(seen.path, saga, seen.compilation.plans))
    meant = [s for s in seen.compilation.scenarios if not saga or s.plan.saga == saga]
    return Played(seen, tuple(rehearse(scenario) for scenario in meant))


def _own(seen: Seen) -> Iterator[Source]:
    if seen.path in seen.sources:
        yield seen.sources[seen.path]


def _print(found: list[Played]) -> None:
    from ..rehearsed import told

    for one in found:
        if one.wrong:
            click.echo(rendered(one.seen), nl=False)
        if one.rehearsals:
            rows = [
                ("passed" if r.passed else "failed", r.title, plain(r.status))
                for r in one.rehearsals
            ]
            click.echo(f"{one.seen.path}\n{columns(rows)}\n")
        for rehearsal in one.rehearsals:
            if not rehearsal.passed:
                source = one.seen.sources[one.seen.path]
                click.echo(told(rehearsal, one.seen.path, source, _paint) + "\n")
            elif rehearsal.unused:
                for line in rehearsal.unused:
                    say(f"{one.seen.path}:{line.at.line}: the run never came to `{line.source}`")
    click.echo(_summary(found))


def _paint(text: str, colour: str) -> str:
    return click.style(text, fg=colour) if coloured() else text


def _summary(found: list[Played]) -> str:
    played = [r for one in found for r in one.rehearsals]
    wrong = [one.seen.path for one in found if one.wrong]
    said: list[str] = []
    if played:
        failed = sum(not r.passed for r in played)
        ends = f"{failed} failed" if failed else "all pass" if len(played) > 1 else "it passes"
        said.append(f"{quantity(len(played), 'scenario')}: {ends}.")
    elif not wrong:
        said.append("No scenario found.")
    if wrong:
        said.append(f"Not played, because of errors: {', '.join(wrong)}.")
    return " ".join(said)


def _document(found: list[Played]) -> dict[str, Any]:
    from ..dsl.render_json import to_json
    from ..rehearsed import as_json

    diagnostics: list[Any] = []
    for one in found:
        diagnostics.extend(to_json(one.seen.diagnostics, one.seen.sources))
    played = [as_json(r, one.seen.path) for one in found for r in one.rehearsals]
    return {"diagnostics": diagnostics, "scenarios": played}
