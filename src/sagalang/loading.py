"""From a file to sagas that can be started: read, compiled, and bound where it is loaded."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping

from .compiler.pipeline import Compilation, compile
from .dsl.diagnostics import Diagnostic
from .dsl.loader import Reader, Unreadable
from .dsl.render_terminal import render
from .dsl.source import Source
from .files import FileReader, identity_of, read_source
from .paths import no_saga, split
from .runtime.engine.classes import Classes
from .runtime.engine.errors import RunError
from .runtime.engine.log import Log
from .runtime.engine.saga import Saga
from .runtime.journal import Run as Row
from .runtime.plan import Plan
from .runtime.settings import saga_files, settings

__all__ = [
    "CompileFailed",
    "LoadedSaga",
    "Program",
    "ProgramNotFound",
    "load",
    "load_saga",
    "load_sagas",
    "open",
    "program",
]


class CompileFailed(RunError):
    """A program has errors; the text shows each with its place and the way out."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], sources: Mapping[str, Source]) -> None:
        super().__init__(render(diagnostics, sources).rstrip())
        self.diagnostics = diagnostics
        self.sources = sources

    def _render_traceback_(self) -> list[str]:
        # Notebooks show these lines in place of a traceback.
        return str(self).splitlines()


class ProgramNotFound(RunError):
    """A file that cannot be read, or that does not declare the one saga that is meant."""

    exit_code = 2


class LoadedSaga(Saga):
    """A saga with the program that it was compiled from."""

    def __init__(
        self,
        plan: Plan,
        namespace: Mapping[str, object] | None,
        records: Mapping[str, type],
        file: str,
        compilation: Compilation,
    ) -> None:
        source = compilation.sources[compilation.loaded.root].text
        super().__init__(plan, namespace, records=records, file=file, source=source)
        self.compilation = compilation

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the compiler has to say about the program."""
        return self.compilation.diagnostics

    def to_python(self) -> str:
        """Gives the module that the program compiles to."""
        from . import __version__
        from .compiler.emit import emit_python

        plans = tuple(self.compilation.plans.values())
        return emit_python(plans, name=os.path.basename(self.file), version=__version__)

    def to_mermaid(self) -> str:
        """Gives the graph of the statements in Mermaid's notation."""
        from .compiler.emit import emit_mermaid

        return emit_mermaid(self.plan)

    def dag(self) -> str:
        """Gives the graph of the statements as SVG."""
        from .compiler.emit import emit_svg

        return emit_svg(self.plan)


class Program(Mapping[str, LoadedSaga]):
    """What a file declares: its sagas by name, and as attributes its sagas, records and enums."""

    def __init__(self, sagas: Mapping[str, LoadedSaga], classes: Mapping[str, type]) -> None:
        self._sagas = dict(sagas)
        self._classes = dict(classes)

    def __getattr__(self, name: str) -> LoadedSaga:
        # Declared as giving sagas, which is what programs write; classes come the same way.
        found: object = self.__dict__.get("_sagas", {}).get(name)
        if found is None:
            found = self.__dict__.get("_classes", {}).get(name)
        if found is None:
            known = ", ".join((*self._sagas, *self._classes))
            raise AttributeError(f"the program declares no `{name}`; it declares {known}")
        return found  # type: ignore[return-value]

    def __getitem__(self, name: str) -> LoadedSaga:
        return self._sagas[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sagas)

    def __len__(self) -> int:
        return len(self._sagas)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._sagas, *self._classes]

    @property
    def classes(self) -> Mapping[str, type]:
        """The classes of the records and enums by name."""
        return self._classes


def load(path: str | os.PathLike[str], namespace: Mapping[str, object] | None = None) -> Program:
    """Gives the sagas of a file.

    Tools whose binding names no module are looked up in `namespace`, by default the globals of the
    caller. Raises `CompileFailed`, `ProgramNotFound`.
    """
    if namespace is None:
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        namespace = {} if caller is None else caller.f_globals
    source = read_source(path)
    if isinstance(source, Unreadable):
        said = f"{os.fspath(path)}: {source.reason}. {source.advice}"
        raise ProgramNotFound(said)
    if isinstance(source, Diagnostic):
        raise CompileFailed((source,), {})
    # A module's imports are relative to it, and messages name it as it was given.
    return program(
        source, FileReader(), namespace, file=os.fspath(path), identity=identity_of(path)
    )


def load_saga(path: str, namespace: Mapping[str, object] | None = None) -> LoadedSaga:
    """Gives one saga: of `FILE.saga:SAGA` the named one, of `FILE.saga` the only one.

    Raises `CompileFailed`, `ProgramNotFound`.
    """
    found = load_sagas(path, namespace)
    if len(found) != 1:
        known = ", ".join(saga.name for saga in found) or "none"
        many = f"{path} declares {len(found)} sagas: {known}."
        raise ProgramNotFound(f"{many} Say which: {path}:NAME")
    return found[0]


def load_sagas(path: str, namespace: Mapping[str, object] | None = None) -> list[LoadedSaga]:
    """Gives the sagas that are meant: of `FILE.saga:SAGA` the named one, of `FILE.saga` all.

    Raises `CompileFailed`, `ProgramNotFound`.
    """
    file, name = split(path)
    found = load(file, {} if namespace is None else namespace)
    if name and name not in found:
        plans = {each: saga.plan for each, saga in found.items()}
        raise ProgramNotFound(no_saga(file, name, plans))
    return [found[one] for one in found if not name or one == name]


def program(
    source: Source,
    read: Reader,
    namespace: Mapping[str, object] | None,
    *,
    file: str = "",
    identity: str | None = None,
) -> Program:
    """Compiles a source into what can be started. Raises `CompileFailed`."""
    groups = settings().groups
    known = frozenset(groups) if groups else None
    compilation = compile(source, read, identity=identity, groups=known)
    if not compilation.ok:
        raise CompileFailed(compilation.diagnostics, compilation.sources)
    classes: dict[str, type] = {}
    sagas: dict[str, LoadedSaga] = {}
    for name, plan in compilation.plans.items():
        saga = LoadedSaga(plan, namespace, classes, file, compilation)
        # One class for a record, however many sagas of the file use it.
        classes.update(Classes(plan, saga.definition.index.schema, classes).by_name)
        sagas[name] = saga
    return Program(sagas, classes)


def open(path: str | os.PathLike[str] | None = None) -> Log:
    """Opens a log; without a path the one of `saga.toml`, else `saga.duckdb` in this folder.

    Runs that are resumed by their id alone find their sagas in `sagas` of `saga.toml`, else in the
    file they were begun from when it lies at or below the current folder.
    """
    log = Log(path)
    log.finder = find_saga
    return log


def find_saga(row: Row) -> Saga | None:
    """Gives the saga of a run by its name, from the files that may be trusted for it."""
    for place in saga_files(row.source):
        if place.is_file():
            found = load(os.path.relpath(place), {})
            if row.saga in found:
                return found[row.saga]
    return None
