"""The files that an editor shows and those beside them: what is typed counts, not what is saved."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..compiler.names.catalogue import Declared
from ..compiler.pipeline import compile
from ..dsl.loader import Found, Reader, Unreadable
from ..dsl.source import Source
from ..files import FileReader, identity_of
from ..runtime.settings import BadSettings, settings
from .positions import Encoding, Text
from .program import Program, compiled, read

MOST_FILES = 2000
"""Most `.saga` files of a folder that are searched for uses of a name."""
_HIDDEN = frozenset(("node_modules", "__pycache__", "build", "dist"))


@dataclass(frozen=True, slots=True)
class Document:
    """A file that an editor has open, as it stands there."""

    path: str
    text: Text
    version: int | None = None

    @property
    def name(self) -> str:
        """The name by which the compiler and its messages know it."""
        return self.text.name


@dataclass(slots=True)
class Workspace:
    """The folder that an editor has open, and the documents in it by their paths.

    Modules are named by their paths below the folder, others by their whole paths.
    """

    folder: Path = field(default_factory=Path)
    documents: dict[str, Document] = field(default_factory=dict[str, Document])
    encoding: Encoding = "utf-16"

    def name(self, path: str) -> str:
        """Gives the name of a file."""
        try:
            return Path(path).relative_to(self.folder).as_posix()
        except ValueError:
            return Path(path).as_posix()

    def path(self, name: str) -> str:
        """Gives the path of a module by its name."""
        return os.path.normpath(self.folder / name)

    def put(self, path: str, raw: str, version: int | None = None) -> Document:
        """Takes in what a document says now."""
        document = Document(path, Text(self.name(path), raw, self.encoding), version)
        self.documents[path] = document
        return document

    def drop(self, path: str) -> None:
        """Forgets a document: from now on its file counts."""
        self.documents.pop(path, None)

    def text(self, name: str) -> Text | None:
        """Gives the text of a module, as it is typed or else as it is saved."""
        path = self.path(name)
        document = self.documents.get(path)
        if document is not None:
            return document.text
        try:
            raw = Path(path).read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        return Text(name, raw, self.encoding)

    def reader(self, changed: dict[str, str] | None = None) -> Reader:
        """Gives the reader of imports, which sees open documents, and texts in `changed` by path.

        An editor's documents have their own identity by their path when they are not saved yet.
        """
        shown = {path: each.text.raw for path, each in self.documents.items()} | (changed or {})
        typed = {self.identity(path): raw for path, raw in shown.items()}
        files = FileReader(self.folder)

        def find(importing: str, written: str) -> Found | Unreadable:
            if os.path.isabs(written):
                return files(importing, written)
            path = os.path.normpath((self.folder / importing).parent / written)
            identity = self.identity(path)
            if identity in typed:
                return Found(identity, typed[identity].encode("utf-8", "replace"))
            return files(importing, written)

        return find

    def identity(self, path: str) -> str:
        """Gives the identity of a file, also of one that is not there yet."""
        try:
            return identity_of(path)
        except (OSError, ValueError):
            return os.path.normcase(os.path.abspath(path))

    def compile(self, text: Text) -> Program:
        """Compiles a text with all that it imports."""
        identity = self.identity(self.path(text.name))
        reader = self.reader()
        return compiled(compile(text.source, reader, identity=identity, groups=self.groups(text)))

    def groups(self, text: Text) -> frozenset[str] | None:
        """Gives the groups of people that `saga.toml` names, None when it names none."""
        try:
            found = settings(Path(self.path(text.name)).parent).groups
        except BadSettings:
            return None
        return frozenset(found) if found else None

    def groups_known(self, text: Text) -> Iterator[str]:
        """Yields the groups that a document may name; nothing is read before that is asked."""
        yield from self.groups(text) or ()

    def snapshot(self) -> Workspace:
        """Gives the workspace as it is now, for another thread."""
        return Workspace(self.folder, dict(self.documents), self.encoding)

    def recompiled(self, root: str, texts: Mapping[str, str]) -> Program:
        """Reads a module anew with other texts of some modules."""
        current = self.text(root)
        source = Source(root, texts.get(root, current.raw if current is not None else ""))
        changed = {self.path(name): raw for name, raw in texts.items()}
        return read(source, self.reader(changed), self.identity(self.path(root)))

    def exports(self, importing: str, written: str) -> list[Declared] | None:
        """Gives what the file of an import declares, None when it cannot be read."""
        name = posixpath.normpath(posixpath.join(posixpath.dirname(importing), written))
        text = self.text(name)
        if text is None:
            return None
        program = read(text.source, self.reader(), self.identity(self.path(name)))
        return [each for each in program.catalogue.order if each.module == name]

    def importable(self, path: str) -> Iterator[str]:
        """Yields the other files that a document may import, as it would write them."""
        folder = os.path.dirname(path)
        for each in self._files():
            if each != path:
                yield os.path.relpath(each, folder).replace(os.sep, "/")

    def others(self, word: str, known: set[str]) -> Iterator[Program]:
        """Yields the programs of files in the folder that hold a word and are not known already."""
        for path in self._files():
            name = self.name(path)
            text = None if name in known else self.text(name)
            if text is not None and word in text.raw:
                source = Source(name, text.raw)
                yield read(source, self.reader(), self.identity(path))

    def _files(self) -> Iterator[str]:
        found = 0
        for folder, folders, names in os.walk(self.folder):
            folders[:] = sorted(n for n in folders if n not in _HIDDEN and not n.startswith("."))
            for name in sorted(names):
                if name.endswith(".saga"):
                    found += 1
                    if found > MOST_FILES:
                        return
                    yield os.path.join(folder, name)
