"""The shop of `examples/shop`, in its own process, for the tests in this folder."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SHOP = Path(__file__).parents[2] / "examples" / "shop"


def _load(name: str) -> ModuleType:
    """Loads a module of the example under a name that no other example's module has."""
    spec = importlib.util.spec_from_file_location(f"shop_example_{name}", SHOP / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def world() -> ModuleType:
    """The module that starts the service."""
    return _load("world")


@pytest.fixture(scope="session")
def tools() -> ModuleType:
    """The functions that the saga's tools call."""
    return _load("tools")


@pytest.fixture(scope="session")
def open_service(world: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One service for all tests of the session."""
    with world.open_shop(tmp_path_factory.mktemp("shop")) as shop:
        yield shop


@pytest.fixture
def shop(open_service: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The service with nothing in it; the tools find it by `SHOP_URL`."""
    open_service.reset()
    monkeypatch.setenv("SHOP_URL", open_service.url)
    return open_service
