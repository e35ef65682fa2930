"""The shape of the verification catalogue, as `saga catalogue` prints it."""

from __future__ import annotations

from typing import Literal as OneOf

from .shape import Shape, Spot


class Change(Shape):
    """An effect of a tool; `corrective` is empty when there is none."""

    resource: str
    class_: OneOf["reversible", "compensatable", "irreversible", "restoring"]
    impact: int
    corrective: str


class Taking(Shape):
    """An undo: the call, its condition, and until when after the action it is accepted.

    `steps` are the calls of a saga that is the undo, in the order written; a tool has none.
    """

    call: str
    when: str
    within: str
    steps: list[str]


class Use(Shape):
    """Where a tool is used: the saga, the step's path, as what, behind which gates."""

    saga: str
    path: str
    role: str
    gates: list[str]


class Entry(Shape):
    """A tool of the catalogue, in the words of the language; an empty text: there is none."""

    tool: str
    doc: str
    at: Spot
    parameters: str
    result: str
    call: str
    service: str
    class_: OneOf["read", "reversible", "compensatable", "irreversible", "restoring"]
    impact: int
    effects: list[Change]
    reads: list[str]
    remembers: list[str]
    verify: str
    consistent_after: str
    verdicts: list[str]
    evidence: list[str]
    unknown: str
    idempotent: str
    undos: list[Taking]
    attempts: str
    timeout: str
    settle: str
    refused: list[str]
    transient: list[str]
    done: list[str]
    between_runs: str
    runbook: str
    uses: list[Use]
    serves: list[str]


class Catalogue(Shape):
    """What `saga catalogue` prints."""

    tools: list[Entry]
