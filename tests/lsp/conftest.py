"""Fixtures of the language server's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder with two programs, one importing the other."""
    return Desk(tmp_path)
