"""The emitters: a plan in, one target text out.

Nothing is imported before it is asked for: who only checks pays for no templates.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .json import emit_json as emit_json, plan_schema as plan_schema
    from .mermaid import emit_mermaid as emit_mermaid
    from .origin import made_by_us as made_by_us
    from .python import emit_python as emit_python
    from .svg import emit_svg as emit_svg

_HOMES = {
    "emit_json": ".json",
    "emit_mermaid": ".mermaid",
    "emit_python": ".python",
    "emit_svg": ".svg",
    "made_by_us": ".origin",
    "plan_schema": ".json",
}

__all__ = ["emit_json", "emit_mermaid", "emit_python", "emit_svg", "made_by_us", "plan_schema"]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
