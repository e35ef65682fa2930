"""What the shapes of several documents have in common: objects, places, diagnostics, statuses."""

from __future__ import annotations

from typing import Literal as OneOf

from msgspec import Struct

RunStatus = OneOf[
    "running", "waiting", "paused", "compensating", "escalated", "succeeded", "rolled_back",
    "partly_rolled_back", "cancelled",
]  # fmt: skip


class Shape(Struct, forbid_unknown_fields=True, kw_only=True, rename={"class_": "class"}):
    """A JSON object with exactly these members."""


class Spot(Shape):
    """A place in a file: line and column from 1."""

    file: str
    line: int
    column: int


class Range(Shape):
    """A place in a file: lines and columns from 1, columns in code points, the end exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Label(Range):
    """A position that explains a diagnostic."""

    message: str


class Edit(Range):
    """A range and the text that replaces it."""

    text: str


class Fix(Shape):
    """Edits that belong together."""

    applicability: OneOf["safe", "ask", "show"]
    edits: list[Edit]


class Diagnostic(Range):
    """One diagnostic; its code has a page: `saga explain CODE`."""

    code: str
    severity: OneOf["error", "warning", "note", "hint"]
    message: str
    labels: list[Label]
    help: list[str]
    fix: Fix | None
