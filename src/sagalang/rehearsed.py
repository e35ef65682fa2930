"""Scenarios that were played, as people and programs read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .dsl.source import Source
    from .runtime.formula import Place
    from .runtime.rehearsal.report import Rehearsal, Shortfall

Paint = Callable[[str, str], str]
"""Puts a colour (by its name) around a text, or does not."""


def plainly(text: str, colour: str) -> str:
    """Paints nothing."""
    return text


def head(rehearsal: Rehearsal, path: str) -> str:
    """Gives the line that names a scenario: where it stands, its title, its saga."""
    at = rehearsal.at
    return f'{path}:{at.line}:{at.column}: scenario "{rehearsal.title}" for {rehearsal.saga}'


def told(rehearsal: Rehearsal, path: str, source: Source, paint: Paint = plainly) -> str:
    """Gives what fell short in a scenario, each at its place, and then what happened in time."""
    from .dsl.cells import printable

    parts = [paint(head(rehearsal, path), "red" if rehearsal.shortfalls else "green")]
    if rehearsal.doc:
        parts.append("\n".join(f"  {printable(s)}".rstrip() for s in rehearsal.doc.splitlines()))
    parts += [_shortfall(one, source, paint) for one in rehearsal.shortfalls]
    if rehearsal.unused:
        parts.append("\n".join(f"  never came to it: {line.source}" for line in rehearsal.unused))
    parts.append(_timeline(rehearsal, paint))
    return "\n\n".join(parts)


def as_json(rehearsal: Rehearsal, path: str) -> dict[str, Any]:
    """Gives a scenario in the shape of `saga test --json`."""
    return {
        **_position(rehearsal.at, path),
        "title": rehearsal.title,
        "saga": rehearsal.saga,
        "doc": rehearsal.doc,
        "passed": rehearsal.passed,
        "status": rehearsal.status,
        "failures": [
            {**_position(one.at, path), "expected": one.expected, "happened": one.happened}
            for one in rehearsal.shortfalls
        ],
        "unused": [{**_position(line.at, path), "text": line.source} for line in rehearsal.unused],
        "timeline": [
            {"at": moment.at, "path": moment.path, "what": moment.what}
            for moment in rehearsal.timeline
        ],
    }


def moment(milliseconds: int) -> str:
    """Writes a time since the start: `0s`, `0.02s`, `1d 2h 0.02s`."""
    parts: list[str] = []
    left = milliseconds
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000)):
        whole, left = divmod(left, size)
        if whole:
            parts.append(f"{whole}{unit}")
    if left or not parts:
        parts.append(f"{left / 1000:.3f}".rstrip("0").rstrip(".") + "s")
    return " ".join(parts)


def _position(at: Place, path: str) -> dict[str, Any]:
    return {"file": path, "line": at.line, "column": at.column}


def _shortfall(one: Shortfall, source: Source, paint: Paint) -> str:
    from .dsl.cells import printable
    from .dsl.snippet import Mark, snippet

    gutter = len(str(one.at.line))
    bar = " " * gutter + " |"
    lines = [bar]
    for number, (text, *marks) in snippet(source, [Mark(one.at.start, one.at.end, "", True)]):
        lines.append(f"{number:>{gutter}} | {text.text}")
        lines += [f"{bar} {mark.indent}{paint(mark.text, 'red')}" for mark in marks]
    lines.append(f"{' ' * gutter} = expected: {printable(one.expected)}")
    lines.append(f"{' ' * gutter} = happened: {paint(printable(one.happened), 'red')}")
    return "\n".join(lines)


def _timeline(rehearsal: Rehearsal, paint: Paint) -> str:
    from .dsl.cells import printable

    rows = [(moment(m.at), printable(m.path), printable(m.what)) for m in rehearsal.timeline]
    if not rows:
        return paint("  nothing happened", "cyan")
    times, paths = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    lines = [paint("  what happened:", "cyan")]
    lines += [f"  {at:>{times}}  {where:<{paths}}  {what}".rstrip() for at, where, what in rows]
    return "\n".join(lines)
