"""The laws of the source itself: size, names, first sentences, and what must not be in the tree."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import statistics
from pathlib import Path

import pytest

from .sources import PRODUCT, ROOMS, ROOT, dangers, docstring, facts, modules, texts


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
        said = docstring(path)
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
    module = importlib.import_module(name)
    # Most show nothing, and to look through all that they hold takes longer than to import them.
    shows = ">>>" in Path(str(module.__file__)).read_text("utf-8")
    found = doctest.DocTestFinder().find(module) if shows else []
    examples = [example for each in found for example in each.examples]
    assert not [each for each in examples if each.options.get(doctest.SKIP)]
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for each in found:
        runner.run(each, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("room", ROOMS)
def test_data_is_never_executed(room: str) -> None:
    """A log is read by whoever finds it: nothing in it may be unpickled or evaluated."""
    found = {path: facts(path).dangers for path in modules(room)}
    assert {path: dangers for path, dangers in found.items() if dangers} == {}


def test_dangers_are_seen() -> None:
    bad = ast.parse('"""Bad."""\nimport pickle\nfrom yaml import load\neval("1")\nx.compile("a")\n')
    assert list(dangers(ast.walk(bad))) == ["pickle", "yaml", "eval()"]


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


@pytest.mark.parametrize("pattern", [PLACES, UNFINISHED], ids=["places", "unfinished"])
def test_the_tree_holds_no_trace_of_a_machine_or_of_work_left(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path, text in texts()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []
