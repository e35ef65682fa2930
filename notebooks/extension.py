"""`%load_ext sagalang`: magics and cards in a notebook; loading it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Protocol, cast

from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from ..runtime.engine.saga import Saga
from .bundles import BUNDLES, Bundle, Show
from .cell import without_remarks
from .faults import SAID, lines
from .magics import SagaMagics
from .twins import Twins

_NAME = "sagalang"


class _Events(Protocol):
    def register(self, event: str, function: Callable[..., None]) -> None: ...
    def unregister(self, event: str, function: Callable[..., None]) -> None: ...


class Extension:
    """What a notebook got from us, to be taken back."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.twins = Twins()
        self.magics = SagaMagics(shell, self.twins)

    def load(self) -> None:
        """Registers the magics, the cards, the guard of starts, and how mistakes are shown."""
        shell = cast(Any, self.shell)
        shell.register_magics(self.magics)
        self._events().register("pre_run_cell", self._begin)
        self._events().register("post_run_cell", self._end)
        bundles, texts = self._formatters()
        for type_, show in BUNDLES.items():
            bundles.for_type(type_, partial(_bundle, show))
            # Lists and such IPython prints in its own way, whatever a bundle says.
            if issubclass(type_, list | dict):
                texts.for_type(type_, partial(_print, show))
        shell.input_transformers_cleanup.insert(0, without_remarks)
        Saga.guards.append(self.twins)
        shell.set_custom_exc(SAID, self._show)

    def unload(self) -> None:
        """Takes it all back but the magics, which IPython cannot forget."""
        shell = cast(Any, self.shell)
        self._events().unregister("pre_run_cell", self._begin)
        self._events().unregister("post_run_cell", self._end)
        for type_ in BUNDLES:
            for formatter in self._formatters():
                formatter.pop(type_, None)
        shell.input_transformers_cleanup.remove(without_remarks)
        Saga.guards.remove(self.twins)
        shell.set_custom_exc((), None)

    def _formatters(self) -> tuple[Any, Any]:
        display = cast(Any, self.shell).display_formatter
        return display.mimebundle_formatter, display.formatters["text/plain"]

    def _events(self) -> _Events:
        return cast(_Events, self.shell.events)

    def _begin(self, info: ExecutionInfo) -> None:
        raw = cast(object, info.raw_cell)
        self.magics.raw = raw if isinstance(raw, str) else None

    def _end(self, _result: object) -> None:
        self.magics.raw = None

    def _show(
        self,
        shell: Any,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType,
        tb_offset: int | None = None,
    ) -> list[str]:
        shown = lines(error, trace, self.magics.number, self.magics.raw)
        shell._showtraceback(kind, error, shown)
        return shown


_loaded: dict[int, Extension] = {}


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Is called by `%load_ext sagalang`."""
    unload_ipython_extension(shell)
    extension = Extension(shell)
    extension.load()
    _loaded[id(shell)] = extension


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Is called by `%unload_ext sagalang`, and before it is loaded again."""
    extension = _loaded.pop(id(shell), None)
    if extension is not None:
        extension.unload()


def _print(show: Show, shown: object, printer: Any, cycle: bool) -> None:
    """Is called by IPython for the text of an object, by itself or within another."""
    alone = len(printer.stack) == 1
    printer.text(show(shown)["text/plain"] if alone else repr(shown))


def _bundle(show: Show, shown: object, include: object = None, exclude: object = None) -> Bundle:
    """Is called by IPython, which leaves out the formats that it does not want."""
    return show(shown)
