"""All programs of the repository that parse, with what the parser takes each word for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sagalang.dsl.nodes import Doc, Interpolation, Name, PlainText, TextLiteral, walk
from sagalang.dsl.parser import Parsed, parse
from sagalang.dsl.source import Source

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("tests/corpus/ok", "tests/dsl/good", "examples", "src/sagalang/cli/starter")
    for path in (ROOT / folder).rglob("*.saga")
)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def program(path: Path) -> Parsed:
    """A program as it is parsed, which must succeed."""
    found = parse(Source(path.name, path.read_bytes().decode("utf-8")))
    assert found.ok, path
    return found


def names(parsed: Parsed) -> dict[int, str]:
    """Where a word is a name, with the name."""
    # The binding's language is a word of the grammar; a key of a map may be a text.
    return {
        node.span.start: node.text
        for node in walk(parsed.module)
        if isinstance(node, Name) and parsed.source.cut(node.span) == node.text != "python"
    }


def language(parsed: Parsed) -> Iterator[tuple[int, str]]:
    """Every word of the language with its place: what is no name, text or comment."""
    text = parsed.source.text
    hidden = [comment.span for comment in parsed.comments]
    for node in walk(parsed.module):
        if isinstance(node, Doc | TextLiteral | PlainText) or (
            isinstance(node, Name) and parsed.source.cut(node.span) != node.text
        ):
            hidden.append(node.span)
    shown = [node.span for node in walk(parsed.module) if isinstance(node, Interpolation)]
    covered = bytearray(len(text) + 1)
    for span in hidden:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    for span in shown:
        covered[span.start : span.end] = b"\0" * (span.end - span.start)
    named = names(parsed)
    for word in _WORD.finditer(text):
        number = word.start() and text[word.start() - 1].isdigit()
        if not covered[word.start()] and word.start() not in named and not number:
            yield word.start(), word.group()
