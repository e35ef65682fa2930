"""The runtime: everything that a compiled saga needs to run, recover and be looked at."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .tooling import Conflict, Refused, Transient, call

if TYPE_CHECKING:
    from .engine.errors import RunFailed as RunFailed
    from .engine.log import Log as Log, open_log as open
    from .engine.run import Run as Run
    from .engine.saga import Saga as Saga, main as main

# A tool's module imports three exceptions from here; it must not pay for the engine.
_HOMES = {
    "Log": (".engine.log", "Log"),
    "Run": (".engine.run", "Run"),
    "RunFailed": (".engine.errors", "RunFailed"),
    "Saga": (".engine.saga", "Saga"),
    "main": (".engine.saga", "main"),
    "open": (".engine.log", "open_log"),
}

__all__ = [
    "Conflict", "Log", "Refused", "Run", "RunFailed", "Saga", "Transient", "call", "main", "open",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _HOMES:
        module, attribute = _HOMES[name]
        return getattr(import_module(module, __name__), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
