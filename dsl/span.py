"""A range of a named source: what every node and every label carries."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range `start..end` of code points in the source called `source`, from 0."""

    source: str
    start: int
    end: int

    def to(self, last: Span) -> Span:
        """Return the span from the start of this one to the end of `last`."""
        return Span(self.source, self.start, last.end)
