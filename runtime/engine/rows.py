"""Answers about a run, each of a type with a name, so that a notebook can show them."""

from __future__ import annotations

from typing import Any

from ..frames import frame


class Rows(list[dict[str, Any]]):
    """Rows with the same fields."""

    def df(self) -> Any:
        """Gives them as a data frame of pandas, else of polars. Raises `NoFrames`."""
        names = list(dict.fromkeys(name for row in self for name in row))
        return frame(names, [[row.get(name) for name in names] for row in self])


class Events(Rows):
    """What happened in a run, in its order."""


class Effects(Rows):
    """What landed outside, or may have, and what became of it."""


class Attempts(Rows):
    """Every attempt with its begin and end."""


class Changes(Rows):
    """Each change of the readiness, and the event that caused it."""


class Approvals(Rows):
    """What people decided at the gates, refusals included."""


class Incident(dict[str, Any]):
    """What people are asked."""


class Decision(dict[str, Any]):
    """The event in which a person's request was written down."""
