"""Every program that is well formed is read whole, and read again after it was laid out anew."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from sagalang.dsl import nodes as n
from sagalang.dsl.formatter import format_module
from sagalang.dsl.parser import Parsed, parse
from sagalang.dsl.source import Source

GOOD = sorted(Path(__file__).with_name("good").glob("*.saga"))


def read(text: str) -> Parsed:
    parsed = parse(Source("t.saga", text))
    assert parsed.diagnostics == ()
    return parsed


def meaning(value: object) -> object:
    """A tree without its positions: what has to stay the same whatever the layout."""
    if isinstance(value, n.Span):
        return None
    if isinstance(value, n.Node):
        fields = value.__struct_fields__
        return type(value).__name__, *(meaning(getattr(value, name)) for name in fields)
    if isinstance(value, tuple):
        return tuple(meaning(item) for item in cast("tuple[object, ...]", value))
    return value


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_it_is_read_and_survives_its_canonical_layout(path: Path) -> None:
    parsed = read(path.read_text("utf-8"))
    laid_out = format_module(parsed)
    again = read(laid_out)
    assert meaning(again.module.declarations) == meaning(parsed.module.declarations)
    assert format_module(again) == laid_out


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_span_holds_its_node_inside_its_parent(path: Path) -> None:
    module = read(path.read_text("utf-8")).module
    for node in n.walk(module):
        for child in n.children(node):
            if not isinstance(child, n.Doc):
                assert node.span.start <= child.span.start <= child.span.end <= node.span.end


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_names_are_where_they_are_written(path: Path) -> None:
    parsed = read(path.read_text("utf-8"))
    for node in n.walk(parsed.module):
        if isinstance(node, n.Name):
            assert parsed.source.cut(node.span).strip('"') == node.text


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_line_ends_and_a_mark_at_the_head_change_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    whole = read(text).module
    lines = text.split("\n")
    mixed = "".join(line + ("\r\n" if i % 2 else "\n") for i, line in enumerate(lines[:-1]))
    for other in (text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text, mixed):
        assert read(other).module == whole
    assert read(text + "\x1a").module == whole


def test_no_kind_of_node_is_missing_among_the_programs() -> None:
    seen = {type(node) for path in GOOD for node in n.walk(read(path.read_text("utf-8")).module)}
    bases = {n.Node, n.Clause, n.StatementNode, n.ScenarioItem}
    kinds = {
        kind for kind in vars(n).values() if isinstance(kind, type) and issubclass(kind, n.Node)
    }
    assert kinds - bases - seen == set()
