"""Paths of a run and paths of its plan: an item's key in brackets, or a star for any."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KEY = re.compile(r'\[(?:"(?:[^"\\]|\\.)*"|[^"\]][^\]]*)\]')


def static(path: str) -> str:
    """Gives the path of the plan that a path of a run stands for.

    >>> static('picks["a]b"].pick')
    'picks[*].pick'
    >>> static("polls[3].ask")
    'polls[*].ask'
    """
    return _KEY.sub("[*]", path)


def bracketed(path: str) -> Iterator[tuple[str, str]]:
    """Yields each loop of a path of a run with the key of its item, outer before inner.

    >>> list(bracketed('many["a"].polls[2].ask'))
    [('many', '"a"'), ('many["a"].polls', '2')]
    """
    for found in _KEY.finditer(path):
        yield path[: found.start()], found.group()[1:-1]
