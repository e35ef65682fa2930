"""Data frames for who has a library for them; the runtime needs none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


class NoFrames(ImportError):
    """Neither pandas nor polars is installed."""

    def __init__(self) -> None:
        super().__init__("A data frame needs pandas or polars: `pip install pandas`.")


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Gives rows as a data frame of pandas, else of polars. Raises `NoFrames`."""
    for name in ("pandas", "polars"):
        try:
            library = import_module(name)
        except ModuleNotFoundError:
            continue
        # Built by columns: both libraries take them so, and rows of unlike types need no schema.
        held = {name: [row[k] for row in rows] for k, name in enumerate(columns)}
        return library.DataFrame(held)
    raise NoFrames
