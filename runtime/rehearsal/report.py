"""What came of a scenario: how it ended, what was missed, and the timeline."""

from __future__ import annotations

from msgspec import Struct

from ..formula import Place
from ..scenario import Injection, MockCall


class Moment(Struct, frozen=True):
    """One line of a timeline: milliseconds since the start, the path, what happened there."""

    at: int
    path: str
    what: str


class Shortfall(Struct, frozen=True):
    """One thing that was expected and did not happen, and what happened instead."""

    at: Place
    expected: str
    happened: str


class Rehearsal(Struct, frozen=True):
    """A scenario that was played. It passed when nothing fell short.

    `status` is the run's own in the end; `unused` are the lines that never came to anything.
    """

    title: str
    saga: str
    at: Place
    status: str
    shortfalls: tuple[Shortfall, ...]
    timeline: tuple[Moment, ...]
    unused: tuple[Injection | MockCall, ...]
    doc: str = ""

    @property
    def passed(self) -> bool:
        """True when everything that was expected happened."""
        return not self.shortfalls
