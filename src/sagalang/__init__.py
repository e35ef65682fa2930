"""The face of the project: what a program or a notebook imports, loaded only when touched."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .loading import CompileFailed as CompileFailed, load as load, open as open
    from .notebooks.extension import (
        load_ipython_extension as load_ipython_extension,
        unload_ipython_extension as unload_ipython_extension,
    )
    from .runtime import (
        Log as Log,
        Run as Run,
        RunFailed as RunFailed,
        Saga as Saga,
    )

    __version__: str

# A name and the module that holds it. The same names are imported above for type checkers;
# at run time nothing is loaded before it is asked for, because the compiler's libraries cost
# a third of a second that a worker which only runs sagas must not pay.
_HOMES: dict[str, str] = {
    "CompileFailed": ".loading",
    "Log": ".runtime",
    "Run": ".runtime",
    "RunFailed": ".runtime",
    "Saga": ".runtime",
    "load": ".loading",
    "load_ipython_extension": ".notebooks.extension",
    "open": ".loading",
    "unload_ipython_extension": ".notebooks.extension",
}

__all__ = ["CompileFailed", "Log", "Run", "RunFailed", "Saga", "__version__", "load", "open"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("sagalang")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
