"""The layout of what stands one below the other: declarations, clauses, statements, fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from . import nodes as n
from .expression_layout import ExpressionLayout
from .layout import HARD, SPACE, Choice, Layout, Margin, Nest, joined
from .outline import Comment
from .parser import Parsed
from .remarks import Remarks

Item = TypeVar("Item", bound=n.Node)


class Placed(Struct, frozen=True):
    """A comment or an item that has been laid out, with the lines it took in the source."""

    layout: Layout
    first_line: int
    last_line: int
    is_comment: bool


class ListLayout(ExpressionLayout):
    """Lays out lists of items and puts each comment before, behind or after an item."""

    def __init__(self, parsed: Parsed) -> None:
        super().__init__(parsed.source)
        self.remarks = Remarks(parsed.source, parsed.comments)

    def placed(
        self,
        items: Sequence[Item],
        start: int,
        end: int,
        one: Callable[[Item], Layout],
        after: str = "",
    ) -> list[Placed]:
        """Lay out the items between two offsets and the comments there; `after` ends each item."""
        out: list[Placed] = []
        at = start
        for item in items:
            doc = documentation_of(item)
            begin = item.span.start if doc is None else doc.span.start
            out += [self.comment(comment) for comment in self.remarks.take(at, begin)]
            layout: Layout = (one(item), after)
            # What stands inside the item, where nothing has a line of its own, goes before it.
            out += [self.comment(comment) for comment in self.remarks.take(begin, item.span.end)]
            behind = self.remarks.take_behind(item.span.end)
            if behind is not None:
                layout = (layout, Margin(behind.text.rstrip()))
            if doc is not None:
                layout = (_documentation(doc.text), HARD, layout)
            lines = self.remarks.line(begin), self.remarks.line(item.span.end)
            out.append(Placed(layout, *lines, is_comment=False))
            at = item.span.end
        out += [self.comment(comment) for comment in self.remarks.take(at, end)]
        return out

    def comment(self, comment: Comment) -> Placed:
        """Lay out a comment on a line of its own."""
        line = self.remarks.line(comment.span.start)
        return Placed(comment.text.rstrip(), line, line, is_comment=True)

    def braces(
        self,
        items: Sequence[Item],
        start: int,
        end: int,
        one: Callable[[Item], Layout],
        *,
        between: str = "",
        most: int | None = None,
    ) -> Layout:
        """Lay out `{ items }` that stands between two offsets.

        On one line if it fits, has at most `most` items and nothing documented or commented.
        """
        long = self.long_braces(items, start, end, one, between)
        noted = self.remarks.any_within(start, end)
        documented = any(documentation_of(item) is not None for item in items)
        if noted or documented or not items or (most is not None and len(items) > most):
            return long
        inner = joined([one(item) for item in items], (between, SPACE))
        return Choice(("{ ", inner, " }"), long)

    def long_braces(
        self,
        items: Sequence[Item],
        start: int,
        end: int,
        one: Callable[[Item], Layout],
        between: str = "",
    ) -> Layout:
        """Lay out `{ items }` with each item on its own line; `{}` when there is nothing."""
        placed = self.placed(items, start, end, one, between)
        return ("{", Nest((HARD, stacked(placed))), HARD, "}") if placed else "{}"


def stacked(placed: Sequence[Placed]) -> Layout:
    """Put each on a line of its own; an empty line between two is kept, more are not."""
    out: list[Layout] = []
    for i, item in enumerate(placed):
        if i:
            gap = item.first_line - placed[i - 1].last_line > 1
            out.append((HARD, HARD) if gap else HARD)
        out.append(item.layout)
    return tuple(out)


def documentation_of(item: n.Node) -> n.Doc | None:
    """Return the documentation of an item, if it can have one and does."""
    doc = getattr(item, "doc", None)
    return doc if isinstance(doc, n.Doc) else None


def _documentation(text: str) -> Layout:
    lines = text.split("\n")
    if len(lines) == 1:
        lead = " " if text.startswith('"') else ""
        tail = " " if text.endswith('"') else ""
        return f'"""{lead}{text}{tail}"""'
    return ('"""', *((HARD, line) for line in lines), HARD, '"""')
