"""Fixes made: the edits of diagnostics carried out on a text."""

from __future__ import annotations

from collections.abc import Iterable

from .diagnostics import Applicability, Edit, Fix
from .source import Source

AROUND = 200


def apply(source: Source, fixes: Iterable[Fix], applicability: Applicability = "safe") -> str:
    """Return the text with the fixes of one applicability made; of overlapping ones the first."""
    chosen: list[Edit] = []
    for fix in fixes:
        edits = [edit for edit in fix.edits if edit.source == source.name]
        whole = len(edits) == len(fix.edits)
        free = not any(_overlap(edit, other) for edit in edits for other in chosen)
        if whole and free and fix.applicability == applicability:
            chosen += edits
    text = source.text
    for edit in sorted(chosen, key=lambda edit: (edit.start, edit.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _overlap(one: Edit, other: Edit) -> bool:
    if one.start == other.start:
        return True
    return one.start < other.end and other.start < one.end


def corrected(source: Source, fix: Fix) -> tuple[int, list[str]]:
    """Return the lines of a source that a fix changes, as they are after it, and their number.

    Of very long lines only what stands around the edits is returned.
    """
    edits = [edit for edit in fix.edits if edit.source == source.name]
    first_edit, last_edit = min(e.start for e in edits), max(e.end for e in edits)
    first, last = source.position(first_edit).line, source.position(last_edit).line
    start = source.line_starts[first - source.first_line]
    end = source.line_starts[last - source.first_line] + len(source.line(last))
    lead, tail = "", ""
    if first_edit - start > AROUND:
        start, lead = first_edit - AROUND, "…"
    if end - last_edit > AROUND:
        end, tail = last_edit + AROUND, "…"
    text = source.text[start:end]
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start - start] + edit.text + text[edit.end - start :]
    return first, (lead + text + tail).split("\n")
