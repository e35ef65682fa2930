"""One service and one nursery of processes for all tests; a folder and empty rows for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .bench import Bench, Nursery, open_nursery, open_service


@pytest.fixture(scope="session")
def crash_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service."""
    with open_service(tmp_path_factory.mktemp("shop")) as shop:
        yield shop


@pytest.fixture(scope="session")
def crash_nursery() -> Iterator[Nursery]:
    """Where processes come from."""
    with open_nursery() as nursery:
        yield nursery


@pytest.fixture
def bench(tmp_path: Path, crash_shop: Any, crash_nursery: Nursery) -> Bench:
    """A folder of its own, and a service in which nothing has happened."""
    crash_shop.reset()
    return Bench(tmp_path, crash_shop, crash_nursery)
