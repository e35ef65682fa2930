"""Programs as people name them: `FILE.saga`, or `FILE.saga:SAGA` where a file has several."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .runtime.plan import Plan


def split(path: str) -> tuple[str, str]:
    """Parts `FILE.saga:SAGA` into the file and the saga's name, which may be left out."""
    file, colon, name = path.rpartition(":")
    if colon and name.isidentifier() and not Path(path).exists():
        return file, name
    return path, ""


def no_saga(file: str, name: str, plans: Mapping[str, Plan]) -> str:
    """Says that a file has no saga of this name that can be run, and which ones it has."""
    there = f"there are: {', '.join(plans) or 'none'}."
    if any(saga.name == name for plan in plans.values() for saga in plan.undo_sagas):
        return f"{file}: `{name}` takes back what steps did and is not run by itself; {there}"
    return f"{file} declares no saga{f' `{name}`' if name else ''}; {there}"
