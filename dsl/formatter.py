"""The canonical layout of a whole file: `format_module(parsed)`.

Every comment and every documentation is kept, the meaning is too, and what is formatted stays as it
is when it is formatted again. Two spaces a step, 100 columns, one empty line at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from . import nodes as n
from .layout import Layout, listed, render
from .list_layout import Placed
from .parser import Parsed
from .scenario_layout import ScenarioLayout

# A tool with few clauses is read as one line.
FEW_CLAUSES = 3


def format_module(parsed: Parsed) -> str:
    """Return the canonical text of a file without errors; raises ValueError if it has some."""
    if not parsed.ok:
        raise ValueError("only a file without syntax errors can be formatted")
    layout = _ModuleLayout(parsed)
    end = len(parsed.source.text) + 1
    placed = layout.placed(parsed.module.declarations, 0, end, layout.declaration)
    return _paragraphs([(item, render(item.layout)) for item in placed])


def _paragraphs(entries: Sequence[tuple[Placed, str]]) -> str:
    """Join declarations and comments; what takes several lines has empty lines around it."""
    out: list[str] = []
    for i, (item, text) in enumerate(entries):
        if i:
            before, text_before = entries[i - 1]
            gap = item.first_line - before.last_line > 1
            tall_before = not before.is_comment and "\n" in text_before
            tall_next = not before.is_comment and "\n" in _headed(entries, i)
            if gap or tall_before or tall_next:
                out.append("")
        out.append(text)
    return "".join(f"{text}\n" for text in out)


def _headed(entries: Sequence[tuple[Placed, str]], i: int) -> str:
    """Return the text of the declaration that the comments from `i` on stand above."""
    while entries[i][0].is_comment and i + 1 < len(entries):
        if entries[i + 1][0].first_line - entries[i][0].last_line > 1:
            return ""
        i += 1
    return "" if entries[i][0].is_comment else entries[i][1]


class _ModuleLayout(ScenarioLayout):
    """Lays out declarations."""

    def declaration(self, node: n.Declaration) -> Layout:
        match node:
            case n.Edition():
                return f"edition {node.year}"
            case n.Import():
                source = f" from {self.written(node.path)}"
                start, end = node.span.start, node.path.span.start
                items = self.braces(node.items, start, end, self.import_item, between=",")
                return ("import ", items, source)
            case n.Record():
                start, end = node.name.span.end, node.span.end
                fields = self.braces(node.fields, start, end, self.field, between=",")
                return (f"record {node.name.text} ", fields)
            case n.Enum():
                start, end = node.name.span.end, node.span.end
                members = self.braces(node.members, start, end, self.member, between=",")
                return (f"enum {node.name.text} ", members)
            case n.Tool() | n.Agent():
                word = "tool" if isinstance(node, n.Tool) else "agent"
                start, end = node.result.span.end, node.span.end
                clauses: Layout = self.braces(
                    node.clauses, start, end, self.clause, most=FEW_CLAUSES
                )
                return (self.signature(word, node), " ", clauses)
            case n.Saga():
                return (self.signature("saga", node), " ", self.block(node.body))
            case n.Scenario():
                return self.scenario(node)
            case _:
                assert_never(node)

    def signature(self, word: str, node: n.Tool | n.Agent | n.Saga) -> Layout:
        parameters = listed("(", [self.parameter(each) for each in node.parameters], ")")
        result = "" if node.result is None else f" -> {self.type(node.result)}"
        return (f"{word} {node.name.text}", parameters, result)

    def parameter(self, node: n.Parameter | n.RecordField) -> Layout:
        typed = f"{node.name.text}: {self.type(node.type)}"
        return typed if node.default is None else (f"{typed} = ", self.value(node.default))

    field = parameter

    def member(self, node: n.Name) -> Layout:
        return node.text

    def import_item(self, node: n.ImportItem) -> Layout:
        return node.name.text if node.alias is None else f"{node.name.text} as {node.alias.text}"
