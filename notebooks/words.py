"""The line of `%saga_run` parted into words: Python's expressions stay whole, blanks and all."""

from __future__ import annotations

_OPEN, _CLOSE, _QUOTES = "([{", ")]}", "\"'"


def split(line: str) -> list[str]:
    """Parts a line at blanks that stand in no bracket and in no text.

    >>> split("pay --id o-1 order={'id': 'a b', 'n': [1, 2]}")
    ['pay', '--id', 'o-1', "order={'id': 'a b', 'n': [1, 2]}"]
    """
    words: list[str] = []
    word, depth, quote, escaped = "", 0, "", False
    for char in line:
        if quote:
            word += char
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
            continue
        if char.isspace() and depth == 0:
            words += [word] if word else []
            word = ""
            continue
        quote = char if char in _QUOTES else ""
        depth = max(0, depth + (char in _OPEN) - (char in _CLOSE))
        word += char
    return [*words, word] if word else words
