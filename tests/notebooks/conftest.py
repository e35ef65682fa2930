"""The notebook's tests share one kernel in a folder of its own, with sagalang loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kernels import Kernel
from .programs import TOOLS, TRIP


@pytest.fixture(scope="package")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel in which the saga `trip` and the functions of its tools are defined."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "saga.toml").write_text('[groups]\nops = ["ann"]\n', "utf-8")
    with Kernel(folder) as started:
        for cell in ("%load_ext sagalang", TOOLS, TRIP):
            assert started.run(cell).ok
        yield started
