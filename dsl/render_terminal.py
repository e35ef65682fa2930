"""Diagnostics for people at a terminal: say it, show it, then advise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .cells import printable
from .diagnostics import Diagnostic, Edit, Fix, Label, Severity
from .fixes import corrected
from .snippet import Mark, snippet
from .source import Source

_COLOURS = {
    Severity.ERROR: "1;31",
    Severity.WARNING: "1;33",
    Severity.NOTE: "1;36",
    Severity.HINT: "1;32",
}
_BOLD, _BLUE, _GREEN = "1", "1;34", "32"
_FIXES = {
    "safe": "fix, which keeps the meaning (`saga check --fix` makes it):",
    "ask": "a likely fix:",
    "show": "for example:",
}


def render(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], *, colour: bool = False
) -> str:
    """Return all diagnostics as text, each ended by an empty line; sources are found by name."""
    painter = _Painter(colour)
    return "".join(_one(diagnostic, sources, painter) + "\n" for diagnostic in diagnostics)


class _Painter:
    """Puts colours around text, or does not."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text


def _one(diagnostic: Diagnostic, sources: Mapping[str, Source], paint: _Painter) -> str:
    severity = diagnostic.severity
    head = paint(f"{severity.value}[{diagnostic.code}]", _COLOURS[severity])
    lines = [head + paint(f": {printable(diagnostic.message)}", _BOLD)]
    gutter = _gutter(diagnostic, sources)
    for name, labels in _by_source(diagnostic):
        source = sources.get(name)
        arrow = "-->" if name == diagnostic.primary.source else ":::"
        first = next((label for label in labels if label is diagnostic.primary), labels[0])
        where = _where(source, name, first)
        lines.append(" " * gutter + paint(f"{arrow} ", _BLUE) + where)
        if source is not None:
            lines += _shown(source, labels, severity, gutter, paint)
    lines += _advice(diagnostic, sources, gutter, paint)
    return "\n".join(lines) + "\n"


def _shown(
    source: Source, labels: Sequence[Label], severity: Severity, gutter: int, paint: _Painter
) -> list[str]:
    bar = " " * gutter + paint(" |", _BLUE)
    lines = [bar]
    last: int | None = None
    for number, rows in snippet(source, [_mark(label) for label in labels]):
        if last is not None and number > last + 1:
            lines.append(paint("...", _BLUE))
        last = number
        text, *marks = rows
        lines.append(paint(f"{number:>{gutter}} |", _BLUE) + (f" {text.text}" if text.text else ""))
        for mark in marks:
            colour = _COLOURS[severity] if mark.primary else _BLUE
            lines.append(f"{bar} {mark.indent}{paint(mark.text, colour)}")
    return lines


def _mark(label: Label) -> Mark:
    return Mark(label.start, label.end, printable(label.message), label.primary)


def _advice(
    diagnostic: Diagnostic, sources: Mapping[str, Source], gutter: int, paint: _Painter
) -> list[str]:
    bar = " " * gutter
    lines: list[str] = []
    for help_ in diagnostic.helps:
        first, *rest = printable(help_).split("\n")
        lines.append(f"{bar} {paint('=', _BLUE)} {paint('help', _BOLD)}: {first}")
        lines += [f"{bar}         {line}" for line in rest]
    if diagnostic.fix is not None:
        lines += _fix(diagnostic.fix, sources, gutter, paint)
    return lines


def _fix(fix: Fix, sources: Mapping[str, Source], gutter: int, paint: _Painter) -> list[str]:
    bar = " " * gutter
    lines = [f"{bar} {paint('=', _BLUE)} {paint(_FIXES[fix.applicability], _BOLD)}"]
    for name in dict.fromkeys(edit.source for edit in fix.edits):
        source = sources.get(name)
        if source is None:
            continue
        number, after = corrected(source, fix)
        for offset, text in enumerate(after):
            mark = paint(f"{number + offset:>{gutter}} + ", _GREEN)
            lines.append(mark + paint(printable(text), _GREEN))
    return lines


def _by_source(diagnostic: Diagnostic) -> list[tuple[str, list[Label]]]:
    first = diagnostic.primary.source
    groups: dict[str, list[Label]] = {first: []}
    for label in diagnostic.labels:
        groups.setdefault(label.source, []).append(label)
    return list(groups.items())


def _where(source: Source | None, name: str, label: Label) -> str:
    if source is None:
        return printable(name)
    place = source.position(label.start)
    return f"{printable(name)}:{place.line}:{place.column}"


def _gutter(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> int:
    edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
    places: list[Label | Edit] = [*diagnostic.labels, *edits]
    lines = [
        sources[place.source].position(place.end).line
        for place in places
        if place.source in sources
    ]
    return len(str(max(lines, default=1)))
