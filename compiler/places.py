"""Places: ranges of sources as a plan carries them, with file names relative to the main file."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from msgspec import Struct

from ..dsl.loader import Loaded
from ..dsl.source import Source
from ..dsl.span import Span
from ..runtime.formula import Place


class Places(Struct, frozen=True):
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


def places(loaded: Loaded) -> Places:
    """Names the files so that a project gives the same plans wherever its folder is."""
    folder = posixpath.dirname(loaded.root)
    # `relpath` asks for the current folder unless both are absolute: so they get a root, deep
    # enough that no `..` leads above it.
    depth = max(name.split("/").count("..") for name in loaded.modules)
    root = "/" + "-/" * depth
    files = {name: _relative(name, folder, root) for name in loaded.modules}
    return Places(loaded.sources, files)


def _relative(name: str, folder: str, root: str) -> str:
    if posixpath.isabs(name) != posixpath.isabs(folder):
        return name
    return posixpath.relpath(posixpath.join(root, name), posixpath.join(root, folder))
