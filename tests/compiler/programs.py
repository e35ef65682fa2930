"""Programs of tests: compiled from texts or files, with the diagnostics that their comments expect.

A line says what is wrong with it: `# error: [N201] "part of the message"`, also `warning`, `note`,
`hint`, several behind one another where several are meant.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sagalang.compiler import pipeline
from sagalang.compiler.pipeline import Compilation
from sagalang.dsl.diagnostics import Diagnostic
from sagalang.dsl.loader import Found, Unreadable
from sagalang.dsl.source import Source

MARK = re.compile(r'# (error|warning|note|hint): \[(\w\d+)\] "([^"]*)"')


@dataclass(frozen=True, order=True)
class Mark:
    """What a comment expects, and where."""

    file: str
    line: int
    severity: str
    code: str
    part: str


def compiled(
    text: str,
    files: Mapping[str, str] | None = None,
    *,
    name: str = "main.saga",
    groups: frozenset[str] | None = None,
) -> Compilation:
    """Compiles a text; `files` are the texts that it may import, by path."""
    known = dict(files or {})

    def read(importing: str, path: str) -> Found | Unreadable:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(importing), path))
        if file == name:
            return Found(name, text.encode())
        if file not in known:
            return Unreadable("there is no such file")
        return Found(file, known[file].encode())

    return pipeline.compile(Source(name, text), read, groups=groups)


def compiled_file(path: Path) -> Compilation:
    """Compiles a file of the corpus; it may import files of the corpus."""
    return compiled(path.read_text("utf-8"), files_beside(path), name=path.name)


def files_beside(path: Path) -> dict[str, str]:
    """Gives the texts of the programs that a file may import: of its folder and those beside it."""
    return {
        os.path.relpath(file, path.parent).replace(os.sep, "/"): text
        for file, text in _texts(path.parents[1])
    }


@cache
def _texts(folder: Path) -> list[tuple[Path, str]]:
    return [(file, file.read_text("utf-8")) for file in sorted(folder.rglob("*.saga"))]


def marks(compilation: Compilation) -> list[Mark]:
    """Gives what the comments of all files of a compilation expect."""
    return sorted(
        Mark(name, number, *(found[1], found[2], found[3]))
        for name, source in compilation.sources.items()
        for number, line in enumerate(source.text.splitlines(), 1)
        for found in MARK.finditer(line)
    )


def told(compilation: Compilation, expected: list[Mark]) -> list[Mark]:
    """Gives what was found as marks; the part of a message that was expected stands for it."""
    found: list[Mark] = []
    left = list(expected)
    for diagnostic in compilation.diagnostics:
        mark = _mark(compilation, diagnostic)
        meant = next((m for m in left if _meant(m, mark)), None)
        if meant is not None:
            left.remove(meant)
        found.append(mark if meant is None else meant)
    return sorted(found)


def _mark(compilation: Compilation, diagnostic: Diagnostic) -> Mark:
    at = diagnostic.primary
    line = compilation.sources[at.source].position(at.start).line
    return Mark(at.source, line, diagnostic.severity.value, diagnostic.code, diagnostic.message)


def _meant(expected: Mark, found: Mark) -> bool:
    whole = expected.part.replace('\\"', '"') in found.part
    return whole and (expected.file, expected.line, expected.severity, expected.code) == (
        found.file,
        found.line,
        found.severity,
        found.code,
    )


def check(text: str, files: Mapping[str, str] | None = None) -> Compilation:
    """Compiles a text; what is found of names, types, order and secrets is what comments expect."""
    made = compiled(text, files)
    expected = marks(made)
    assert [
        each for each in told(made, expected) if each.code[0] in "SNTG" or each.code == "X601"
    ] == expected
    return made
