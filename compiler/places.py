"""Places: ranges of sources as a plan carries them, with file names relative to the main file."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from ..dsl.loader import Loaded
from ..dsl.source import Source
from ..dsl.span import Span
from ..runtime.formula import Place


@dataclass(frozen=True, slots=True)
class Places:
    """The sources of a compilation, and what each is called in plans."""

    sources: Mapping[str, Source]
    files: Mapping[str, str]

    def place(self, span: Span) -> Place:
        """Gives a range as a place."""
        start = self.sources[span.source].position(span.start)
        file = self.files[span.source]
        return Place(file, span.start, span.end, start.line, start.column)

    def text(self, span: Span) -> str:
        """Gives the text of a range."""
        return self.sources[span.source].cut(span)

    def source_of(self, file: str) -> str:
        """Gives the name of the source that plans call `file`."""
        return next((name for name, known in self.files.items() if known == file), file)


def places(loaded: Loaded) -> Places:
    """Names the files so that a project gives the same plans wherever its folder is."""
    folder = posixpath.dirname(loaded.root)
    return Places(
        loaded.sources,
        {name: _relative(name, folder) for name in loaded.modules},
    )


def _relative(name: str, folder: str) -> str:
    if posixpath.isabs(name) != posixpath.isabs(folder):
        return name
    # `relpath` would ask for the current folder; both are made absolute here first.
    return posixpath.relpath(posixpath.join("/", name), posixpath.join("/", folder))
