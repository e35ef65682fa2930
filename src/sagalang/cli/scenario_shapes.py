"""The shape of what `saga test --json` prints."""

from __future__ import annotations

from typing import Literal as OneOf

from .shape import Diagnostic, RunStatus, Shape, Spot


class Failure(Spot):
    """What a scenario expected and did not get, and what happened instead."""

    expected: str
    happened: str


class Unused(Spot):
    """A line of a scenario that the run never came to."""

    text: str


class Moment(Shape):
    """Something that happened: milliseconds since the start, the path (or none), and what."""

    at: int
    path: str
    what: str


class Scenario(Spot):
    """A scenario that was played; `status` is the run's own in the end."""

    title: str
    saga: str
    doc: str
    passed: bool
    status: RunStatus | OneOf[""]
    failures: list[Failure]
    unused: list[Unused]
    timeline: list[Moment]


class Test(Shape):
    """What `saga test` prints; scenarios of a file with errors are not played."""

    diagnostics: list[Diagnostic]
    scenarios: list[Scenario]
