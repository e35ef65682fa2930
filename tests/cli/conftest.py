"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .clikit import Project, settled

GOLDEN = Path(__file__).with_name("golden")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project that works; a test that fails leaves no process of it behind."""
    made = Project(tmp_path)
    yield made
    for process in made.processes:
        with process:
            process.kill()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with the golden file of a name."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        found = settled(text)
        if request.config.getoption("--update-golden"):
            path.write_text(found, "utf-8")
        assert found == path.read_text("utf-8")

    return compare
