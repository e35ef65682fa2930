"""What an editor offers for a problem: its fix, all safe fixes at once, the page of its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..dsl.diagnostics import Diagnostic, Edit, Fix
from ..dsl.fixes import apply
from .analysis import Analysis

LONGEST = 40
"""Most characters of a text that a title quotes."""


@dataclass(frozen=True, slots=True)
class Action:
    """One offer: its edits, or the code whose page is shown.

    A `preferred` one keeps the meaning; `all` makes every fix of the document that does.
    """

    kind: Literal["fix", "all", "explain"]
    title: str
    diagnostic: Diagnostic | None = None
    edits: tuple[Edit, ...] = ()
    preferred: bool = False
    code: str = ""


def actions(analysis: Analysis, start: int, end: int) -> Iterator[Action]:
    """Yields what can be done about the problems that a range touches."""
    name = analysis.text.name
    here = [
        each
        for each in analysis.diagnostics
        if each.primary.source == name
        and each.primary.start <= end
        and start <= max(each.primary.end, each.primary.start)
    ]
    for each in here:
        fix = each.fix
        # `show` is a model to write by: nothing that could be made by itself.
        if fix is not None and fix.applicability != "show" and fix.edits:
            safe = fix.applicability == "safe"
            title = _title(analysis, fix) + ("" if safe else " (the meaning may change)")
            yield Action("fix", f"{title} [{each.code}]", each, fix.edits, safe)
    mended = fix_all(analysis)
    if mended is not None:
        yield Action("all", "Make all fixes that keep the meaning", None, (mended,))
    for code in dict.fromkeys(each.code for each in here):
        yield Action("explain", f"Explain {code}", code=code)


def fix_all(analysis: Analysis) -> Edit | None:
    """Gives the document with every safe fix made, as one edit; None when there is none."""
    source = analysis.text.source
    text = apply(source, [each.fix for each in analysis.diagnostics if each.fix is not None])
    return None if text == source.text else Edit(source.name, 0, len(source.text), text)


def _title(analysis: Analysis, fix: Fix) -> str:
    if len(fix.edits) != 1:
        return f"Make the {len(fix.edits)} changes that mend it"
    [edit] = fix.edits
    source = analysis.program.modules[edit.source].source
    old, new = _short(source.text[edit.start : edit.end]), _short(edit.text)
    if not old:
        return f"Insert `{new}`"
    return f"Replace `{old}` by `{new}`" if new else f"Take `{old}` out"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
