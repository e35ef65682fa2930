"""How to tell that an emitter wrote a text, so that nobody's own file is ever overwritten."""

from __future__ import annotations

import msgspec

from ...runtime.plan import Plan

PYTHON = "# Made by sagalang "
"""How the first line of every module begins."""
MERMAID = "%% Made by sagalang"
"""The first line of every flow chart."""
SVG = "<!-- Made by sagalang -->"
"""The second line of every picture."""


def made_by_us(text: str) -> bool:
    """Says whether an emitter made a text: by its first lines; JSON, because it is a plan."""
    first, _, rest = text.removeprefix("\ufeff").partition("\n")
    if first.startswith(PYTHON) or first.rstrip() == MERMAID:
        return True
    if first.startswith("<svg "):
        return rest.partition("\n")[0].rstrip() == SVG
    if not first.startswith("{"):
        return False
    try:
        msgspec.json.decode(text, type=Plan)
    except msgspec.MsgspecError:
        return False
    return True
