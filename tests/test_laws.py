"""The laws of the source itself: size, names, first sentences, and what must not be in the tree."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("grammar", "dsl", "compiler", "runtime", "notebooks", "src")
PRODUCT = (*ROOMS, "examples", "benchmarks")
MADE = {"build", "dist", "__pycache__", "golden"}
"""Folders whose Python nobody writes by hand: tools and the compiler make it."""


def files() -> Iterator[Path]:
    """Every file of the tree that people write, without what .gitignore keeps out."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(
            name
            for name in folders
            if name not in MADE - {"golden"}
            and not name.endswith(".egg-info")
            and (not name.startswith(".") or name == ".ci")
        )
        # In a further working tree of the repository `.git` is a file.
        yield from (Path(folder, name) for name in sorted(names) if name != ".git")


def modules(*folders: str) -> list[Path]:
    """The modules below some folders, each once: the links under src/ are not followed."""
    found: list[Path] = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            hidden = any(part.startswith(".") for part in inside)
            if not hidden and not MADE & set(inside) and path.resolve() == path:
                found.append(path)
    return found


class Facts(NamedTuple):
    """What the laws ask of a module; its tree is not kept."""

    statements: int
    docstring: str | None
    public: tuple[tuple[int, str], ...]
    dangers: tuple[str, ...]


@cache
def facts(path: Path) -> Facts:
    tree = ast.parse(path.read_bytes(), str(path))
    public: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said = ast.get_docstring(node)
            if said and not node.name.startswith("_"):
                public.append((node.lineno, said.split("\n\n")[0].split("\n")[0]))
    return Facts(len(tree.body), ast.get_docstring(tree), tuple(public), tuple(dangers(tree)))


def length(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_module_is_longer_than_400_lines() -> None:
    """Split by noun before it hurts."""
    assert [(path, length(path)) for path in modules(*PRODUCT) if length(path) > 400] == []


def test_the_median_module_fits_a_few_screens() -> None:
    """Bare package folders do not count: they would make every median look good."""
    sizes = [length(path) for path in modules(*ROOMS) if facts(path).statements > 1]
    assert statistics.median(sizes) <= 160


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"util", "utils", "helper", "helpers", "manager", "managers", "common", "misc"}
    for path in modules(*PRODUCT, "tests"):
        parts = (part.partition(".")[0] for part in path.relative_to(ROOT).parts)
        words = {word for part in parts for word in part.split("_")}
        assert not words & empty, path


def test_every_module_begins_with_one_sentence() -> None:
    for path in modules(*PRODUCT, "tests"):
        said = facts(path).docstring
        assert said, f"{path} has no docstring"
        first = said.split("\n\n")[0]
        assert first.endswith((".", "!", "?")), f"{path}: {first!r} is not a sentence"


def test_every_public_docstring_begins_with_a_sentence() -> None:
    for path in modules(*ROOMS):
        for line, first in facts(path).public:
            assert re.search(r"[.!?:]\)?$", first), f"{path}:{line}: {first!r}"


def dotted(path: Path) -> str:
    """The name by which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    inside = parts[2:] if parts[0] == "src" else parts
    return ".".join(("sagalang", *inside)).removesuffix(".__init__")


@pytest.mark.parametrize("name", [dotted(path) for path in modules(*ROOMS)])
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    """Every module can be imported, and what its docstrings show is what happens."""
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    examples = [example for each in found for example in each.examples]
    assert not [each for each in examples if each.options.get(doctest.SKIP)]
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for each in found:
        runner.run(each, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


DANGEROUS_MODULES = {"pickle", "marshal", "shelve", "dill", "yaml", "cloudpickle"}
DANGEROUS_CALLS = {"eval", "exec", "__import__"}


KEEPS_THE_PARSER = ROOT / "dsl/syntax.py"
"""The parser is kept in the user's own cache folder by pickle, as lark itself keeps one."""


def dangers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names = {alias.name.partition(".")[0] for alias in aliases}
                yield from sorted(names & DANGEROUS_MODULES)
            case ast.ImportFrom(module=str(module), level=0):
                yield from {module.partition(".")[0]} & DANGEROUS_MODULES
            case ast.Call(func=ast.Name(id=name)) if name in DANGEROUS_CALLS:
                yield f"{name}()"
            case _:
                pass


@pytest.mark.parametrize("room", ROOMS)
def test_data_is_never_executed(room: str) -> None:
    """A log is read by whoever finds it: nothing in it may be unpickled or evaluated."""
    found = {path: facts(path).dangers for path in modules(room) if path != KEEPS_THE_PARSER}
    assert {path: dangers for path, dangers in found.items() if dangers} == {}
    if room == "dsl":
        assert facts(KEEPS_THE_PARSER).dangers == ("pickle",)


def test_dangers_are_seen() -> None:
    bad = ast.parse('"""Bad."""\nimport pickle\nfrom yaml import load\neval("1")\nx.compile("a")\n')
    assert list(dangers(bad)) == ["pickle", "yaml", "eval()"]


# Written in pieces, so that this file does not find itself.
PLACES = re.compile(
    "|".join(
        [
            r"/(?:home|Users)/" + r"\w+/",
            "/ro" + "ot/",
            "/" + "work/(?:main|shared)",
            "file:" + "///(?:home|opt|tmp)",
            "index" + "-url",
            "find" + "-links",
        ]
    )
)
UNFINISHED = re.compile("|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]))


def texts() -> Iterator[tuple[Path, int, str]]:
    for path in files():
        try:
            lines = path.read_text("utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        yield from ((path.relative_to(ROOT), n, line) for n, line in enumerate(lines, 1))


@pytest.mark.parametrize("pattern", [PLACES, UNFINISHED], ids=["places", "unfinished"])
def test_the_tree_holds_no_trace_of_a_machine_or_of_work_left(pattern: re.Pattern[str]) -> None:
    found = [f"{path}:{n}: {line.strip()}" for path, n, line in texts() if pattern.search(line)]
    assert found == []
