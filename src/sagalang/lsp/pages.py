"""The pages of the rules, as `saga explain` shows them."""

from __future__ import annotations

from functools import cache
from importlib import resources

from ..compiler import explain


@cache
def page(code: str) -> str | None:
    """Gives the page of a code, None where there is none."""
    path = resources.files(explain) / f"{code}.md"
    return path.read_text("utf-8") if path.is_file() else None


def summary(code: str) -> str | None:
    """Gives the title of a rule and what it says, without its examples."""
    text = page(code)
    if text is None:
        return None
    head = text.split("\n## ", 1)[0].strip()
    title, _, rest = head.partition("\n")
    return f"**{title.lstrip('# ')}**\n\n{rest.strip()}"
