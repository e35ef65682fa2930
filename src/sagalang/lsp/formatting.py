"""The canonical layout as edits: only the lines that change, so that the cursor stays."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from ..dsl.diagnostics import Edit
from ..dsl.formatter import format_module
from ..dsl.parser import parse
from .positions import Text

LARGEST = 3000
"""Most lines that are compared one by one; of a longer file the changed middle is replaced."""


def formatting(text: Text, first: int = 0, last: int | None = None) -> list[Edit]:
    """Gives the edits that lay a document out, or only the lines `first` to `last` of it, from 0.

    A document with syntax errors stays as it is.
    """
    source = text.source
    parsed = parse(source)
    if not parsed.ok:
        return []
    before, after = _lines(source.text), _lines(format_module(parsed))
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    edits: list[Edit] = []
    for begin, end, new_begin, new_end in _changes(before, after):
        if begin <= (len(before) if last is None else last) and end >= first:
            new = "".join(after[new_begin:new_end])
            edits.append(Edit(source.name, starts[begin], starts[end], new))
    return edits


def _lines(text: str) -> list[str]:
    # `splitlines` knows line ends that are none here.
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _changes(before: list[str], after: list[str]) -> list[tuple[int, int, int, int]]:
    if len(before) > LARGEST:
        shorter = min(len(before), len(after))
        front = next((i for i in range(shorter) if before[i] != after[i]), shorter)
        back = next(
            (i for i in range(shorter - front) if before[-1 - i] != after[-1 - i]), shorter - front
        )
        whole = (front, len(before) - back, front, len(after) - back)
        return [] if before == after else [whole]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [tuple_[1:] for tuple_ in matcher.get_opcodes() if tuple_[0] != "equal"]
