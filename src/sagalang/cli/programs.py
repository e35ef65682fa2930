"""Programs named on the command line: found, read and compiled, their diagnostics shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ..paths import no_saga, split
from .faults import Unreadable
from .output import coloured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..compiler.pipeline import Compilation
    from ..dsl.diagnostics import Diagnostic
    from ..dsl.source import Source
    from ..runtime.plan import Plan


class Seen(Struct, frozen=True):
    """A file that was looked at: what was compiled of it, or the mistake that prevented that."""

    path: str
    compilation: Compilation | None
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, Source]


def compiled(path: str) -> Seen:
    """Reads and compiles one file; raises `Unreadable`."""
    from ..compiler.pipeline import compile
    from ..dsl.diagnostics import Diagnostic
    from ..dsl.loader import Unreadable as Gone
    from ..files import FileReader, identity_of, read_source
    from ..runtime.settings import settings

    source = read_source(path)
    if isinstance(source, Gone):
        raise Unreadable(f"{path}: {source.reason}. {source.advice}")
    if isinstance(source, Diagnostic):
        return Seen(path, None, (source,), {})
    groups = settings().groups
    found = compile(
        source,
        FileReader(),
        identity=identity_of(path),
        groups=frozenset(groups) if groups else None,
    )
    return Seen(path, found, found.diagnostics, found.sources)


def chosen(path: str) -> tuple[Seen, Plan]:
    """Compiles a file and gives the saga that is meant; raises `Unreadable`, `Mistakes`."""
    file, name = split(path)
    seen = compiled(file)
    if seen.compilation is None or not seen.compilation.ok:
        raise Mistakes(seen)
    plans = seen.compilation.plans
    if name:
        if name not in plans:
            raise Unreadable(no_saga(file, name, plans))
        return seen, plans[name]
    if len(plans) != 1:
        say = f"{file} declares {len(plans)} sagas: {', '.join(plans)}."
        raise Unreadable(f"{say} Say which: {file}:NAME." if plans else f"{file}: no saga found.")
    return seen, next(iter(plans.values()))


class Mistakes(Exception):
    """A program with errors; they are shown as `saga check` shows them."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(f"{seen.path} has errors")
        self.seen = seen

    def __str__(self) -> str:
        return rendered(self.seen).rstrip()


def files(paths: tuple[str, ...]) -> Iterator[str]:
    """Gives the files that are meant: a folder stands for the `.saga` files at and below it."""
    for path in paths:
        if not Path(path).is_dir():
            yield split(path)[0]
            continue
        found = sorted(str(file) for file in Path(path).rglob("*.saga"))
        if not found:
            raise Unreadable(f"{path}: no .saga file in this folder or below it.")
        yield from found


def rendered(seen: Seen) -> str:
    """Renders the diagnostics of a file for a terminal."""
    from ..dsl.render_terminal import render

    return render(seen.diagnostics, seen.sources, colour=coloured())
