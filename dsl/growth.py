"""How a parse tree becomes nodes: bottom up, without recursion, with offsets of the whole text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from lark import Token, Tree

from .brackets import MAX_DEPTH
from .diagnostics import Diagnostic, problem
from .docs import clean
from .expressions import DecimalLiteral, Duration, IntLiteral
from .names import not_a_name, reserved_words
from .node import Doc, Name, Node
from .numbers import decimal_value, duration_value, int_value
from .source import Source
from .span import Span

# Each block or clause begins anew: brackets around it are counted by the outline.
_FRESH = frozenset({"statement", "tool_clause", "agent_clause", "override", "verdict"})


@dataclass(frozen=True, slots=True)
class Word(Node):
    """A word of the language that was chosen among others."""

    text: str


@dataclass(frozen=True, slots=True)
class Quoted(Node):
    """A text as written, its quotation marks included."""

    raw: str


Part = Node | tuple[Any, ...] | None


@dataclass(slots=True)
class Growing:
    """What one parse tree is being made into: where it stands, and what was found wrong."""

    source: Source
    base: int
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def span(self, start: int, end: int) -> Span:
        """Return a span from offsets in the parsed piece."""
        return Span(self.source.name, self.base + start, self.base + end)

    def report(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic in."""
        self.diagnostics.append(diagnostic)

    def leaf(self, token: Token) -> Node:
        """Make the node of a token."""
        start = token.start_pos or 0
        text = str(token)
        span = self.span(start, start + len(text))
        match token.type:
            case "NAME":
                return Name(span, text)
            case "DOC":
                return Doc(span, clean(text[3:-3]))
            case "TEXT":
                return Quoted(span, text)
            case "INT":
                return IntLiteral(span, int_value(text, span, self.report))
            case "DECIMAL":
                return DecimalLiteral(span, decimal_value(text, span, self.report))
            case "DURATION":
                return Duration(span, duration_value(text, span, self.report))
            case _:
                return Word(span, text)

    def too_deep(self, span: Span) -> None:
        """Report an expression of too many levels, once for a piece."""
        if any(found.code == "S104" for found in self.diagnostics):
            return
        self.report(
            problem(
                "S104",
                f"This expression is nested more than {MAX_DEPTH} deep.",
                span,
                f"it has more than {MAX_DEPTH} levels",
                helps=["Each operator of a long sum or `or` is a level: use a list, or `let`."],
            )
        )


@dataclass(slots=True)
class _Frame:
    """A tree whose children are being made."""

    tree: Tree[Token]
    waiting: Iterator[Token | Tree[Token] | None]
    made: list[Any]
    depth: int = 0


def grow(tree: Tree[Token], growing: Growing, make: Callable[[str, Span, list[Any]], Any]) -> Any:
    """Make the value of a tree: `make(rule, span, children)` for every part, leaves first.

    Children of rules arrive as nodes or tuples; what is left out in the grammar's `[ ]` is None.
    """
    stack = [_Frame(tree, _children(tree), [])]
    while True:
        frame = stack[-1]
        for child in frame.waiting:
            if isinstance(child, Tree):
                stack.append(_Frame(child, _children(child), []))
                break
            frame.made.append(None if child is None else growing.leaf(child))
        else:
            stack.pop()
            meta = frame.tree.meta
            span = growing.span(getattr(meta, "start_pos", 0), getattr(meta, "end_pos", 0))
            value = make(str(frame.tree.data), span, frame.made)
            if frame.depth > MAX_DEPTH:
                growing.too_deep(span)
            if not stack:
                return value
            stack[-1].made.append(value)
            depth = 0 if frame.tree.data in _FRESH else frame.depth + 1
            stack[-1].depth = max(stack[-1].depth, depth)


def _children(tree: Tree[Token]) -> Iterator[Token | Tree[Token] | None]:
    return iter(tree.children)


def value_names(made: list[Any]) -> Iterator[Diagnostic]:
    """Report the reserved words among the names of a rule."""
    for part in made:
        if isinstance(part, Name) and part.text in reserved_words():
            yield not_a_name(part)
