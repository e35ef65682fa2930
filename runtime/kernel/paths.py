"""Paths of a run and paths of its plan: an item's key in brackets, or a star for any."""

from __future__ import annotations

import re

_KEY = re.compile(r'\[(?:"(?:[^"\\]|\\.)*"|[^"\]][^\]]*)\]')


def static(path: str) -> str:
    """Gives the path of the plan that a path of a run stands for.

    >>> static('picks["a]b"].pick')
    'picks[*].pick'
    >>> static("polls[3].ask")
    'polls[*].ask'
    """
    return _KEY.sub("[*]", path)
