"""Data frames for who has a library for them; the runtime needs none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from msgspec import json


class NoFrames(ImportError):
    """Neither pandas nor polars is installed."""

    def __init__(self) -> None:
        super().__init__("A data frame needs pandas or polars: `pip install pandas`.")


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Gives rows as a data frame of pandas, else of polars. Raises `NoFrames`.

    Polars wants one type for each column: values of several, such as results, become JSON texts.
    """
    # Built by columns: both libraries take them so, and rows need no schema.
    held = {name: [row[k] for row in rows] for k, name in enumerate(_apart(columns))}
    for name in ("pandas", "polars"):
        try:
            library = import_module(name)
        except ModuleNotFoundError:
            continue
        if name == "polars":
            held = {column: _even(values) for column, values in held.items()}
        return library.DataFrame(held)
    raise NoFrames


def _apart(columns: Sequence[str]) -> list[str]:
    """Numbers columns of the same name, as a join in SQL gives them: none takes another's place."""
    made: list[str] = []
    for name in columns:
        number, own = 1, name
        while own in made:
            number += 1
            own = f"{name}_{number}"
        made.append(own)
    return made


def _even(values: list[Any]) -> list[Any]:
    """Gives values of one simple type as they are, and others as JSON texts, none staying none."""
    kinds: set[type] = {type(value) for value in values if value is not None}
    if len(kinds) < 2 and not kinds & {dict, list, tuple}:
        return values
    return [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    return value if type(value) is str else json.encode(value, enc_hook=str).decode()
