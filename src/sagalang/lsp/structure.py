"""The structure of a document: its declarations with what is in them, and what can be folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..dsl.nodes import (
    Agent,
    Block,
    Doc,
    Each,
    Enum,
    First,
    Import,
    Node,
    Record,
    Repeat,
    Saga,
    Scenario,
    Scope,
    Statement,
    Tool,
    walk,
    within,
)
from ..dsl.parser import Parsed
from ..dsl.span import Span

_FOLDED = (Import, Record, Enum, Tool, Agent, Scenario, Block, Doc)


@dataclass(frozen=True, slots=True)
class Part:
    """Something with a name: the word for it, its whole range, the range of its name, its parts."""

    name: str
    noun: str
    span: Span
    name_span: Span
    parts: tuple[Part, ...] = ()


def parts(parsed: Parsed) -> Iterator[Part]:
    """Yields the declarations of a document as a tree."""
    for node in parsed.module.declarations:
        match node:
            case Record(fields=fields):
                inner = tuple(Part(f.name.text, "field", f.span, f.name.span) for f in fields)
                yield Part(node.name.text, "record", node.span, node.name.span, inner)
            case Enum(members=members):
                inner = tuple(Part(m.text, "member", m.span, m.span) for m in members)
                yield Part(node.name.text, "enum", node.span, node.name.span, inner)
            case Tool() | Agent():
                noun = "tool" if isinstance(node, Tool) else "agent"
                yield Part(node.name.text, noun, node.span, node.name.span)
            case Saga(body=body):
                inner = tuple(_statements(body.statements))
                yield Part(node.name.text, "saga", node.span, node.name.span, inner)
            case Scenario(title=title):
                yield Part(title.value, "scenario", node.span, title.span)
            case _:
                pass


def _statements(statements: Sequence[Statement]) -> Iterator[Part]:
    for statement in within(statements):
        name = getattr(statement, "name", None)
        if name is None:
            continue
        inner: list[Part] = []
        match statement:
            case Scope(body=body, otherwise=otherwise):
                inner += _statements(body.statements)
                inner += _statements(otherwise.statements) if otherwise is not None else ()
            case Each(body=body) | First(body=body) | Repeat(body=body):
                inner += _statements(body.statements)
            case _:
                pass
        noun = type(statement).__name__.lower()
        yield Part(name.text, noun, statement.span, name.span, tuple(inner))


def folds(parsed: Parsed) -> Iterator[tuple[int, int, bool]]:
    """Yields the first and the last line of what can be folded, from 0, comments marked."""
    source = parsed.source

    def line(offset: int) -> int:
        return source.position(offset).line - source.first_line

    found: set[tuple[int, int, bool]] = set()
    for node in walk(parsed.module):
        if isinstance(node, _FOLDED):
            first, last = line(_start(node)), line(max(node.span.end - 1, node.span.start))
            if last > first:
                # The closing brace stays to be seen.
                said = isinstance(node, Doc)
                found.add((first, last if said else last - 1, said))
    yield from sorted(each for each in found if each[1] > each[0])
    lines = [line(comment.span.start) for comment in parsed.comments]
    begin = 0
    for at, (one, other) in enumerate(pairwise([*lines, -1])):
        if other != one + 1:
            if one > lines[begin]:
                yield lines[begin], one, True
            begin = at + 1


def _start(node: Node) -> int:
    doc = getattr(node, "doc", None)
    return max(node.span.start, doc.span.end + 1) if isinstance(doc, Doc) else node.span.start
