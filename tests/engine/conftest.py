"""The engine's tests share small programs, a world to act on, and a log of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sagalang.runtime import Log

from .childkit import end_all


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    """A log in a folder of its own, which is the current one; closed at the end."""
    monkeypatch.chdir(tmp_path)
    with Log(tmp_path / "test.duckdb") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _processes() -> Iterator[None]:
    """Ends the processes of a test with it, also when it fails."""
    yield
    end_all()
