"""One service and one nursery of processes for all tests; a folder and empty rows for each."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..crash.bench import Bench, Nursery, open_nursery, open_service

SMALL = 64 << 20
"""Bytes of a small disk: the log's write-ahead file is 16 MB long from the beginning."""


@pytest.fixture(scope="session")
def case_shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service."""
    with open_service(tmp_path_factory.mktemp("shop")) as shop:
        yield shop


@pytest.fixture(scope="session")
def case_nursery() -> Iterator[Nursery]:
    """Where processes come from."""
    with open_nursery() as nursery:
        yield nursery


@pytest.fixture
def bench(tmp_path: Path, case_shop: Any, case_nursery: Nursery) -> Bench:
    """A folder of its own, and a service in which nothing has happened."""
    case_shop.reset()
    return Bench(tmp_path, case_shop, case_nursery)


@pytest.fixture
def small(tmp_path: Path, case_shop: Any, case_nursery: Nursery) -> Iterator[Bench]:
    """A bench on a small disk of its own, whose processes write what they say elsewhere."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(disk)]
    if os.geteuid() != 0 or not shutil.which("mount") or subprocess.run(mount).returncode:
        pytest.skip("no small disk can be mounted here")
    case_shop.reset()
    try:
        yield Bench(disk, case_shop, case_nursery, said=tmp_path)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
