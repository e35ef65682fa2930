"""Comments on their way through the formatter: each is given out once, to what it stands by."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from .outline import Comment
from .source import Source


class Remarks:
    """The comments of a source that have not been set yet."""

    def __init__(self, source: Source, comments: Sequence[Comment]) -> None:
        self.source = source
        self.comments = list(comments)
        self.starts = [comment.span.start for comment in comments]
        self.set: set[int] = set()

    def any_within(self, start: int, end: int) -> bool:
        """Return whether any comment begins in a range."""
        return bisect_left(self.starts, start) < bisect_left(self.starts, end)

    def take(self, start: int, end: int) -> list[Comment]:
        """Give out the comments that begin in a range and have not been given out."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        taken = [i for i in range(first, last) if i not in self.set]
        self.set.update(taken)
        return [self.comments[i] for i in taken]

    def take_behind(self, end: int) -> Comment | None:
        """Give out the comment that follows on the line on which something ends."""
        line_end = self.source.text.find("\n", end)
        if line_end < 0:
            line_end = len(self.source.text)
        first = bisect_left(self.starts, end)
        if first == len(self.starts) or self.starts[first] > line_end or first in self.set:
            return None
        if self.source.text[end : self.starts[first]].strip(" \t,"):
            return None
        self.set.add(first)
        return self.comments[first]

    def line(self, offset: int) -> int:
        """Return the number of the line of an offset."""
        return self.source.position(offset).line
