"""Documentation texts: the indentation that comes from the program is no part of them."""

from __future__ import annotations


def clean(raw: str) -> str:
    """Return a documentation text without its common indentation and the blank lines around it."""
    first, *rest = raw.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip(" ")) for line in rest if line.strip()]
    margin = min(margins, default=0)
    lines = [first.strip(), *(line[margin:].rstrip() for line in rest)]
    return "\n".join(lines).strip("\n")
