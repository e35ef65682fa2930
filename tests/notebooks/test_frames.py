"""Data frames: of the library that there is, and a sentence where there is none."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime.engine.rows import Effects
from sagalang.runtime.frames import NoFrames


def library(name: str, held: dict[str, Any]) -> ModuleType:
    """Stands for a library whose data frame keeps its columns here."""
    module = ModuleType(name)

    def made(columns: dict[str, list[Any]]) -> str:
        held[name] = columns
        return name

    module.__dict__["DataFrame"] = made
    return module


def test_rows_become_columns_of_the_first_library(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    rows = Effects([{"path": "a", "undo": "u"}, {"path": "b"}])
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", library("polars", held))
    assert rows.df() == "polars"
    monkeypatch.setitem(sys.modules, "pandas", library("pandas", held))
    assert rows.df() == "pandas"
    assert held["pandas"] == held["polars"] == {"path": ["a", "b"], "undo": ["u", None]}


def test_without_a_library_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(NoFrames, match="pip install pandas"):
        Effects([{"path": "a"}]).df()
