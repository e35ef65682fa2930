"""What need not be read again to complete a word: what stands as it did when all was well formed.

Whoever writes in a saga of a thousand steps waits for one of them, not for all. Statements before
the place that have not changed are known as nodes; the parser reads blanks in their stead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..dsl.nodes import (
    Block,
    Each,
    Edition,
    First,
    If,
    Import,
    Node,
    Parallel,
    Scope,
    Statement,
    children,
)
from ..dsl.source import Source
from .analysis import Good
from .positions import Text

# No declaration with braces is shorter.
_DECLARED = "enum _{a}"


@dataclass(slots=True)
class Unchanged:
    """A source with blanks for what is known, and the statements known before the place."""

    source: Source
    statements: list[Statement] = field(default_factory=list[Statement])


def unchanged(text: Text, good: Good | None, offset: int) -> Unchanged:
    """Blanks what is known from the last good text, all but what the parser stops behind."""
    if good is None:
        return Unchanged(text.source)
    now, then = text.source.text, good.text.source.text
    front = min(_alike(now, then), offset)
    back = min(_alike(now[::-1], then[::-1]), len(now) - offset, len(then) - front)
    found = _Known(front, len(then) - back, len(now) - len(then))
    for node in good.program.modules[good.text.name].module.declarations:
        if not isinstance(node, Edition | Import):
            found.declaration(node)
    source = Source(text.source.name, found.blanked(now), text.source.first_line)
    return Unchanged(source, found.statements)


@dataclass(slots=True)
class _Known:
    """What is blanked; `front` and `back` are where the earlier text differs, `by` how much."""

    front: int
    back: int
    by: int
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    statements: list[Statement] = field(default_factory=list[Statement])
    over: int | None = None
    """Where the last declaration begins that is over before the place."""

    def declaration(self, node: Node) -> None:
        if node.span.end <= self.front:
            self.over = node.span.start
            self.spans.append((node.span.start, node.span.end))
        elif node.span.start >= self.back:
            self.spans.append((node.span.start + self.by, node.span.end + self.by))
        else:
            self.inside(node)

    def inside(self, node: Node) -> None:
        """Looks at the blocks of what holds the place, or what has changed."""
        for block in _blocks(node):
            before = [each for each in block.statements if each.span.end <= self.front]
            for each in before[:-1]:
                self.spans.append((each.span.start, each.span.end))
                self.statements.append(each)
            # The parser stops behind a statement otherwise than behind a brace.
            if before:
                self.hollow(before[-1])
            for each in block.statements[len(before) :]:
                if each.span.start >= self.back:
                    self.spans.append((each.span.start + self.by, each.span.end + self.by))
                else:
                    self.inside(each)

    def hollow(self, statement: Statement) -> None:
        """Empties the blocks of a statement; what is named outside of them stays known."""
        if isinstance(statement, If | Parallel | Scope | Each | First):
            for block in _blocks(statement):
                for each in block.statements:
                    self.spans.append((each.span.start, each.span.end))
                    if isinstance(statement, If | Parallel):
                        self.statements.append(each)

    def blanked(self, text: str) -> str:
        parts: list[str] = []
        done = 0
        for start, end in sorted(self.spans):
            # What stands behind a declaration belongs to none, and not to an import before it.
            instead = _DECLARED if start == self.over else ""
            parts += (text[done:start], instead.ljust(end - start))
            done = end
        return "".join((*parts, text[done:]))


def _blocks(node: Node) -> Iterator[Block]:
    return (child for child in children(node) if isinstance(child, Block))


def _alike(one: str, other: str) -> int:
    """Gives how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
