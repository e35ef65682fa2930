"""The tutorials: stored without outputs, executed from the first cell to the last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

TUTORIALS = sorted((Path(__file__).parents[2] / "notebooks" / "tutorials").glob("*.ipynb"))


def test_there_are_tutorials() -> None:
    assert [path.name for path in TUTORIALS][:1] == ["01_first_saga.ipynb"]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_is_stored_without_outputs(path: Path) -> None:
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_from_its_first_cell_to_its_last(path: Path, tmp_path: Path) -> None:
    executed = _executed(path, tmp_path)
    failed = [cell for cell in executed.cells if _error(cell)]
    marked = [c for c in executed.cells if "raises-exception" in c.metadata.get("tags", [])]
    assert failed == marked


@pytest.mark.slow
def test_the_first_tutorial_shows_what_it_says(tmp_path: Path) -> None:
    cells = _executed(TUTORIALS[0], tmp_path).cells
    shown = ["\n".join(_texts(cell)) for cell in cells]
    assert any("run ada of trip: succeeded" in text for text in shown)
    refused = next(text for text in shown if "run grace of trip: rolled back" in text)
    assert "Refused: the card was declined" in refused
    assert "↶ seat  compensated" in refused
    assert "{'IC 5': 'Ada'}" in shown
    assert [_error(cell) for cell in cells if _error(cell)] == ["CellFailed"]
    assert any("rolled_back" in text and "13 rows" in text for text in shown)


def _executed(path: Path, folder: Path) -> Any:
    reader: Any = nbformat
    notebook = reader.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, resources=resources).execute()
    return notebook


def _error(cell: Any) -> str:
    return next((o["ename"] for o in cell.get("outputs", ()) if o["output_type"] == "error"), "")


def _texts(cell: Any) -> list[str]:
    return [o["data"].get("text/plain", "") for o in cell.get("outputs", ()) if "data" in o]
