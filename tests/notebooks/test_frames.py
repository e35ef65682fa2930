"""Data frames: of the library that there is, and a sentence where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from sagalang.runtime import Log
from sagalang.runtime.engine.rows import Effects, Rows
from sagalang.runtime.engine.run import Run
from sagalang.runtime.frames import NoFrames, frame
from sagalang.runtime.store.question import Table

from .programs import TEXT, saga


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


def book(room: str) -> dict[str, str]:
    return {"id": room}


def unbook(room: str) -> None:
    return None


def pay(amount: object) -> int:
    return 7


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A run whose rows hold what is hard for a column: nested values, none, and unlike types."""
    folder = tmp_path_factory.mktemp("frames")
    trip = saga(TEXT, book=book, unbook=unbook, pay=pay)
    (folder / "saga.toml").write_text('[groups]\nops = ["ann"]\n', "utf-8")
    with pytest.MonkeyPatch.context() as patch, Log(folder / "frames.duckdb") as log:
        patch.chdir(folder)
        found = trip.start(log, run_id="f", room="blue", amount=70).wait()
        found.approve("ok", by="ann", note="fine")
        yield found.wait()


WHAT: dict[str, Callable[[Run], Rows | Table]] = {
    "timeline": lambda run: run.timeline(),
    "events": lambda run: run.events(),
    "effects": lambda run: run.effects,
    "readiness": lambda run: run.readiness,
    "approvals": lambda run: run.approvals,
    "sql": lambda run: run.sql("SELECT * FROM events ORDER BY seq"),
    "steps in sql": lambda run: run.sql("SELECT * FROM steps"),
    "same names": lambda run: run.sql("SELECT run_id, 1 AS run_id, 2 AS run_id FROM runs"),
}


@pytest.mark.parametrize("library_there", ["pandas", "polars"])
@pytest.mark.parametrize("what", WHAT)
def test_everything_with_rows_is_a_frame_with_all_of_them(
    run: Run, what: str, library_there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the libraries themselves: what their frames take is theirs to say."""
    if library_there == "polars":
        monkeypatch.setitem(sys.modules, "pandas", None)
    held = WHAT[what](run)
    made = held.df()
    assert type(made).__module__.partition(".")[0] == library_there
    if isinstance(held, Table):
        number, width = len(held.rows), len(held.columns)
    else:
        number, width = len(held), len({name for row in held for name in row})
    assert (len(made), len(made.columns)) == (number, width)
    assert number > 0


def test_in_polars_unlike_values_are_json_and_none_stays_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    made = frame(("a", "b"), [({"x": [1]}, 1), (None, None), ("text", 2), (5, 3)])
    assert made["a"].to_list() == ['{"x":[1]}', None, "text", "5"]
    assert made["b"].to_list() == [1, None, 2, 3]
